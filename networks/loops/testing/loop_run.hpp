// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "kernels/testing/kernel_run.hpp"
#include "models/spec/chip_file.hpp"
#include "networks/loops/loops.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::testing {

/// Generates a loop's kernel and runs it on the machine. Once per process (SystemC).
[[nodiscard]] inline KernelRun run_loop(const networks::loops::Loop& loop,
                                        const KernelRunOptions& options = {}) {
    const toolchain::Installation installation = toolchain::Installation::find();
    const networks::loops::Kernel kernel =
        networks::loops::generate(loop, load_chip(options.chip, installation.chips()));
    // Tests run side by side: each has a folder of its own.
    const ::testing::TestInfo* test = ::testing::UnitTest::GetInstance()->current_test_info();
    const std::filesystem::path folder =
        std::filesystem::path{::testing::TempDir()} / "loops" / (test == nullptr ? "none" : test->name());
    std::filesystem::create_directories(folder);
    const std::filesystem::path source = folder / (kernel.entry + ".cpp");
    std::ofstream{source} << kernel.source;
    std::ofstream{folder / (kernel.entry + ".toml")} << kernel.scenario;
    return run_source(source, kernel.plan, options);
}

/// A loop under construction: values by the numbers that steps name them by.
class LoopBuilder {
public:
    std::size_t input(host::Shape shape, isa::DataType type = isa::DataType::float32) {
        loop_.inputs.push_back({type, std::move(shape)});
        return loop_.inputs.size() - 1;
    }

    /// Inputs come before the first step.
    std::size_t step(networks::loops::Op op,
                     std::vector<std::size_t> inputs,
                     host::Shape shape,
                     isa::DataType type = isa::DataType::float32,
                     std::vector<double> constants = {},
                     std::vector<std::size_t> axes = {}) {
        loop_.steps.push_back({.op = op,
                               .inputs = std::move(inputs),
                               .result = {type, std::move(shape)},
                               .axes = std::move(axes),
                               .constants = std::move(constants),
                               .label = {}});
        return loop_.inputs.size() + loop_.steps.size() - 1;
    }

    networks::loops::Loop outputs(std::vector<std::size_t> values) {
        loop_.outputs = std::move(values);
        return loop_;
    }

private:
    networks::loops::Loop loop_;
};

}  // namespace ascendsim::testing
