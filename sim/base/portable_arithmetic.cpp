// SPDX-License-Identifier: Apache-2.0
#include "sim/base/portable_arithmetic.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include <unistd.h>

namespace ascendsim {
namespace {

constexpr const char* variable = "GLIBC_TUNABLES";
constexpr std::string_view tunable = "glibc.cpu.hwcaps=";
constexpr std::string_view without_fused = "-FMA,-FMA4";

/// The tunables with fused multiply-add ruled out: those of the user stay. A colon parts tunables, a comma
/// their values.
std::string portable_tunables(std::string_view now) {
    std::string text{now};
    const std::size_t at = text.find(tunable);
    if (at == std::string::npos) {
        return text + (text.empty() ? "" : ":") + std::string{tunable} + std::string{without_fused};
    }
    const std::size_t values = at + tunable.size();
    const bool none = values == text.size() || text[values] == ':';
    return text.insert(values, std::string{without_fused} + (none ? "" : ","));
}

bool has_fused_multiply_add() {
#if defined(__x86_64__) && defined(__GLIBC__)
    return __builtin_cpu_supports("fma") != 0 || __builtin_cpu_supports("fma4") != 0;
#else
    return false;
#endif
}

}  // namespace

void use_portable_arithmetic(char** arguments) {
    const char* set = std::getenv(variable);
    const std::string_view now = set == nullptr ? "" : set;
    if (!has_fused_multiply_add() || now.find(without_fused) != std::string_view::npos) {
        return;
    }
    setenv(variable, portable_tunables(now).c_str(), 1);
    std::error_code none;
    execv(std::filesystem::read_symlink("/proc/self/exe", none).c_str(), arguments);
}

}  // namespace ascendsim
