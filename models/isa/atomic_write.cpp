// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "models/isa/copy_gm_ub.hpp"
#include "models/isa/data_type.hpp"
#include "models/isa/numbers/bfloat16.hpp"
#include "models/isa/numbers/half.hpp"

namespace ascendsim::isa {
namespace {

template <class T>
T combine(AtomicMode mode, T old, T value) {
    switch (mode) {
        case AtomicMode::none:
            return value;
        case AtomicMode::add:
            if constexpr (std::is_integral_v<T>) {
                return static_cast<T>(static_cast<std::uint64_t>(old) + static_cast<std::uint64_t>(value));
            } else {
                return static_cast<T>(old + value);
            }
        case AtomicMode::max:
            return value > old ? value : old;
        case AtomicMode::min:
            return value < old ? value : old;
    }
    return value;
}

template <class T>
void apply(AtomicMode mode, std::byte* dst, const std::byte* src, std::size_t bytes) {
    for (std::size_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
        T old;
        T value;
        std::memcpy(static_cast<void*>(&old), dst + i, sizeof(T));
        std::memcpy(static_cast<void*>(&value), src + i, sizeof(T));
        value = combine(mode, old, value);
        std::memcpy(dst + i, static_cast<const void*>(&value), sizeof(T));
    }
}

}  // namespace

void apply_atomic(
    AtomicMode mode, std::uint8_t type, std::byte* dst, const std::byte* src, std::size_t bytes) {
    switch (static_cast<DataType>(type)) {
        case DataType::int4:
        case DataType::boolean:
        case DataType::uint8:
            return apply<std::uint8_t>(mode, dst, src, bytes);
        case DataType::int8:
            return apply<std::int8_t>(mode, dst, src, bytes);
        case DataType::int16:
            return apply<std::int16_t>(mode, dst, src, bytes);
        case DataType::uint16:
            return apply<std::uint16_t>(mode, dst, src, bytes);
        case DataType::int32:
            return apply<std::int32_t>(mode, dst, src, bytes);
        case DataType::uint32:
            return apply<std::uint32_t>(mode, dst, src, bytes);
        case DataType::int64:
            return apply<std::int64_t>(mode, dst, src, bytes);
        case DataType::uint64:
            return apply<std::uint64_t>(mode, dst, src, bytes);
        case DataType::half:
            return apply<half>(mode, dst, src, bytes);
        case DataType::bfloat16:
            return apply<bfloat16>(mode, dst, src, bytes);
        case DataType::float32:
            return apply<float>(mode, dst, src, bytes);
        case DataType::float64:
            return apply<double>(mode, dst, src, bytes);
    }
}

}  // namespace ascendsim::isa
