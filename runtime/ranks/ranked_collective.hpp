// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kernels/plan/buffer.hpp"
#include "runtime/acl/meetings.hpp"
#include "runtime/session/run_request.hpp"

namespace ascendsim::runtime {

/// "HcclAllReduce": what a host program would call.
[[nodiscard]] const char* call_of(node::CollectiveKind kind);

/// Throws UserError, which names the place, where buffers of a rank do not fit a collective among `ranks`.
void check_buffers(const RankedCollective& what, const host::Plan& plan, std::size_t ranks);

/// Throws UserError where the ranks' buffers do not fit each other.
void check_alike(const RankedCollective& what, std::span<const host::Plan* const> plans);

/// The call of a rank whose buffers lie there.
[[nodiscard]] program::ExchangeCall exchange_of(const RankedCollective& what,
                                                const host::Plan& plan,
                                                std::size_t ranks,
                                                const program::ExchangePart& part,
                                                bool functional);

/// What the collective makes of the numbers that ranks are to have in the buffer it works in.
void combine(const RankedCollective& what, std::span<std::vector<double>* const> ranks);

}  // namespace ascendsim::runtime
