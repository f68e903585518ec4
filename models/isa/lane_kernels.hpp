// SPDX-License-Identifier: Apache-2.0
// Shared by the family files of elementwise instructions; not for other headers.
#pragma once

#include <type_traits>

#include "models/isa/lane_table.hpp"
#include "models/isa/numbers/bfloat16.hpp"
#include "models/isa/numbers/half.hpp"
#include "models/isa/numbers/rounding.hpp"

namespace ascendsim::isa::lane {

/// The type arithmetic happens in: float for the 16-bit floats, with one rounding at the end.
template <class T>
using Wide = std::conditional_t<numbers::is_float16<T>, float, T>;

/// The unsigned twin of an integer, in which overflow wraps as on the chip.
template <class T>
[[nodiscard]] auto wrapping(T value) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<std::make_unsigned_t<std::common_type_t<T, int>>>(value);
    } else {
        return value;
    }
}

template <class T, class Function>
void map_one(void* dst, const void* a, const void*, ScalarBits, std::size_t n) {
    auto* out = static_cast<T*>(dst);
    const auto* in = static_cast<const T*>(a);
    for (std::size_t i = 0; i < n; ++i) {
        out[i] = static_cast<T>(Function{}(static_cast<Wide<T>>(in[i])));
    }
}

template <class T, class Function>
void map_two(void* dst, const void* a, const void* b, ScalarBits, std::size_t n) {
    auto* out = static_cast<T*>(dst);
    const auto* x = static_cast<const T*>(a);
    const auto* y = static_cast<const T*>(b);
    for (std::size_t i = 0; i < n; ++i) {
        out[i] = static_cast<T>(Function{}(static_cast<Wide<T>>(x[i]), static_cast<Wide<T>>(y[i])));
    }
}

template <class T, class Function>
void map_scalar(void* dst, const void* a, const void*, ScalarBits scalar, std::size_t n) {
    auto* out = static_cast<T*>(dst);
    const auto* in = static_cast<const T*>(a);
    const auto value = static_cast<Wide<T>>(scalar.as<T>());
    for (std::size_t i = 0; i < n; ++i) {
        out[i] = static_cast<T>(Function{}(static_cast<Wide<T>>(in[i]), value));
    }
}

/// Marks the types of a table row.
template <class... Types>
struct For {};

template <class T>
constexpr DataType data_type() {
    if constexpr (std::is_same_v<T, half>) {
        return DataType::half;
    } else if constexpr (std::is_same_v<T, bfloat16>) {
        return DataType::bfloat16;
    } else if constexpr (std::is_same_v<T, float>) {
        return DataType::float32;
    } else {
        constexpr DataType types[2][4]{
            {DataType::uint8, DataType::uint16, DataType::uint32, DataType::uint64},
            {DataType::int8, DataType::int16, DataType::int32, DataType::int64}};
        constexpr std::size_t log = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
        return types[std::is_signed_v<T> ? 1 : 0][log];
    }
}

template <class Function, class... Types>
constexpr void fill_one(LaneEntry& entry, For<Types...>) {
    ((entry.kernels[static_cast<std::size_t>(data_type<Types>())] = &map_one<Types, Function>), ...);
}

template <class Function, class... Types>
constexpr void fill_two(LaneEntry& entry, For<Types...>) {
    ((entry.kernels[static_cast<std::size_t>(data_type<Types>())] = &map_two<Types, Function>), ...);
}

template <class Function, class... Types>
constexpr void fill_scalar(LaneEntry& entry, For<Types...>) {
    ((entry.kernels[static_cast<std::size_t>(data_type<Types>())] = &map_scalar<Types, Function>), ...);
}

using Floats = For<half, float>;
using Numbers = For<half, float, std::int16_t, std::int32_t>;
using Integers = For<std::int16_t, std::uint16_t, std::int32_t, std::uint32_t>;

}  // namespace ascendsim::isa::lane
