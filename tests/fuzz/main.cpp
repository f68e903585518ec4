// SPDX-License-Identifier: Apache-2.0
// fuzz_vector [PROGRAMS [SEED]]: random programs against the interpreter; 100,000 unless told. Exit code 1
// after a difference.
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/campaign.hpp"

int main(int argc, char** argv) {
    const std::uint64_t programs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
    const auto seed = static_cast<std::uint32_t>(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
    const fuzz::Outcome outcome = fuzz::run_campaign(programs, seed);
    for (const std::string& difference : outcome.differences) {
        std::printf("%s\n", difference.c_str());
    }
    std::printf(
        "%llu programs, %llu instructions, %llu of them left open by the documentation, %zu differences\n",
        static_cast<unsigned long long>(outcome.programs),
        static_cast<unsigned long long>(outcome.instructions),
        static_cast<unsigned long long>(outcome.unchecked),
        outcome.differences.size());
    return outcome.differences.empty() ? 0 : 1;
}
