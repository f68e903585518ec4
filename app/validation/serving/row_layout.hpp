// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ascendsim::validation {

/// A layout as text states it: "TP8", "DP2TP8", "DP4 TP8 EP", "TP8 DP2 EP32". What it leaves out is nothing.
struct StatedLayout {
    std::optional<std::uint64_t> tensor;
    std::optional<std::uint64_t> replicas;
    std::optional<std::uint64_t> pipeline;
    std::optional<std::uint64_t> expert_devices;
    bool expert_parallel = false;

    [[nodiscard]] bool states_anything() const {
        return tensor || replicas || pipeline || expert_devices || expert_parallel;
    }
};

[[nodiscard]] StatedLayout stated_layout(std::string_view text);

/// Layouts of replicas for prompts alone and of those that decode: "PD (P DP4TP8EP32, D DP8TP4EP32)".
struct StatedPair {
    StatedLayout prompts;
    StatedLayout decoding;
};

[[nodiscard]] std::optional<StatedPair> stated_pair(std::string_view text);

/// How weights and caches are held, by the word of a text: "W8A8", "w4a8c8", "W8A8C16", "BF16".
struct StatedTypes {
    enum class Products : std::uint8_t { half, w8a8, w4a8, other };

    Products products = Products::half;
    bool byte_cache = false;
    bool compressed = false;  // "w8a8sc": weights that are also sparse and packed
    bool stated = false;
};

[[nodiscard]] StatedTypes stated_types(std::string_view text);

}  // namespace ascendsim::validation
