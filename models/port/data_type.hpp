// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace ascendsim::isa {

/// Element types of the chip.
enum class DataType : std::uint8_t {
    int4,
    int8,
    uint8,
    int16,
    uint16,
    int32,
    uint32,
    int64,
    uint64,
    half,
    bfloat16,
    float32,
    float64,
    boolean
};

/// Width in bits: 4 for int4.
[[nodiscard]] constexpr std::uint32_t bits(DataType type) {
    switch (type) {
        case DataType::int4:
            return 4;
        case DataType::int8:
        case DataType::uint8:
        case DataType::boolean:
            return 8;
        case DataType::int16:
        case DataType::uint16:
        case DataType::half:
        case DataType::bfloat16:
            return 16;
        case DataType::int32:
        case DataType::uint32:
        case DataType::float32:
            return 32;
        case DataType::int64:
        case DataType::uint64:
        case DataType::float64:
            return 64;
    }
    return 0;
}

/// Bytes of `n` elements; int4 packs two into a byte.
[[nodiscard]] constexpr std::uint64_t bytes_of(DataType type, std::uint64_t n) {
    return (n * bits(type) + 7) / 8;
}

[[nodiscard]] constexpr std::string_view name(DataType type) {
    // NOLINTNEXTLINE(modernize-avoid-c-arrays): as many as there are
    constexpr std::string_view names[]{"int4",
                                       "int8",
                                       "uint8",
                                       "int16",
                                       "uint16",
                                       "int32",
                                       "uint32",
                                       "int64",
                                       "uint64",
                                       "float16",
                                       "bfloat16",
                                       "float32",
                                       "float64",
                                       "bool"};
    return names[static_cast<unsigned>(type)];
}

}  // namespace ascendsim::isa
