// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "models/node/collectives.hpp"
#include "models/port/exchange_port.hpp"

namespace ascendsim::runtime {

/// A rank's part of a round.
struct RoundPart {
    const isa::KernelExchange* what = nullptr;
    std::uint32_t round = 0;
};

/// Moves the data of a round of all ranks, in their order. Throws ProgramError where one sends what another
/// does not expect.
void move_round(std::span<const RoundPart> ranks);

/// "AllReduce of 1024 fp16, sum": what all ranks of a round must agree on.
[[nodiscard]] std::string agreed_words(const isa::KernelExchange& what);

/// The round as the node's collectives count it, but for its ranks.
[[nodiscard]] node::Collective collective_of(std::span<const RoundPart> ranks);

}  // namespace ascendsim::runtime
