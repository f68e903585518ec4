// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/energy.hpp"

#include <gtest/gtest.h>

namespace ascendsim::analysis {
namespace {

nlohmann::json power_of_tests() {
    const auto group = [](double cost) { return nlohmann::json{{"cost", cost}, {"spread", 0.5}}; };
    return {{"power",
             {{"idle", group(100)},
              {"cube", group(2)},
              {"vector", group(1)},
              {"scalar", group(0.1)},
              {"local", group(1)},
              {"l2", group(20)},
              {"hbm", group(30)},
              {"link", group(40)},
              {"limit_w", 200.0}}}};
}

EnergyUse use_of_tests() {
    return {.us = 10,
            .cube_cycles = 1e5,
            .vector_cycles = 1e5,
            .scalar_cycles = 1e5,
            .local_bytes = 1e6,
            .l2_bytes = 1e6,
            .hbm_bytes = 1e6,
            .link_bytes = 1e6};
}

TEST(Energy, AddsUpWhatRan) {
    const Energy energy = *energy_of(power_of_tests(), use_of_tests());
    // 100 W for 10 us, 100,000 cycles of 2, 1 and 0.1 nJ, a million bytes of 1, 20, 30 and 40 pJ.
    EXPECT_NEAR(energy.joules, 1000e-6 + 200e-6 + 100e-6 + 10e-6 + 1e-6 + 20e-6 + 30e-6 + 40e-6, 1e-12);
    EXPECT_NEAR(energy.average_w, 140.1, 1e-9);
    EXPECT_FALSE(energy.limited_us);
}

TEST(Energy, SlowsDownToThePowerLimit) {
    EnergyUse use = use_of_tests();
    use.cube_cycles = 1e6;  // 2 mJ: 100 W idle and 220.1 W of work, of which 100 W fit
    const Energy energy = *energy_of(power_of_tests(), use);
    EXPECT_NEAR(energy.average_w, 320.1, 1e-9);
    EXPECT_NEAR(*energy.limited_us, 10 * 2.201, 1e-9);
}

TEST(Energy, TakesSpreadsAsIndependent) {
    const Energy energy = *energy_of(power_of_tests(), {.us = 3, .cube_cycles = 2e5});
    EXPECT_NEAR(energy.spread, 0.5 * 500e-6, 1e-12);  // 300 uJ and 400 uJ: the root of the sum of squares
}

TEST(Energy, OfAProgramHasItsHostAndLinksToo) {
    const nlohmann::json timeline{{"total_us", 50.0},
                                  {"devices", {nlohmann::json::object(), nlohmann::json::object()}},
                                  {"energy",
                                   {{"host_joules", 3e-3},
                                    {"host_spread_joules", 1e-3},
                                    {"link_bytes", std::uint64_t{10'000'000}},
                                    {"transfer_memory_bytes", std::uint64_t{20'000'000}}}}};
    EXPECT_FALSE(program_energy_of(power_of_tests(), nlohmann::json::object(), use_of_tests()));
    const Energy energy = *program_energy_of(power_of_tests(), timeline, use_of_tests());
    EXPECT_NEAR(energy.part("idle").joules, 100 * 2 * 50e-6, 1e-12);  // two devices
    EXPECT_NEAR(energy.part("cube").joules, 200e-6, 1e-12);           // of the kernels
    EXPECT_NEAR(energy.part("link").joules, 400e-6, 1e-12);
    const double of_kernels = energy_of(power_of_tests(), use_of_tests())->part("hbm").joules;
    EXPECT_NEAR((energy.part("hbm").joules - of_kernels) / of_kernels, 2e7 / use_of_tests().hbm_bytes, 1e-9);
    EXPECT_NEAR(energy.part("host").joules, 3e-3, 1e-12);
    double sum = 0;
    for (const EnergyPart& part : energy.parts) {
        sum += part.joules;
    }
    EXPECT_NEAR(energy.joules, sum, 1e-12);
    EXPECT_NEAR(energy.average_w, (energy.joules - 3e-3) / 100e-6, 1e-6);  // of a device
    EXPECT_GT(energy.spread, 1e-3);
}

TEST(Energy, DependsOnEveryParameter) {
    const nlohmann::json power = power_of_tests();
    EnergyUse use = use_of_tests();
    use.cube_cycles = 1e6;
    const std::string before = to_json(*energy_of(power, use)).dump();
    const nlohmann::json flat = power.flatten();
    for (const auto& [path, value] : flat.items()) {
        nlohmann::json changed = power;
        changed[nlohmann::json::json_pointer{path}] = value.get<double>() * 1.1;
        EXPECT_NE(to_json(*energy_of(changed, use)).dump(), before) << path;
    }
}

TEST(Energy, IsUnknownWithoutParameters) {
    EXPECT_FALSE(energy_of(nlohmann::json::object(), use_of_tests()));
    EXPECT_FALSE(energy_of({{"power", 5}}, use_of_tests()));
    EXPECT_FALSE(energy_of(power_of_tests(), {}));
}

}  // namespace
}  // namespace ascendsim::analysis
