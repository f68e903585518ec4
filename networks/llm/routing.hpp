// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace ascendsim::networks::llm {

/// How tokens choose their experts.
enum class Routing : std::uint8_t {
    trained,  // each token draws its experts, of which some are more popular, as with trained routers
    drawn,    // each token draws its experts, all equally likely: some experts get more than others
    even,     // dealt out, as a benchmark that forces it does: all have as many
};

/// A layer's tokens on their way to the experts of devices.
struct Dealing {
    std::uint64_t tokens = 0;
    std::uint32_t experts = 0;  // of the layer
    std::uint32_t chosen = 0;   // by each token
    std::uint32_t devices = 1;  // that share them, as many each
    Routing routing = Routing::trained;
    std::optional<std::uint64_t> layer = {};  // its usual layer, where it is known already
};

/// The draw of a layer with trained routers that stands for all: its busiest device has what the busiest
/// devices of many draws have on average; where one device has all experts, as many of these have rows.
[[nodiscard]] std::uint64_t usual_layer(Dealing dealing);

/// What the device with most rows has: rows of each of its experts that has some, most first. Drawn several
/// times from a fixed seed; of these, the draw whose busiest device is in the middle, or, of trained routers,
/// the usual layer. At least one row. The first tokens choose the same whatever comes behind them, so that
/// more tokens never make rows fewer, but for roundings and for changes of how many are drawn.
[[nodiscard]] std::vector<std::uint64_t> busiest_device(const Dealing& dealing);

/// Its rows, by those that a device has on average.
[[nodiscard]] double busiest_share(const Dealing& dealing);

}  // namespace ascendsim::networks::llm
