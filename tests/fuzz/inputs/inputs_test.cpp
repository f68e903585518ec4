// SPDX-License-Identifier: Apache-2.0
// A few of the cases that fuzz_inputs reads by the million.
#include "tests/fuzz/inputs/inputs.hpp"

#include <gtest/gtest.h>

namespace fuzz {
namespace {

class InputFuzz : public testing::TestWithParam<std::size_t> {};

TEST_P(InputFuzz, NoFileIsReadButWithAResultOrASentence) {
    const InputKind& kind = input_kinds()[GetParam()];
    for (const std::string& seed : kind.seeds()) {
        ASSERT_EQ(wrong_with(kind, seed), "");
    }
    constexpr std::uint64_t cases = 300;
    for (std::uint64_t number = 0; number < cases; ++number) {
        SCOPED_TRACE("fuzz_inputs 1 " + std::to_string(number) + " " + std::string{kind.name});
        ASSERT_EQ(wrong_with(kind, input_case(kind, number)), "");
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds,
                         InputFuzz,
                         testing::Range<std::size_t>(0, input_kinds().size()),
                         [](const testing::TestParamInfo<std::size_t>& kind) {
                             return std::string{input_kinds()[kind.param].name};
                         });

}  // namespace
}  // namespace fuzz
