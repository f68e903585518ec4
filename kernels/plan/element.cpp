// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/element.hpp"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace ascendsim::host {
namespace {

using isa::DataType;

template <class T>
T load(std::span<const std::byte> bytes, std::uint64_t i) {
    T value{};
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    return value;
}

template <class T>
void store(std::span<std::byte> bytes, std::uint64_t i, T value) {
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
}

template <class T>
T saturate(double value) {
    if (std::isnan(value)) {
        return 0;
    }
    const double rounded = std::nearbyint(value);
    // 2^63 and 2^64 are doubles, the largest integers below them are not.
    if (rounded >= static_cast<double>(std::numeric_limits<T>::max())) {
        return std::numeric_limits<T>::max();
    }
    if (rounded <= static_cast<double>(std::numeric_limits<T>::min())) {
        return std::numeric_limits<T>::min();
    }
    return static_cast<T>(rounded);
}

float bfloat16_to_float(std::uint16_t bits) {
    return std::bit_cast<float>(std::uint32_t{bits} << 16U);
}

/// The bits of a float ordered like its value, so that neighbours differ by one.
template <class Signed>
std::int64_t ordered(Signed bits) {
    return bits < 0 ? static_cast<std::int64_t>(std::numeric_limits<Signed>::min()) - bits : bits;
}

std::int64_t ordered_bits(DataType type, double value) {
    switch (type) {
        case DataType::half:
            return ordered(static_cast<std::int16_t>(float_to_half(static_cast<float>(value))));
        case DataType::bfloat16:
            return ordered(static_cast<std::int16_t>(float_to_bfloat16(static_cast<float>(value))));
        case DataType::float32:
            return ordered(std::bit_cast<std::int32_t>(static_cast<float>(value)));
        case DataType::float64:
            return ordered(std::bit_cast<std::int64_t>(value));
        case DataType::int4:
        case DataType::int8:
        case DataType::uint8:
        case DataType::int16:
        case DataType::uint16:
        case DataType::int32:
        case DataType::uint32:
        case DataType::int64:
        case DataType::uint64:
        case DataType::boolean:
            break;
    }
    return saturate<std::int64_t>(value);
}

double read_int4(std::span<const std::byte> bytes, std::uint64_t i) {
    const auto nibble = (std::to_integer<unsigned>(bytes[i / 2]) >> (i % 2 == 0 ? 0U : 4U)) & 0xFU;
    return nibble < 8 ? nibble : static_cast<double>(nibble) - 16;
}

void write_int4(std::span<std::byte> bytes, std::uint64_t i, double value) {
    const double clamped = std::isnan(value) ? 0 : std::min(7.0, std::max(-8.0, std::nearbyint(value)));
    const auto nibble = static_cast<std::uint8_t>(static_cast<int>(clamped) & 0xF);
    const auto old = std::to_integer<std::uint8_t>(bytes[i / 2]);
    bytes[i / 2] = static_cast<std::byte>(i % 2 == 0 ? (old & 0xF0U) | nibble
                                                     : (old & 0x0FU) | static_cast<unsigned>(nibble << 4));
}

}  // namespace

float half_to_float(std::uint16_t bits) {
    const std::uint32_t sign = (std::uint32_t{bits} & 0x8000U) << 16U;
    const std::uint32_t magnitude = bits & 0x7FFFU;
    if (magnitude >= 0x7C00U) {  // infinity, NaN
        return std::bit_cast<float>(sign | 0x7F800000U | ((magnitude & 0x3FFU) << 13U));
    }
    if (magnitude < 0x400U) {  // zero, subnormal: multiples of 2^-24
        const float value = static_cast<float>(magnitude) * 0x1p-24F;
        return sign != 0 ? -value : value;
    }
    return std::bit_cast<float>(sign | ((magnitude + 0x1C000U) << 13U));
}

