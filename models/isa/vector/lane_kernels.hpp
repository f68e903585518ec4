// SPDX-License-Identifier: Apache-2.0
// Shared by the family files of elementwise instructions; not for other headers.
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>

#include "models/isa/vector/lane_table.hpp"
#include "models/numbers/bfloat16.hpp"
#include "models/numbers/convert.hpp"
#include "models/numbers/half.hpp"
#include "models/numbers/rounding.hpp"

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

/// Lanes converted at once: small enough to stay in the host's first cache.
inline constexpr std::size_t chunk = 256;

/// A piece of an operand in the type arithmetic happens in: itself, or converted to float.
template <class T>
class WideChunk {
public:
    [[nodiscard]] const Wide<T>* load(const T* from, std::size_t n) {
        if constexpr (numbers::is_float16<T>) {
            convert(std::span<const T>{from, n}, std::span<float>{wide_, n});
            return wide_;
        } else {
            return from;
        }
    }

    [[nodiscard]] Wide<T>* target(T* to) {
        if constexpr (numbers::is_float16<T>) {
            return wide_;
        } else {
            return to;
        }
    }

    void store(T* to, std::size_t n) {
        if constexpr (numbers::is_float16<T>) {
            convert(std::span<const float>{wide_, n}, std::span<T>{to, n});
        }
    }

private:
    std::conditional_t<numbers::is_float16<T>, float, char> wide_[numbers::is_float16<T> ? chunk : 1];
};

/// Calls `compute(dst, begin, n)` for pieces of `n` lanes; `dst` is where it puts results of the wide type.
template <class T, class Compute>
void in_chunks(void* dst, std::size_t n, Compute compute) {
    auto* out = static_cast<T*>(dst);
    constexpr std::size_t piece = numbers::is_float16<T> ? chunk : ~std::size_t{0};
    WideChunk<T> results;
    for (std::size_t begin = 0; begin < n; begin += std::min(piece, n - begin)) {
        const std::size_t count = std::min(piece, n - begin);
        compute(results.target(out + begin), begin, count);
        results.store(out + begin, count);
    }
}

template <class T, class Function>
void map_one(void* dst, const void* a, const void*, ScalarBits, std::size_t n) {
    WideChunk<T> source;
    in_chunks<T>(dst, n, [&](Wide<T>* out, std::size_t begin, std::size_t count) {
        const Wide<T>* in = source.load(static_cast<const T*>(a) + begin, count);
        for (std::size_t i = 0; i < count; ++i) {
            out[i] = static_cast<Wide<T>>(Function{}(in[i]));
        }
    });
}

template <class T, class Function>
void map_two(void* dst, const void* a, const void* b, ScalarBits, std::size_t n) {
    WideChunk<T> left;
    WideChunk<T> right;
    in_chunks<T>(dst, n, [&](Wide<T>* out, std::size_t begin, std::size_t count) {
        const Wide<T>* x = left.load(static_cast<const T*>(a) + begin, count);
        const Wide<T>* y = right.load(static_cast<const T*>(b) + begin, count);
        for (std::size_t i = 0; i < count; ++i) {
            out[i] = static_cast<Wide<T>>(Function{}(x[i], y[i]));
        }
    });
}

template <class T, class Function>
void map_scalar(void* dst, const void* a, const void*, ScalarBits scalar, std::size_t n) {
    WideChunk<T> source;
    const auto value = static_cast<Wide<T>>(scalar.as<T>());
    in_chunks<T>(dst, n, [&](Wide<T>* out, std::size_t begin, std::size_t count) {
        const Wide<T>* in = source.load(static_cast<const T*>(a) + begin, count);
        for (std::size_t i = 0; i < count; ++i) {
            out[i] = static_cast<Wide<T>>(Function{}(in[i], value));
        }
    });
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
