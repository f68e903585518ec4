// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "toolchain/scan/source_closure.hpp"

namespace ascendsim::toolchain {

/// What the build of a public operator library adds to a kernel unit test, found from where the test lies,
/// <operator>/tests/ut/op_kernel (facts: cmake/ut.cmake of the operator libraries).
struct UnitTestProject {
    std::filesystem::path kernel;  // of the operator; empty if there is none
    bool kernel_apart = false;     // the kernel is a file of the program: the test does not include it
    std::vector<std::filesystem::path>
        helpers;  // sources of the library's test helpers that the test includes
    std::vector<std::filesystem::path> includes;  // folders of those helpers
    std::vector<std::string> definitions;         // -D… of the call that adds the test for this chip
    std::filesystem::path header;  // with the tiling structs, stands in front of all; empty if none
};

/// The project of a test; nothing for a source that lies elsewhere. `arch` is the chip's ("2201"); `provided`
/// and `forwards` as for SourceClosure.
[[nodiscard]] std::optional<UnitTestProject> unit_test_project(const std::filesystem::path& test,
                                                               std::string_view arch,
                                                               std::vector<std::filesystem::path> provided,
                                                               const std::filesystem::path& forwards);

/// The words of each `Add…TestCase(…)` of a CMake file, brackets and quotes taken off, its own variables put
/// in.
[[nodiscard]] std::vector<std::vector<std::string>> test_cases(std::string_view cmake);

}  // namespace ascendsim::toolchain
