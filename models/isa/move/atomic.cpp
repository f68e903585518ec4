// SPDX-License-Identifier: Apache-2.0
#include "models/isa/move/atomic.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "models/numbers/bfloat16.hpp"
#include "models/numbers/half.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::isa {
namespace {

template <class T>
T combined(T old, T fresh, AtomicMode mode) {
    switch (mode) {
        case AtomicMode::none:
            return fresh;
        case AtomicMode::add:
            if constexpr (std::is_integral_v<T>) {  // wraps
                using Unsigned = std::make_unsigned_t<T>;
                return static_cast<T>(
                    static_cast<Unsigned>(static_cast<Unsigned>(old) + static_cast<Unsigned>(fresh)));
            } else {
                return old + fresh;
            }
        case AtomicMode::max:
            return old < fresh ? fresh : old;
        case AtomicMode::min:
            return fresh < old ? fresh : old;
    }
    return fresh;
}

template <class T>
void combine(std::byte* destination, const std::byte* source, std::size_t bytes, AtomicMode mode) {
    for (std::size_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
        T old;
        T fresh;
        std::memcpy(&old, destination + at, sizeof(T));
        std::memcpy(&fresh, source + at, sizeof(T));
        const T result = combined(old, fresh, mode);
        std::memcpy(destination + at, &result, sizeof(T));
    }
}

}  // namespace

void store(std::byte* destination, const std::byte* source, std::size_t bytes, const AtomicWrite& write) {
    if (!write.active()) {
        std::memcpy(destination, source, bytes);
        return;
    }
    switch (write.type) {
        case DataType::int8:
            return combine<std::int8_t>(destination, source, bytes, write.mode);
        case DataType::uint8:
            return combine<std::uint8_t>(destination, source, bytes, write.mode);
        case DataType::int16:
            return combine<std::int16_t>(destination, source, bytes, write.mode);
        case DataType::uint16:
            return combine<std::uint16_t>(destination, source, bytes, write.mode);
        case DataType::int32:
            return combine<std::int32_t>(destination, source, bytes, write.mode);
        case DataType::uint32:
            return combine<std::uint32_t>(destination, source, bytes, write.mode);
        case DataType::half:
            return combine<half>(destination, source, bytes, write.mode);
        case DataType::bfloat16:
            return combine<bfloat16>(destination, source, bytes, write.mode);
        case DataType::float32:
            return combine<float>(destination, source, bytes, write.mode);
        case DataType::int4:
        case DataType::int64:
        case DataType::uint64:
        case DataType::float64:
        case DataType::boolean:
            break;
    }
    throw ProgramError{"atomic writes to global memory do not take {}", name(write.type)};
}

}  // namespace ascendsim::isa
