// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/chip_numbers.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ascendsim::analysis {
namespace {

std::string name_in(const char* metadata) {
    return ChipNumbers{nlohmann::json::parse(metadata)}.name();
}

TEST(ChipNumbers, ANameThatIsNoneIsLeftOut) {
    EXPECT_EQ(name_in(R"({"chip": "910b3"})"), "910b3");
    EXPECT_EQ(name_in(R"({"chip": {"name": "910b3"}})"), "910b3");
    EXPECT_EQ(name_in(R"({"chip": {"name": ["910b3"]}})"), "");
    EXPECT_EQ(name_in(R"({"chip": [1]})"), "");
    EXPECT_EQ(name_in("{}"), "");
}

}  // namespace
}  // namespace ascendsim::analysis
