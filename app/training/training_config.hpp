// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/networks/fuse_network.hpp"
#include "models/node/host_calls.hpp"
#include "models/node/node_spec.hpp"
#include "models/spec/chip_file.hpp"
#include "networks/run/network_plan.hpp"
#include "networks/training/training.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::training {

/// How samples come to the devices; times are of the host that feeds them.
struct TrainingInput {
    std::uint32_t workers = 0;     // of the host, for all devices; 0: inputs are there
    double sample_us = 0;          // of a worker: reading, decoding, augmenting
    double sample_spread = 0;      // evenly from (1 - spread) to (1 + spread) times as long
    double sample_kb = 0;          // copied to the device; kB are of 1000 bytes
    std::uint32_t queue = 2;       // batches that are prepared ahead
    std::vector<double> slowness;  // of devices, by number: 1.3 takes 1.3 times as long; others 1
    std::uint64_t seed = 1;

    [[nodiscard]] double slowness_of(std::uint32_t device) const {
        return device < slowness.size() ? slowness[device] : 1;
    }
};

/// A change of the file's values that builds on those before it.
struct TrainingRung {
    std::string name;
    std::vector<std::string> settings;  // "training.zero=1"
};

/// How devices share a layer.
enum class LayerCut : std::uint8_t {
    strips,  // of its products' weights
    slabs    // of images or volumes, along their first axis
};

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
    bool inference = false;    // forward alone
    std::uint32_t tensor = 1;  // devices that share a layer
    LayerCut cut = LayerCut::strips;
    std::uint32_t experts = 1;       // copies that each hold other experts
    std::uint32_t pipeline = 1;      // stages
    std::uint32_t interleave = 1;    // chunks of layers of a stage
    std::uint32_t accumulation = 1;  // passes before one update
    std::uint32_t zero = 0;          // stage 0 to 3
    bool recompute = false;
    bool overlap = true;  // of communication with the backward pass
    std::uint64_t bucket_bytes = 0;
    std::vector<std::uint32_t> scaling;  // numbers of devices
    std::uint32_t tokens = 0;            // of a sample, for rates; 0: none are counted
    report::Fusing fusing = report::Fusing::none;
    TrainingInput input;
    std::vector<TrainingRung> ladder;

    /// Copies of the network that share the samples.
    [[nodiscard]] std::uint32_t copies() const { return devices / (pipeline * tensor); }
};

/// Reads a file of scenarios/training; `settings` replace its values, as in "training.batch=4". Throws
/// UserError with file, line and key for what is wrong: unknown names, layouts that do not divide, more
/// devices than the node has.
[[nodiscard]] TrainingConfig read_training(const std::filesystem::path& file,
                                           const toolchain::Installation& installation,
                                           const std::vector<std::string>& settings = {});

/// The same layout on another number of devices. Throws UserError if it does not fit.
[[nodiscard]] TrainingConfig on_devices(TrainingConfig config, std::uint32_t devices);

}  // namespace ascendsim::training
