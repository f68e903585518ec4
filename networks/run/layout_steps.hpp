// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "networks/run/network_plan.hpp"

namespace ascendsim::networks {

/// A tensor in blocks of channels, of the type of another.
[[nodiscard]] Tensor blocked(const Tensor& like, const ChannelBlocks& blocks);

/// A node that puts `from` into blocks: channels are filled up with zeros, and come behind the positions.
[[nodiscard]] PlannedNode to_blocks(const std::string& from, const Tensor& tensor, const ChannelBlocks& of);

/// A node that makes `to` of blocks.
[[nodiscard]] PlannedNode from_blocks(const std::string& to, const Tensor& tensor, const ChannelBlocks& of);

/// True if a kernel converts it: what lies in another order beside is moved by the first or last of its
/// steps.
[[nodiscard]] bool convertible(const ChannelBlocks& blocks);

}  // namespace ascendsim::networks
