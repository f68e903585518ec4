// SPDX-License-Identifier: Apache-2.0
#include "sim/record/column_codec.hpp"

#include <algorithm>
#include <bit>

namespace ascendsim::record {

namespace {

// First byte of a column: its width in bytes (0 = constant) and, above it, the shift.
struct Shape {
    std::uint8_t width = 0;
    std::uint8_t shift = 0;
};

struct Exception {
    std::uint32_t row = 0;
    std::uint32_t value = 0;
};

struct Profile {
    std::uint32_t any = 0;     // bits set in any value
    std::uint32_t differ = 0;  // bits in which values differ from the first
};

Profile profile(std::span<const std::uint32_t> values) {
    Profile result;
    const std::uint32_t first = values[0];
    for (const std::uint32_t value : values) {
        result.any |= value;
        result.differ |= value ^ first;
    }
    return result;
}

std::uint32_t count_above(std::span<const std::uint32_t> values, std::uint32_t limit) {
    std::uint32_t count = 0;
    for (const std::uint32_t value : values) {
        count += (value & ~limit) != 0 ? 1U : 0U;
    }
    return count;
}

template <class Narrow>
void put_narrow(std::span<const std::uint32_t> values, unsigned shift, std::byte* to) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto narrow = static_cast<Narrow>(values[i] >> shift);
        std::memcpy(to + i * sizeof(Narrow), &narrow, sizeof(Narrow));
    }
}

template <class Narrow>
void get_narrow(const std::byte* from, unsigned shift, std::span<std::uint32_t> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        Narrow narrow{};
        std::memcpy(&narrow, from + i * sizeof(Narrow), sizeof(Narrow));
        values[i] = static_cast<std::uint32_t>(narrow) << shift;
    }
}

// Sets the width that is smallest in all, and returns how many values will not fit.
std::uint32_t set_width(std::span<const std::uint32_t> values, std::uint32_t any, Shape& shape) {
    const std::uint32_t high = any >> shape.shift;
    shape.width = 1;
    if (high <= 0xffU) {
        return 0;
    }
    const std::size_t rows = values.size();
    const std::uint32_t low = (1U << shape.shift) - 1U;
    const std::uint32_t above1 = count_above(values, (0xffU << shape.shift) | low);
    const std::uint32_t above2 = high <= 0xffffU ? 0 : count_above(values, (0xffffU << shape.shift) | low);
    const std::size_t cost1 = rows + above1 * sizeof(Exception);
    const std::size_t cost2 = rows * 2 + above2 * sizeof(Exception);
    if (std::min(cost1, cost2) > rows * 4) {
        shape.width = 4;
        return 0;
    }
    shape.width = cost1 <= cost2 ? 1 : 2;
    return cost1 <= cost2 ? above1 : above2;
}

void put_exceptions(std::span<const std::uint32_t> values, Shape shape, std::uint32_t count, ByteWriter& to) {
    to.put(count);
    const unsigned bits = shape.shift + shape.width * 8U;
    for (std::uint32_t row = 0; count > 0; ++row) {
        if (std::uint64_t{values[row]} >> bits != 0) {
            to.put(Exception{row, values[row]});
            --count;
        }
    }
}

}  // namespace

void encode_column(std::span<const std::uint32_t> values, ByteWriter& to) {
    if (values.empty()) {
        return;
    }
    const Profile bits = profile(values);
    if (bits.differ == 0) {
        to.put(std::uint8_t{0});
        to.put(values[0]);
        return;
    }
    Shape shape{.shift = static_cast<std::uint8_t>(std::countr_zero(bits.any))};
    const std::uint32_t exceptions = set_width(values, bits.any, shape);
    to.put(static_cast<std::uint8_t>(shape.width | static_cast<unsigned>(shape.shift) << 3U));
    put_exceptions(values, shape, exceptions, to);
    std::byte* const data = to.take(values.size() * shape.width);
    switch (shape.width) {
        case 1:
            put_narrow<std::uint8_t>(values, shape.shift, data);
            break;
        case 2:
            put_narrow<std::uint16_t>(values, shape.shift, data);
            break;
        default:
            put_narrow<std::uint32_t>(values, shape.shift, data);
            break;
    }
}

void decode_column(ByteReader& from, std::span<std::uint32_t> values) {
    if (values.empty()) {
        return;
    }
    const auto tag = from.get<std::uint8_t>();
    const Shape shape{.width = static_cast<std::uint8_t>(tag & 7U),
                      .shift = static_cast<std::uint8_t>(tag >> 3U)};
    if (shape.width == 0) {
        const auto value = from.get<std::uint32_t>();
        for (std::uint32_t& each : values) {
            each = value;
        }
        return;
    }
    const auto count = from.get<std::uint32_t>();
    ByteReader exceptions{{from.take(count * sizeof(Exception)), count * sizeof(Exception)}};
    const std::byte* const data = from.take(values.size() * shape.width);
    switch (shape.width) {
        case 1:
            get_narrow<std::uint8_t>(data, shape.shift, values);
            break;
        case 2:
            get_narrow<std::uint16_t>(data, shape.shift, values);
            break;
        case 4:
            get_narrow<std::uint32_t>(data, shape.shift, values);
            break;
        default:
            throw UserError{"the recording is damaged: a column is {} bytes wide", shape.width};
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto exception = exceptions.get<Exception>();
        if (exception.row >= values.size()) {
            throw UserError{
                "the recording is damaged: a value stands in row {} of {}", exception.row, values.size()};
        }
        values[exception.row] = exception.value;
    }
}

}  // namespace ascendsim::record
