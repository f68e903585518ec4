// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/acl/collectives/hccl_data.hpp"
#include "runtime/acl/meetings.hpp"

namespace ascendsim::program {

// What collectives make of the data of all ranks: of host programs, of scenarios, and of kernels. Where a
// buffer has a part for each rank, the parts lie `pitch` bytes apart.

/// A piece of `bytes` for each of `ranks` ranks.
[[nodiscard]] std::vector<ExchangePiece> equal_pieces(std::size_t ranks,
                                                      std::uint64_t bytes,
                                                      std::uint64_t pitch);
/// The pieces of a gather: each rank gives all the same, and gets a part from each.
void set_gather_pieces(ExchangePart& part, std::size_t ranks, std::uint64_t bytes, std::uint64_t pitch);
/// Those of an exchange of equal parts.
void set_exchange_pieces(ExchangePart& part, std::size_t ranks, std::uint64_t bytes, std::uint64_t pitch);

/// Each rank gets its piece of what each has for it. Throws ProgramError, with the call's name, where one
/// gives another what that does not expect.
void exchange_pieces(std::span<const ExchangePart> ranks, std::string_view call);
/// All get what `count` elements of all come to.
void reduce_to_all(std::span<const ExchangePart> ranks,
                   std::uint64_t count,
                   HcclDataType type,
                   HcclReduceOp op);
/// One gets that.
void reduce_to_one(std::span<const ExchangePart> ranks,
                   std::uint32_t root,
                   std::uint64_t count,
                   HcclDataType type,
                   HcclReduceOp op);
/// Each gets what `count` elements of its part come to.
void reduce_to_each(std::span<const ExchangePart> ranks,
                    std::uint64_t pitch,
                    std::uint64_t count,
                    HcclDataType type,
                    HcclReduceOp op);
/// Each gets what its pieces of all come to; ranks agree on how long these are.
void reduce_pieces(std::span<const ExchangePart> ranks, HcclDataType type, HcclReduceOp op);
/// Each gets its part of what the root has.
void give_each(std::span<const ExchangePart> ranks, std::uint32_t root);
/// All that get something get what the root has.
void give_all(std::span<const ExchangePart> ranks, std::uint32_t root);

}  // namespace ascendsim::program
