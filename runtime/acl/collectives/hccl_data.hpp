// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "runtime/acl/include/hccl/hccl_types.h"
#include "runtime/acl/meetings.hpp"

namespace ascendsim::program {

/// Bytes of one element; 0 for a type that does not exist.
[[nodiscard]] std::uint64_t hccl_bytes(HcclDataType type);
/// "fp16"; empty for a type that does not exist.
[[nodiscard]] const char* hccl_name(HcclDataType type);
[[nodiscard]] const char* hccl_name(HcclReduceOp op);

/// Combines `count` elements of all ranks from their element `first` on into `to`, in the order of the ranks;
/// each sum is rounded to the type, as each step on the chip is.
void reduce(std::span<const ExchangePart> ranks,
            std::uint64_t first,
            std::uint64_t count,
            HcclDataType type,
            HcclReduceOp op,
            std::byte* to);

}  // namespace ascendsim::program
