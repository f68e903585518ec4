// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "runtime/acl/include/hccl/hccl_types.h"
#include "runtime/acl/meetings.hpp"

namespace ascendsim::program {

/// Bytes of one element; 0 for a type that does not exist.
[[nodiscard]] std::uint64_t hccl_bytes(HcclDataType type);
/// Bytes of `count` elements; of more than any memory has, more than that still, and no sum of such wraps.
[[nodiscard]] std::uint64_t hccl_extent(std::uint64_t count, HcclDataType type);
/// "fp16"; empty for a type that does not exist.
[[nodiscard]] const char* hccl_name(HcclDataType type);
[[nodiscard]] const char* hccl_name(HcclReduceOp op);

/// What one step of a reduction makes of two elements.
template <class Number>
[[nodiscard]] Number combined(HcclReduceOp op, Number a, Number b) {
    switch (op) {
        case HCCL_REDUCE_PROD:
            return static_cast<Number>(a * b);
        case HCCL_REDUCE_MAX:
            return std::max(a, b);
        case HCCL_REDUCE_MIN:
            return std::min(a, b);
        case HCCL_REDUCE_SUM:
        case HCCL_REDUCE_RESERVED:
            break;
    }
    return static_cast<Number>(a + b);
}

/// Combines the first `count` elements of all ranks into `to`, in the order of the ranks; each sum is rounded
/// to the type, as each step on the chip is.
void reduce(std::span<const ExchangePart> ranks,
            std::uint64_t count,
            HcclDataType type,
            HcclReduceOp op,
            std::byte* to);

}  // namespace ascendsim::program
