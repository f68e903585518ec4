// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace ascendsim::testing {

/// One side of an expected finding: a pipe, and the line its label stands on (0: any).
struct ExpectedParty {
    std::string pipe;
    std::uint32_t line = 0;
};

/// `// expect: kind [earlier] later`.
struct Expected {
    std::string kind;
    std::vector<ExpectedParty> parties;
};

/// A kernel of the corpus with what its comment says about it.
struct CorpusCase {
    std::string file;  // without extension
    std::string kernel;
    std::vector<Expected> expected;  // empty: silent
    std::string cores = "aiv";
    std::uint32_t blocks = 1;
    bool sum = false;     // z = x + y comes out right
    bool missed = false;  // `// missed: why`: the checker does not name it yet
};

/// How a test's parameter is printed.
void PrintTo(const CorpusCase& one, std::ostream* out);

/// The kernels of a corpus file. Throws std::runtime_error for a tag it does not know.
[[nodiscard]] std::vector<CorpusCase> read_corpus(const std::filesystem::path& file);

}  // namespace ascendsim::testing
