// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "app/doctor/checks.hpp"
#include "kernels/plan/element.hpp"
#include "kernels/plan/npy.hpp"
#include "sim/base/error.hpp"
#include "toolchain/installation/cache_files.hpp"

namespace ascendsim::doctor {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t elements = 1024;

constexpr const char* trial_kernel = R"(#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void trial(GM_ADDR x, GM_ADDR y) {
    constexpr uint32_t count = 1024;
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer((__gm__ float*)x, count);
    to.SetGlobalBuffer((__gm__ float*)y, count);
    pipe.InitBuffer(in, 1, count * sizeof(float));
    pipe.InitBuffer(out, 1, count * sizeof(float));
    LocalTensor<float> a = in.AllocTensor<float>();
    DataCopy(a, from, count);
    in.EnQue(a);
    a = in.DeQue<float>();
    LocalTensor<float> b = out.AllocTensor<float>();
    Adds(b, a, 2.5f, count);
    out.EnQue(b);
    in.FreeTensor(a);
    b = out.DeQue<float>();
    DataCopy(to, b, count);
    out.FreeTensor(b);
}
)";

constexpr const char* trial_scenario = R"([scenario]
title = "ascendsim doctor"
chip = "910b3"

[launch]
entry = "trial"

[[args]]
name = "x"
type = "float32"
shape = [1024]
fill = "ones"

[[args]]
name = "y"
role = "output"
type = "float32"
shape = [1024]
file = "y.npy"
)";

/// A folder of its own below the cache, also the cache of what runs in it: so the disk that kernels are
/// compiled to is tried, and nothing stays.
class Scratch {
public:
    Scratch() : folder_{toolchain::made_cache_folder("doctor") / ("trial." + toolchain::writer_tag())} {
        fs::create_directories(folder_);
        if (const char* before = std::getenv(cache_variable)) {
            cache_before_ = before;
        }
        setenv(cache_variable, folder_.c_str(), 1);
    }

    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    ~Scratch() {
        if (cache_before_) {
            setenv(cache_variable, cache_before_->c_str(), 1);
        } else {
            unsetenv(cache_variable);
        }
        std::error_code stays;
        fs::remove_all(folder_, stays);
        fs::remove(folder_.parent_path(), stays);
    }

    [[nodiscard]] const fs::path& folder() const { return folder_; }

private:
    static constexpr const char* cache_variable = "XDG_CACHE_HOME";
    fs::path folder_;
    std::optional<std::string> cache_before_;
};

/// What is wrong with the numbers; empty if nothing is.
std::string wrong_numbers(const fs::path& file) {
    const host::NpyArray y = host::read_npy(file);
    for (std::uint64_t i = 0; i < elements; ++i) {
        if (const double got = host::read_element(y.type, y.bytes, i); got != 3.5) {
            return fmt::format("1 + 2.5 gives {} at element {}", got, i);
        }
    }
    return {};
}

Finding failed(std::string why, std::string advice) {
    return {
        .subject = "trial", .state = State::missing, .found = std::move(why), .advice = std::move(advice)};
}

}  // namespace

Finding try_kernel(const fs::path& program) {
    try {
        const Scratch scratch;
        const fs::path scenario = scratch.folder() / "trial.toml";
        toolchain::write_whole(scratch.folder() / "trial.cpp", trial_kernel);
        toolchain::write_whole(scenario, trial_scenario);
        const auto start = std::chrono::steady_clock::now();
        const Answer run = ask({program.string(),
                                "run",
                                (scratch.folder() / "trial.cpp").string(),
                                "--quiet",
                                "--record",
                                (scratch.folder() / "trial.rec").string()});
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        if (!run.good) {
            return failed(fmt::format("a kernel could not be compiled and run: {}", telling_line(run.output)),
                          "get what is missing above first; what the program says: 'ascendsim run' with a "
                          "kernel of 'ascendsim new'");
        }
        if (const std::string wrong = wrong_numbers(scratch.folder() / "y.npy"); !wrong.empty()) {
            return failed(wrong, "install AscendSim again; if that does not help, report it");
        }
        return {.subject = "trial",
                .found = fmt::format("a kernel was compiled and run in {:.1f} s", took.count()),
                .advice = {}};
    } catch (const UserError& error) {
        return failed(error.what(), "set XDG_CACHE_HOME to a folder that you can write to");
    } catch (const fs::filesystem_error& error) {
        return failed(error.what(), "set XDG_CACHE_HOME to a folder that you can write to");
    }
}

}  // namespace ascendsim::doctor
