// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/packed_fields.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

#include "kernels/plan/element.hpp"
#include "kernels/plan/knob.hpp"
#include "models/port/data_type.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::scenario {
namespace {

using isa::DataType;

template <class T>
void append(std::vector<std::byte>& bytes, T value) {
    const auto* raw = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), raw, raw + sizeof value);
}

template <class T>
void append_integer(std::vector<std::byte>& bytes, const Node& value) {
    const auto number = value.as<std::int64_t>();
    if (number < static_cast<std::int64_t>(std::numeric_limits<T>::min()) ||
        (sizeof(T) < sizeof number && number > static_cast<std::int64_t>(std::numeric_limits<T>::max()))) {
        throw value.error(fmt::format("{} does not fit into {} bytes", number, sizeof(T)));
    }
    append(bytes, static_cast<T>(number));
}

/// What `ascendsim new` writes where the source does not tell a value.
bool is_open(const Node& value) {
    return value.is_string() && value.as<std::string>() == "?";
}

void append_value(std::vector<std::byte>& bytes, DataType type, const Node& value) {
    if (is_open(value)) {
        throw value.error(
            fmt::format("still to be filled in: the {} that the host would give", isa::name(type)));
    }
    switch (type) {
        case DataType::boolean:
            return append(bytes, static_cast<std::uint8_t>(value.as<bool>() ? 1 : 0));
        case DataType::int8:
            return append_integer<std::int8_t>(bytes, value);
        case DataType::uint8:
            return append_integer<std::uint8_t>(bytes, value);
        case DataType::int16:
            return append_integer<std::int16_t>(bytes, value);
        case DataType::uint16:
            return append_integer<std::uint16_t>(bytes, value);
        case DataType::int32:
            return append_integer<std::int32_t>(bytes, value);
        case DataType::uint32:
            return append_integer<std::uint32_t>(bytes, value);
        case DataType::int64:
            return append_integer<std::int64_t>(bytes, value);
        case DataType::uint64:
            return append_integer<std::uint64_t>(bytes, value);
        case DataType::half:
        case DataType::bfloat16:
        case DataType::float32:
        case DataType::float64: {
            const std::size_t at = bytes.size();
            bytes.resize(at + isa::bytes_of(type, 1));
            host::write_element(type, std::span{bytes}.subspan(at), 0, value.as<double>());
            return;
        }
        case DataType::int4:
            break;
    }
    throw value.error("a single int4 has no place in memory");
}

DataType type_of(const Node& type) {
    return host::parse_type(type.as<std::string>(), type.place());
}

void pad(std::vector<std::byte>& bytes, std::size_t alignment) {
    bytes.resize(round_up(bytes.size(), alignment));
}

/// All fields that wait for a value at once, by the place of the first.
void refuse_open(const Node& fields) {
    std::string names;
    std::optional<Node> first;
    for (const Node& item : fields.items()) {
        TableReader field = item.table();
        const std::optional<Node> value = field.find("value");
        if (value && is_open(*value)) {
            names += (names.empty() ? "" : ", ") + field.get_or<std::string>("name", "?");
            first = first ? first : value;
        }
    }
    if (first) {
        throw first->error(fmt::format("still to be filled in with what the host would give: {}", names));
    }
}

}  // namespace

std::vector<std::byte> pack_value(const Node& type, const Node& value) {
    std::vector<std::byte> bytes;
    append_value(bytes, type_of(type), value);
    return bytes;
}

std::vector<std::byte> pack_fields(const Node& fields) {
    refuse_open(fields);
    std::vector<std::byte> bytes;
    std::size_t widest = 1;
    for (const Node& item : fields.items()) {
        TableReader field = item.table();
        static_cast<void>(field.get_or<std::string>("name", ""));
        const DataType type = type_of(field.require("type"));
        const Node value = field.require("value");
        field.finish();
        const auto size = static_cast<std::size_t>(isa::bytes_of(type, 1));
        widest = std::max(widest, size);
        pad(bytes, size);
        for (const Node& element : value.is_array() ? value.items() : std::vector<Node>{value}) {
            append_value(bytes, type, element);
        }
    }
    pad(bytes, widest);
    return bytes;
}

}  // namespace ascendsim::scenario
