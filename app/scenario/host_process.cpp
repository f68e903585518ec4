// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/host_process.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iterator>

#include <dlfcn.h>
#include <sys/resource.h>

#include "runtime/acl/device.hpp"
#include "runtime/session/isolated.hpp"
#include "sim/base/error.hpp"
#include "sim/process/sandbox.hpp"

namespace ascendsim::scenario {
namespace {

using isa::DataType;
using nlohmann::ordered_json;

constexpr TypeNames type_names[]{{DataType::float32, 0, "DT_FLOAT", "float"},
                                 {DataType::half, 1, "DT_FLOAT16", "half"},
                                 {DataType::int8, 2, "DT_INT8", "int8_t"},
                                 {DataType::int32, 3, "DT_INT32", "int32_t"},
                                 {DataType::uint8, 4, "DT_UINT8", "uint8_t"},
                                 {DataType::int16, 6, "DT_INT16", "int16_t"},
                                 {DataType::uint16, 7, "DT_UINT16", "uint16_t"},
                                 {DataType::uint32, 8, "DT_UINT32", "uint32_t"},
                                 {DataType::int64, 9, "DT_INT64", "int64_t"},
                                 {DataType::uint64, 10, "DT_UINT64", "uint64_t"},
                                 {DataType::float64, 11, "DT_DOUBLE", "double"},
                                 {DataType::boolean, 12, "DT_BOOL", "bool"},
                                 {DataType::bfloat16, 27, "DT_BF16", "bfloat16_t"},
                                 {DataType::int4, 29, "DT_INT4", "int4b_t"}};

/// The device of a program that has none: it knows the chip and does nothing.
class ChipAlone final : public program::Device {
public:
    explicit ChipAlone(const ChipSpec& chip) : chip_{chip} {}

    [[nodiscard]] const ChipSpec& chip() const override { return chip_; }

    [[nodiscard]] isa::GlobalMemory& memory() override { refuse(); }

    void host_wrote(std::uint64_t, std::uint64_t) override { refuse(); }

    void host_forgot(std::uint64_t, std::uint64_t) override { refuse(); }

    void host_reads(std::uint64_t, std::uint64_t) override { refuse(); }

    void launch(const program::LaunchRequest&) override { refuse(); }

    [[nodiscard]] program::Streams& streams() override { refuse(); }

    [[nodiscard]] program::HostThreads& threads() override { refuse(); }

    [[noreturn]] void end_program(int) override { refuse(); }

    [[nodiscard]] bool on_host_thread() const override { return true; }

private:
    [[noreturn]] static void refuse() {
        throw UserError{"a tiling function has a chip to ask, and no device to use"};
    }

    const ChipSpec& chip_;
};

/// A tiling function computes for milliseconds at most: one that takes longer does not end.
constexpr rlim_t most_seconds = 5;  // of the processor

/// Runs in the child. The chip is there before the code is loaded, whose first lines may ask for it; what the
/// code names and nobody has is missed where it is called, not before.
ordered_json inside(const std::filesystem::path& plugin,
                    const ChipSpec& chip,
                    const std::function<ordered_json(void*)>& work) {
    const rlimit limit{.rlim_cur = most_seconds, .rlim_max = most_seconds + 1};
    check(setrlimit(RLIMIT_CPU, &limit) == 0, "setrlimit: {}", std::strerror(errno));
    process::close_sandbox();              // after which no limit can be set
    program::set_end_of_process(nullptr);  // a host program's may be set, which asks for an operator
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM, SIGPROF, SIGVTALRM}) {
        std::signal(signal, SIG_DFL);
    }
    ChipAlone device{chip};
    program::set_current_device(&device);
    void* library = dlopen(plugin.c_str(), RTLD_LAZY | RTLD_GLOBAL);
    if (library == nullptr) {
        throw UserError{"its host code names what neither it nor the simulator has: {}", dlerror()};
    }
    ordered_json result = work(library);
    program::set_current_device(nullptr);
    return result;
}

}  // namespace

const TypeNames& names_of(DataType type) {
    return *std::ranges::find(type_names, type, &TypeNames::type);
}

const TypeNames* names_of_number(std::int32_t number) {
    const auto* const found = std::ranges::find(type_names, number, &TypeNames::number);
    return found == std::end(type_names) ? nullptr : found;
}

ordered_json asked_of_host(const std::filesystem::path& plugin,
                           const ChipSpec& chip,
                           const std::string& place,
                           const std::function<ordered_json(void*)>& work) {
    runtime::IsolatedResult result = runtime::run_isolated([&] { return inside(plugin, chip, work); });
    constexpr int unresolved = 127;  // the loader's exit where a function is missing
    if (result.signal == SIGXCPU) {
        throw ProgramError{
            "{}: the tiling function took more than {} s: does a loop of it not end?", place, most_seconds};
    }
    if (result.signal != 0) {
        throw ProgramError{"{}: the tiling function was ended by: {}", place, strsignal(result.signal)};
    }
    if (result.exit == unresolved) {
        throw UserError{"{}: its host code calls a function that neither it nor the simulator has", place};
    }
    if (result.exit != 0) {
        throw UserError{"{}: {}", place, result.error};
    }
    return std::move(result.value);
}

}  // namespace ascendsim::scenario
