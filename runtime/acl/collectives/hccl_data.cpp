// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/collectives/hccl_data.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "models/numbers/bfloat16.hpp"
#include "models/numbers/half.hpp"
#include "models/port/exchange_port.hpp"

namespace ascendsim::program {
namespace {

/// An element as it lies in memory, and the number that it is reckoned with.
template <class T>
struct Plain {
    using Stored = T;
    using Number = T;

    static Number load(Stored value) { return value; }

    static Stored store(Number value) { return value; }
};

template <class Format>
struct Short {
    using Stored = std::uint16_t;
    using Number = float;

    static Number load(Stored value) { return Format::to_float(value); }

    static Stored store(Number value) { return Format::from_float(value); }
};

template <class Element>
void reduce_as(std::span<const ExchangePart> ranks, std::uint64_t count, HcclReduceOp op, std::byte* to) {
    using Stored = typename Element::Stored;
    std::vector<Stored> sum(count);
    std::vector<Stored> next(count);
    const std::uint64_t bytes = count * sizeof(Stored);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        std::memcpy(next.data(), ranks[rank].from, bytes);
        for (std::uint64_t i = 0; i < count && rank > 0; ++i) {
            next[i] = Element::store(combined(op, Element::load(sum[i]), Element::load(next[i])));
        }
        sum.swap(next);
    }
    std::memcpy(to, sum.data(), bytes);
}

}  // namespace

std::uint64_t hccl_bytes(HcclDataType type) {
    return isa::exchange_type_bytes(static_cast<std::uint32_t>(type));
}

std::uint64_t hccl_extent(std::uint64_t count, HcclDataType type) {
    constexpr std::uint64_t most = std::uint64_t{1} << 48U;
    return std::min(count, most) * hccl_bytes(type);
}

const char* hccl_name(HcclDataType type) {
    constexpr const char* names[]{"int8",
                                  "int16",
                                  "int32",
                                  "fp16",
                                  "fp32",
                                  "int64",
                                  "uint64",
                                  "uint8",
                                  "uint16",
                                  "uint32",
                                  "fp64",
                                  "bfp16"};
    return hccl_bytes(type) == 0 ? "" : names[type];
}

const char* hccl_name(HcclReduceOp op) {
    switch (op) {
        case HCCL_REDUCE_SUM:
            return "sum";
        case HCCL_REDUCE_PROD:
            return "prod";
        case HCCL_REDUCE_MAX:
            return "max";
        case HCCL_REDUCE_MIN:
            return "min";
        case HCCL_REDUCE_RESERVED:
            break;
    }
    return "";
}

void reduce(std::span<const ExchangePart> ranks,
            std::uint64_t count,
            HcclDataType type,
            HcclReduceOp op,
            std::byte* to) {
    switch (type) {
        case HCCL_DATA_TYPE_INT8:
            return reduce_as<Plain<std::int8_t>>(ranks, count, op, to);
        case HCCL_DATA_TYPE_UINT8:
            return reduce_as<Plain<std::uint8_t>>(ranks, count, op, to);
        case HCCL_DATA_TYPE_INT16:
            return reduce_as<Plain<std::int16_t>>(ranks, count, op, to);
        case HCCL_DATA_TYPE_UINT16:
            return reduce_as<Plain<std::uint16_t>>(ranks, count, op, to);
        case HCCL_DATA_TYPE_INT32:
            return reduce_as<Plain<std::int32_t>>(ranks, count, op, to);
        case HCCL_DATA_TYPE_UINT32:
            return reduce_as<Plain<std::uint32_t>>(ranks, count, op, to);
        case HCCL_DATA_TYPE_INT64:
            return reduce_as<Plain<std::int64_t>>(ranks, count, op, to);
        case HCCL_DATA_TYPE_UINT64:
            return reduce_as<Plain<std::uint64_t>>(ranks, count, op, to);
        case HCCL_DATA_TYPE_FP32:
            return reduce_as<Plain<float>>(ranks, count, op, to);
        case HCCL_DATA_TYPE_FP64:
            return reduce_as<Plain<double>>(ranks, count, op, to);
        case HCCL_DATA_TYPE_FP16:
            return reduce_as<Short<numbers::HalfFormat>>(ranks, count, op, to);
        case HCCL_DATA_TYPE_BFP16:
            return reduce_as<Short<numbers::Bfloat16Format>>(ranks, count, op, to);
        case HCCL_DATA_TYPE_RESERVED:
            break;
    }
}

}  // namespace ascendsim::program
