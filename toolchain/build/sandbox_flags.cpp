// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/sandbox_flags.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/base/error.hpp"
#include "sim/process/sandbox.hpp"

namespace ascendsim::toolchain {
namespace {

constexpr std::array<std::string_view, 13> harmless{
    "-I", "-D", "-U", "-O", "-g", "-W", "-l", "-L", "-std=", "-pthread", "-include", "-isystem", "-iquote"};
constexpr std::array<std::string_view, 9> harmless_of_f{"-fno-",
                                                        "-fpermissive",
                                                        "-fPIC",
                                                        "-fpic",
                                                        "-fsigned-char",
                                                        "-funsigned-char",
                                                        "-fexceptions",
                                                        "-frtti",
                                                        "-fopenmp"};
constexpr std::array<std::string_view, 3> to_other_programs{"-Wl,", "-Wp,", "-Wa,"};

bool starts_with_one_of(std::string_view flag, const auto& starts) {
    return std::ranges::any_of(starts, [flag](std::string_view start) { return flag.starts_with(start); });
}

}  // namespace

bool is_harmless_flag(const std::string& flag) {
    if (!flag.starts_with('-')) {
        return !flag.starts_with('@');  // a file with more flags in it
    }
    return flag == "-w" || (!starts_with_one_of(flag, to_other_programs) &&
                            (starts_with_one_of(flag, harmless) || starts_with_one_of(flag, harmless_of_f)));
}

void check_flags_in_sandbox(const std::vector<std::string>& flags) {
    if (!process::in_sandbox()) {
        return;
    }
    for (const std::string& flag : flags) {
        if (!is_harmless_flag(flag)) {
            throw UserError{
                "compiler flag '{}': is not passed on in a sandbox; include folders, macros, warnings, "
                "-std=, -O "
                "and libraries are",
                flag};
        }
    }
}

}  // namespace ascendsim::toolchain
