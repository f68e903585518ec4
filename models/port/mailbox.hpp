// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "models/port/core_port.hpp"

namespace ascendsim::isa {

/// Messages between a cube core and the vector cores of its group, as the high-level Matmul sends them: the
/// sender stores a message in global memory and the receiver polls it. Here the bytes are stored and loaded
/// like any other, and a flag with one sender and one receiver stands for the polling, so that the receiver's
/// time follows from the sender's.
///
/// Channels number what is told; those below first_answer belong to the framework.
enum MessageChannel : std::uint32_t {
    message_request,
    message_taken,
    message_goodbye,
    messages_cleared,
    first_answer
};

inline constexpr std::uint32_t message_channels = 16;
inline constexpr std::uint32_t message_box_bytes = 16384;

/// The flag of channel `channel` between the cube core and vector core `sub` of the block that `core` runs.
[[nodiscard]] std::uint32_t message_id(const CoreIdentity& core, std::uint32_t sub, std::uint32_t channel);

/// The place in global memory for the messages of vector core `sub` of this core's group, message_box_bytes
/// long.
[[nodiscard]] std::byte* message_box(std::uint32_t sub);

/// Memory of `bytes` that the framework takes for itself in global memory, named `name`; again the same for
/// the same name as long as it is large enough.
[[nodiscard]] std::byte* framework_memory(const char* name, std::uint32_t core, std::uint64_t bytes);

/// On a vector core: tells its cube core that a message lies in the box, once MTE3 has copied it there.
void post_message(Site site);
/// On a vector core: suspends until the cube core has answered on `channel` once more; `pipe` waits for it.
void await_answer(Pipe pipe, std::uint32_t channel, Site site);

/// On a cube core: suspends until a vector core of the group has posted, and says which; empty once all have
/// ended. `gone` keeps those that have, one bit each.
[[nodiscard]] std::optional<std::uint32_t> receive_message(std::uint32_t& gone, Site site);
/// On a cube core: answers vector core `sub` once `pipe` has completed its earlier work.
void answer_message(Pipe pipe, std::uint32_t sub, std::uint32_t channel, Site site);

}  // namespace ascendsim::isa
