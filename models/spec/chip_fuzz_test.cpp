// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>

#include <gtest/gtest.h>

#include "models/spec/chip_file.hpp"
#include "sim/config/text_mutation.hpp"

namespace ascendsim {
namespace {

TEST(ChipFiles, SurviveArbitraryBytes) {
    const std::filesystem::path folder = ASCENDSIM_CHIPS;
    std::ifstream stream{folder / "910a.toml", std::ios::binary};
    const std::string valid{std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}};
    ASSERT_GT(valid.size(), 10000U);
    const std::uint64_t seed = std::random_device{}();
    std::cout << "seed " << seed << std::endl;  // flushed: a crash must not hide it
    const std::filesystem::path path =
        std::filesystem::path{testing::TempDir()} / ("ascendsim_chip_fuzz_" + std::to_string(seed) + ".toml");
    TextMutation mutate{seed};
    int rejected = 0;
    for (int i = 0; i < 2000; ++i) {
        std::ofstream{path, std::ios::binary} << mutate(valid);
        try {
            const ChipFile chip = open_chip(path.string(), folder);
            EXPECT_FALSE(describe_chip(chip).empty());
        } catch (const UserError& error) {
            ++rejected;
            EXPECT_NE(std::string_view{error.what()}.find(".toml:"), std::string_view::npos) << error.what();
        }
    }
    EXPECT_GT(rejected, 500);
    std::filesystem::remove(path);
}

}  // namespace
}  // namespace ascendsim
