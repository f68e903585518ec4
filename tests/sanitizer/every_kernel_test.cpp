// SPDX-License-Identifier: Apache-2.0
// Every kernel of the installation on chips of either kind of cores: whatever a kernel takes, it computes
// without anything for the checker to report. Sizes stand beside a kernel, in its sizes.toml.
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/testing/kernel_run.hpp"
#include "sim/base/error.hpp"
#include "sim/config/table_reader.hpp"
#include "sim/config/toml_file.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::testing {
namespace {

/// Sizes of a kernel that take milliseconds, from the file beside it: one that older chips take where there
/// is one, and a ragged one.
std::vector<Settings> small_sizes(const std::string& kernel) {
    const std::filesystem::path source = toolchain::Installation::find().kernel_source(kernel);
    TableReader root = TomlFile::open(source.parent_path() / "sizes.toml").reader();
    std::vector<Settings> sizes;
    for (const Node& size : root.require("size").items()) {
        Settings& settings = sizes.emplace_back();
        for (const Node& knob : size.members()) {
            settings.emplace_back(knob.key(), knob.as<std::string>());
        }
    }
    root.finish();
    return sizes;
}

std::string text_of(const Settings& settings) {
    std::string text;
    for (const auto& [name, value] : settings) {
        text += fmt::format(" {}={}", name, value);
    }
    return text;
}

/// True if the chip can run the kernel at all: a refusal is the host side's, in a sentence.
bool accepted(const std::string& kernel, const Settings& settings, const std::string& chip) {
    try {
        static_cast<void>(plan_kernel(kernel, settings, chip));
        return true;
    } catch (const UserError& refusal) {
        EXPECT_FALSE(std::string{refusal.what()}.empty());
        return false;
    }
}

class EveryKernel : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryKernel, GivesTheCheckerNothingToReport) {
    std::size_t ran = 0;
    for (const Settings& settings : small_sizes(GetParam())) {
        // Kernels for 910A and 310 are compiled when first used, which takes seconds each.
        for (const char* chip : {"910b1", "910b4", "310p3"}) {
            if (!accepted(GetParam(), settings, chip)) {
                continue;
            }
            const std::uint64_t clean = in_child([&] {
                const KernelRun run = run_kernel(GetParam(), settings, {.chip = chip});
                fmt::print(stderr, "{}", run.clean() ? std::string{} : run.report());
                return std::uint64_t{run.hazards.empty() && (run.comparisons.empty() || run.passed())};
            });
            EXPECT_EQ(clean, 1U) << GetParam() << text_of(settings) << " on " << chip;
            ++ran;
        }
    }
    EXPECT_GE(ran, 2U) << "no more chips take " << GetParam();  // at least the chips of split cores
}

INSTANTIATE_TEST_SUITE_P(Kernels,
                         EveryKernel,
                         ::testing::ValuesIn(toolchain::Installation::find().kernels()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace ascendsim::testing
