// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/node/fabric.hpp"
#include "models/node/node_spec.hpp"

namespace ascendsim::node {

/// A path of a transport between two devices and who issues its blocks.
struct BlockPath {
    const PathSpec* path = nullptr;
    const IssuerSpec* issuer = nullptr;
    bool roce = false;
    bool far = false;         // between two servers
    bool local_host = false;  // the local end is the host's memory
    bool host = false;        // one of the ends is
};

/// A long transfer, cut into blocks of one size, in order.
struct BlockStream {
    BlockPath path;
    std::uint64_t block_bytes = 0;
    std::uint64_t total_bytes = 0;
};

/// Time of a stream of blocks: the issuer hands over one after the other, at most its window of them is under
/// way, and their bytes cross the path in order. Throws UserError for a path that the node does not have.
[[nodiscard]] double stream_us(const NodeSpec& node, const BlockStream& stream);

enum class Direction : std::uint8_t { to_device, to_host };

/// A copy between a host and its device, as a task for the device's copy engine of that direction.
[[nodiscard]] Task host_copy(
    Fabric& fabric, std::uint32_t device, Direction direction, std::uint64_t bytes, bool pinned);

/// Time of one such copy with nothing beside it.
[[nodiscard]] double host_copy_us(const NodeSpec& node,
                                  Direction direction,
                                  std::uint64_t bytes,
                                  bool pinned);

/// GB/s of one large transfer between two devices, or of both directions together.
[[nodiscard]] double device_copy_gb_per_s(const NodeSpec& node, std::uint64_t bytes, bool both_ways);

}  // namespace ascendsim::node
