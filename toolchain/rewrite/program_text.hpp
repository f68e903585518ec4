// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/port/core_use.hpp"

namespace ascendsim::toolchain {

/// A word, number, literal or single punctuation character of a source text.
struct SourceToken {
    std::string_view text;
    std::size_t at = 0;  // where it starts
};

/// Cuts preprocessed source text: no comments are left in it, and lines that start with '#' are skipped.
[[nodiscard]] std::vector<SourceToken> tokens_of(std::string_view text);

/// Replaces each `kernel<T…><<<blocks, …>>>` by the call of runtime/acl/launch.hpp that means it. The
/// kernel's text is kept, and so are line breaks: lines keep their numbers.
struct RewrittenText {
    std::string text;
    std::size_t launches = 0;
};

[[nodiscard]] RewrittenText rewrite_launches(std::string_view text);

/// The text, comments taken out before, without the bodies of functions that launch: for a kernel compiled
/// without the host functions beside it. A launch in a macro becomes an expression that does nothing.
[[nodiscard]] std::string without_launches(std::string_view text);

/// Blanks `Name() = default;` in classes that declare no other constructor. Programs written for C++17, the
/// chip compiler's default, initialise such classes as aggregates, which C++20 allows only without that line;
/// otherwise it changes nothing.
[[nodiscard]] std::string restore_aggregates(std::string text);

/// Blanks partial specialisations for the memories of the chip, `template <typename T> struct X<__gm__ T>`,
/// where that is nothing on the host and they repeat the template before them word for word.
[[nodiscard]] std::string without_repeated_templates(std::string text);

/// A kernel function of a preprocessed host program.
struct ProgramKernel {
    std::string name;
    bool is_template = false;
    bool has_body = false;
    bool at_top = false;  // in no namespace or class: can be named from anywhere
    std::optional<CoreUse> cores;
    std::vector<std::pair<std::uint64_t, CoreUse>> by_key;  // KERNEL_TASK_TYPE: for a tiling key
};

/// The kernels in a text preprocessed with ASCENDSIM_PROGRAM, which keeps their qualifiers visible.
[[nodiscard]] std::vector<ProgramKernel> find_program_kernels(std::string_view preprocessed);

/// True if the text defines a function `main` outside of every brace.
[[nodiscard]] bool defines_main(std::string_view preprocessed);

/// Names of kernels launched by name: those of ACLRT_LAUNCH_KERNEL(name) and aclrtlaunch_name. For source
/// text as written.
[[nodiscard]] std::vector<std::string> kernels_launched_by_name(std::string_view source);

/// True if a source as written looks like a program that launches kernels: it has a main or gtest cases.
[[nodiscard]] bool looks_like_program(std::string_view source);

}  // namespace ascendsim::toolchain
