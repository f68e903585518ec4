// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ascendsim::toolchain {

/// True if a compiler's messages may come from what the chip's compiler takes and clang for the host does
/// not.
[[nodiscard]] bool is_chip_spelling(std::string_view messages);

/// True if a compiler's messages may come from two declarations that differ in __gm__ alone, which is nothing
/// on the host at first.
[[nodiscard]] bool may_differ_in_memory(std::string_view messages);

/// The options that make __gm__ a qualifier, which specialisations and overloads tell apart: a pointer that
/// may not be aligned, whose conversions are the nearest that clang has to those of a memory of its own.
[[nodiscard]] std::vector<std::string> qualified_memory();

/// A preprocessed text in the words of the host's compiler: without [aicore], and with the sides of `c ?
/// float : half` brought to one type, where `command` (the compiler and its options, without a file) calls
/// them ambiguous; half is a class here. Files of its own begin with `base`.
[[nodiscard]] std::string in_host_spelling(std::string text,
                                           const std::vector<std::string>& command,
                                           const std::string& base);

}  // namespace ascendsim::toolchain
