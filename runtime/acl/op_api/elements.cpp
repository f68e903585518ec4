// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/op_api/elements.hpp"

#include <cstring>

#include "models/numbers/bfloat16.hpp"
#include "models/numbers/half.hpp"

namespace ascendsim::op_api {
namespace {

/// Calls `with` for a value of the type that a number of the graph engine's stands for.
template <class With>
void with_type(op::DataType type, With with) {
    switch (type) {
        case ge::DT_FLOAT:
            return with(float{});
        case ge::DT_DOUBLE:
            return with(double{});
        case ge::DT_FLOAT16:
            return with(half{});
        case ge::DT_BF16:
            return with(bfloat16{});
        case ge::DT_BOOL:
        case ge::DT_UINT8:
            return with(std::uint8_t{});
        case ge::DT_INT8:
            return with(std::int8_t{});
        case ge::DT_INT16:
            return with(std::int16_t{});
        case ge::DT_UINT16:
            return with(std::uint16_t{});
        case ge::DT_INT32:
            return with(std::int32_t{});
        case ge::DT_UINT32:
            return with(std::uint32_t{});
        case ge::DT_INT64:
            return with(std::int64_t{});
        case ge::DT_UINT64:
            return with(std::uint64_t{});
        default:
            return;
    }
}

}  // namespace

void write_element(std::vector<std::byte>& bytes, std::size_t i, op::DataType type, double value) {
    with_type(type, [&](auto sample) {
        using T = decltype(sample);
        if ((i + 1) * sizeof(T) > bytes.size()) {
            return;
        }
        T element{};
        if constexpr (std::is_arithmetic_v<T>) {
            element = type == ge::DT_BOOL ? static_cast<T>(value != 0) : static_cast<T>(value);
        } else {
            element = T{static_cast<float>(value)};
        }
        std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
    });
}

std::vector<double> elements_of(const std::vector<std::byte>& bytes, op::DataType type) {
    std::vector<double> values;
    with_type(type, [&](auto sample) {
        using T = decltype(sample);
        for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
            T element{};
            std::memcpy(&element, bytes.data() + at, sizeof(T));
            if constexpr (std::is_arithmetic_v<T>) {
                values.push_back(static_cast<double>(element));
            } else {
                values.push_back(static_cast<double>(static_cast<float>(element)));
            }
        }
    });
    return values;
}

}  // namespace ascendsim::op_api
