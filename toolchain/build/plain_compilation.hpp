// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "toolchain/build/compile.hpp"

namespace ascendsim::toolchain {

/// What a compilation is made of, beside what is compiled: a wrapper, the words that ask for dependencies,
/// and those that say what becomes of it.
struct Task {
    const Toolchain& with;
    std::filesystem::path wrapper;
    std::vector<std::string> notes;
    std::vector<std::string> outcome;
};

/// Compiles the wrapper without headers parsed before; then, where its messages may come from that, in the
/// host's spelling, and with __gm__ as a qualifier. Throws UserError with the messages of the first way if
/// none compiles.
void compile_plainly(const Compilation& what, const Task& task);

}  // namespace ascendsim::toolchain
