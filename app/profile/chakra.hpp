// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ascendsim::profile {

/// Kinds of nodes in Chakra execution traces, with their numbers there.
enum class ChakraKind : std::uint8_t {
    metadata = 1,
    memory_load = 2,
    memory_store = 3,
    compute = 4,
    send = 5,
    receive = 6,
    collective = 7,
};

/// A task of one rank. Numbers of collectives are those of Chakra's CollectiveCommType.
struct ChakraNode {
    std::uint64_t id = 0;
    std::string name;
    ChakraKind kind = ChakraKind::compute;
    std::vector<std::uint64_t> after;  // ids of nodes that it waits for
    double start_us = 0;
    double us = 0;
    bool on_host = false;
    std::uint64_t bytes = 0;       // of a copy or communication
    std::uint32_t collective = 0;  // of one
};

/// The trace of a rank as ASTRA-sim and other readers of Chakra take it (mlcommons/chakra,
/// schema/protobuf/et_def.proto): messages of a GlobalMetadata and of each Node, each behind its length.
/// Times there are whole microseconds; the exact ones stand in the attributes `start_ns` and `duration_ns`.
[[nodiscard]] std::string chakra_trace(const std::vector<ChakraNode>& nodes);

}  // namespace ascendsim::profile