std::uint16_t float_to_half(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 16U) & 0x8000U;
    const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
    if (magnitude > 0x7F800000U) {
        return static_cast<std::uint16_t>(sign | 0x7E00U);
    }
    if (magnitude >= 0x477FF000U) {  // rounds beyond 65504
        return static_cast<std::uint16_t>(sign | 0x7C00U);
    }
    if (magnitude < 0x38800000U) {  // below 2^-14: the addition rounds to multiples of 2^-24
        const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
        return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3F000000U));
    }
    const std::uint32_t rounded = magnitude + 0xFFFU + ((magnitude >> 13U) & 1U);
    return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000U) >> 13U));
}

std::uint16_t float_to_bfloat16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7FFFFFFFU) > 0x7F800000U) {
        return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);
    }
    return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
}

double read_element(DataType type, std::span<const std::byte> bytes, std::uint64_t i) {
    switch (type) {
        case DataType::int4:
            return read_int4(bytes, i);
        case DataType::int8:
            return load<std::int8_t>(bytes, i);
        case DataType::boolean:
        case DataType::uint8:
            return load<std::uint8_t>(bytes, i);
        case DataType::int16:
            return load<std::int16_t>(bytes, i);
        case DataType::uint16:
            return load<std::uint16_t>(bytes, i);
        case DataType::int32:
            return load<std::int32_t>(bytes, i);
        case DataType::uint32:
            return load<std::uint32_t>(bytes, i);
        case DataType::int64:
            return static_cast<double>(load<std::int64_t>(bytes, i));
        case DataType::uint64:
            return static_cast<double>(load<std::uint64_t>(bytes, i));
        case DataType::half:
            return static_cast<double>(half_to_float(load<std::uint16_t>(bytes, i)));
        case DataType::bfloat16:
            return static_cast<double>(bfloat16_to_float(load<std::uint16_t>(bytes, i)));
        case DataType::float32:
            return static_cast<double>(load<float>(bytes, i));
        case DataType::float64:
            return load<double>(bytes, i);
    }
    return 0;
}

void write_element(DataType type, std::span<std::byte> bytes, std::uint64_t i, double value) {
    switch (type) {
        case DataType::int4:
            return write_int4(bytes, i, value);
        case DataType::int8:
            return store(bytes, i, saturate<std::int8_t>(value));
        case DataType::boolean:
            return store(bytes, i, static_cast<std::uint8_t>(value != 0 ? 1 : 0));
        case DataType::uint8:
            return store(bytes, i, saturate<std::uint8_t>(value));
        case DataType::int16:
            return store(bytes, i, saturate<std::int16_t>(value));
        case DataType::uint16:
            return store(bytes, i, saturate<std::uint16_t>(value));
        case DataType::int32:
            return store(bytes, i, saturate<std::int32_t>(value));
        case DataType::uint32:
            return store(bytes, i, saturate<std::uint32_t>(value));
        case DataType::int64:
            return store(bytes, i, saturate<std::int64_t>(value));
        case DataType::uint64:
            return store(bytes, i, saturate<std::uint64_t>(value));
        case DataType::half:
            return store(bytes, i, float_to_half(static_cast<float>(value)));
        case DataType::bfloat16:
            return store(bytes, i, float_to_bfloat16(static_cast<float>(value)));
        case DataType::float32:
            return store(bytes, i, static_cast<float>(value));
        case DataType::float64:
            return store(bytes, i, value);
    }
}

void read_floats(DataType type, std::span<const std::byte> bytes, std::span<float> values) {
    if (type == DataType::float32) {
        std::memcpy(values.data(), bytes.data(), values.size_bytes());
        return;
    }
    if (type == DataType::half) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = half_to_float(load<std::uint16_t>(bytes, i));
        }
        return;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(read_element(type, bytes, i));
    }
}

std::uint64_t ulp_distance(DataType type, double a, double b) {
    const std::int64_t x = ordered_bits(type, a);
    const std::int64_t y = ordered_bits(type, b);
    return x < y ? static_cast<std::uint64_t>(y) - static_cast<std::uint64_t>(x)
                 : static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y);
}

}  // namespace ascendsim::host
