// SPDX-License-Identifier: Apache-2.0
// fuzz_inputs [CASES [FIRST [KIND]]]: reads damaged files of each kind, 100,000 of each unless told. What
// crashes or takes longer than ten seconds ends the program; the case, which KIND and FIRST name, is then on
// the last line. Exit code 1 if a case ends with anything but a UserError.
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>

#include "tests/fuzz/inputs/inputs.hpp"

int main(int argc, char** argv) {
    const std::uint64_t cases = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
    const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
    const std::string_view wanted = argc > 3 ? argv[3] : "";
    int wrong = 0;
    for (const fuzz::InputKind& kind : fuzz::input_kinds()) {
        if (!wanted.empty() && kind.name != wanted) {
            continue;
        }
        for (std::uint64_t number = first; number < first + cases; ++number) {
            constexpr unsigned longest_s = 10;
            alarm(longest_s);
            fmt::print("\r{} {}", kind.name, number);
            std::fflush(stdout);
            const std::string sentence = fuzz::wrong_with(kind, fuzz::input_case(kind, number));
            if (!sentence.empty()) {
                fmt::print(": {}\n", sentence);
                ++wrong;
            }
        }
        alarm(0);
        fmt::print("\r{}: {} cases\n", kind.name, cases);
    }
    fmt::print("{} cases ended with a defect of ours\n", wrong);
    return wrong == 0 ? 0 : 1;
}
