// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "models/node/host_calls.hpp"
#include "models/node/node_spec.hpp"
#include "models/spec/chip_file.hpp"
#include "networks/run/network_plan.hpp"
#include "networks/training/training.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::training {

/// What is trained on what, and how it is spread.
struct TrainingConfig {
    std::string title;
    std::filesystem::path network;
    std::vector<std::string> inputs;  // as --input takes them
    std::uint64_t batch = 1;          // of one device in one pass
    std::uint32_t layers = 1;         // the network stands for one of so many equal ones, in a row
    networks::Precision precision = networks::Precision::half;
    networks::TrainingOptions options;
    ChipFile chip;
    node::NodeSpec node;
    node::HostSpec host;
    node::IssueMode mode = node::IssueMode::graph;
    std::uint32_t devices = 1;
    std::uint32_t pipeline = 1;      // stages
    std::uint32_t accumulation = 1;  // passes before one update
    std::uint32_t zero = 0;          // stage 0 to 3
    bool recompute = false;
    bool overlap = true;  // of communication with the backward pass
    std::uint64_t bucket_bytes = 0;
    std::vector<std::uint32_t> scaling;  // numbers of devices

    /// Copies of the network that share the samples.
    [[nodiscard]] std::uint32_t copies() const { return devices / pipeline; }
};

/// Reads a file of scenarios/training. Throws UserError with file, line and key for what is wrong: unknown
/// names, layouts that do not divide, more devices than the node has.
[[nodiscard]] TrainingConfig read_training(const std::filesystem::path& file,
                                           const toolchain::Installation& installation);

/// The same layout on another number of devices. Throws UserError if it does not fit.
[[nodiscard]] TrainingConfig on_devices(TrainingConfig config, std::uint32_t devices);

}  // namespace ascendsim::training
