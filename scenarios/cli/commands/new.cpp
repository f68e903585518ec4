// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "kernels/host/entry_scan.hpp"
#include "scenarios/cli/command.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view vector_add =
    R"(// z = x + y, half precision, on vector cores; each takes an equal share in tiles.
#include "kernel_operator.h"

using namespace AscendC;

class Add {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t total, uint32_t tile) {
        share_ = total / GetBlockNum();
        tile_ = tile;
        x_.SetGlobalBuffer((__gm__ half*)x + share_ * GetBlockIdx(), share_);
        y_.SetGlobalBuffer((__gm__ half*)y + share_ * GetBlockIdx(), share_);
        z_.SetGlobalBuffer((__gm__ half*)z + share_ * GetBlockIdx(), share_);
        pipe_.InitBuffer(in_x_, 2, tile * sizeof(half));  // 2: double buffering; try 1
        pipe_.InitBuffer(in_y_, 2, tile * sizeof(half));
        pipe_.InitBuffer(out_z_, 2, tile * sizeof(half));
    }

    __aicore__ inline void Process() {
        for (uint32_t i = 0; i < share_ / tile_; ++i) {
            LocalTensor<half> x = in_x_.AllocTensor<half>();
            LocalTensor<half> y = in_y_.AllocTensor<half>();
            DataCopy(x, x_[i * tile_], tile_);
            DataCopy(y, y_[i * tile_], tile_);
            in_x_.EnQue(x);
            in_y_.EnQue(y);
            x = in_x_.DeQue<half>();
            y = in_y_.DeQue<half>();
            LocalTensor<half> z = out_z_.AllocTensor<half>();
            Add_(z, x, y);
            in_x_.FreeTensor(x);
            in_y_.FreeTensor(y);
            out_z_.EnQue(z);
            z = out_z_.DeQue<half>();
            DataCopy(z_[i * tile_], z, tile_);
            out_z_.FreeTensor(z);
        }
    }

private:
    __aicore__ inline void Add_(LocalTensor<half>& z, LocalTensor<half>& x, LocalTensor<half>& y) {
        AscendC::Add(z, x, y, tile_);
    }

    TPipe pipe_;
    TQue<QuePosition::VECIN, 1> in_x_, in_y_;
    TQue<QuePosition::VECOUT, 1> out_z_;
    GlobalTensor<half> x_, y_, z_;
    uint32_t share_;
    uint32_t tile_;
};

extern "C" __global__ __aicore__ void my_add(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t total, uint32_t tile) {
    Add op;
    op.Init(x, y, z, total, tile);
    op.Process();
}
)";

constexpr std::string_view vector_add_scenario = R"([scenario]
title = "My vector add"
chip = "910b3"

[launch]
entry = "my_add"
blocks = 8

[[args]]
name = "x"
type = "float16"
shape = [8, 8192]

[[args]]
name = "y"
type = "float16"
shape = [8, 8192]

[[args]]
name = "z"
role = "output"
type = "float16"
shape = [8, 8192]
# file = "z.npy"            # writes the result
# expect = "golden.npy"     # compares it, within
# tolerance = { absolute = 1e-3 }

[[args]]
name = "total"
role = "value"
type = "uint32"
value = 65536

[[args]]
name = "tile"
role = "value"
type = "uint32"
value = 2048

[work]                      # what the problem needs at least: the report's speed of light
vector_flops = 65536
)";

/// The last word of a parameter: its name.
std::string parameter_name(const std::string& parameter) {
    const auto at =
        parameter.find_last_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return at == std::string::npos ? parameter : parameter.substr(at + 1);
}

/// A scenario with one [[args]] for each parameter, to be completed by the user.
std::string skeleton(const fs::path& source) {
    std::ifstream stream{source};
    const std::string text{std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}};
    const std::vector<host::ScannedEntry> entries = host::scan_entries(text);
    if (entries.empty()) {
        throw UserError{"{}: has no __global__ function", source.string()};
    }
    const host::ScannedEntry& entry = entries.front();
    constexpr std::string_view words[]{"aiv", "aic", "mix_1_1", "mix_1_2"};
    const auto cores = static_cast<std::size_t>(entry.cores.value_or(host::CoreUse::aiv));
    std::string result = fmt::format(
        "[scenario]\ntitle = \"{}\"\nchip = \"910b3\"\n\n[launch]\nentry = \"{}{}\"\nblocks = 8\ncores = "
        "\"{}\"\n",
        source.stem().string(),
        entry.name,
        entry.is_template ? "<half>" : "",
        words[cores]);
    for (const std::string& parameter : entry.parameters) {
        const bool address =
            parameter.find("GM_ADDR") != std::string::npos || parameter.find('*') != std::string::npos;
        result +=
            fmt::format("\n[[args]]            # {}\nname = \"{}\"\n", parameter, parameter_name(parameter));
        result += address ? "type = \"float16\"    # role = \"output\", \"workspace\", \"tiling\" where it "
                            "is one\nshape = [8, 2048]\n"
                          : "role = \"value\"      # or \"struct\" with fields = [{ name = \"n\", type = "
                            "\"uint32\", value = 1 }]\n"
                            "type = \"uint32\"\nvalue = 1\n";
    }
    return result;
}

void write_fresh(const fs::path& file, std::string_view text) {
    if (fs::exists(file)) {
        throw UserError{"{}: exists already", file.string()};
    }
    std::ofstream stream{file};
    stream << text;
    stream.flush();
    if (!stream) {
        throw UserError{"{}: cannot be written", file.string()};
    }
    fmt::print("wrote {}\n", file.string());
}

class NewCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Start a kernel of one's own: a source and its scenario";
    }

    void declare(Options& options) override {
        options.positional(
            "KERNEL.cpp", file_, "if it exists, a scenario for it; otherwise both, for a vector add");
    }

    [[nodiscard]] int run(const host::Installation& /*installation*/) override {
        fs::path source{file_};
        if (source.extension() != ".cpp") {
            source += ".cpp";
        }
        fs::path scenario = source;
        scenario.replace_extension(".toml");
        if (fs::exists(source)) {
            write_fresh(scenario, skeleton(source));
            fmt::print(
                "complete the arguments in {}, then: ascendsim run {}\n", scenario.string(), source.string());
        } else {
            write_fresh(scenario, vector_add_scenario);
            write_fresh(source, vector_add);
            fmt::print("next: ascendsim run {}\n", source.string());
        }
        return exit_good;
    }

private:
    std::string file_;
};

}  // namespace

std::unique_ptr<Command> make_new() {
    return std::make_unique<NewCommand>();
}

}  // namespace ascendsim::cli
