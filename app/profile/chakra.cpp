// SPDX-License-Identifier: Apache-2.0
#include "app/profile/chakra.hpp"

#include <cmath>
#include <string_view>

namespace ascendsim::profile {
namespace {

/// Writes a message of protocol buffers: numbers as varints, the others behind their lengths.
class Message {
public:
    void number(std::uint32_t field, std::uint64_t value) {
        varint(std::uint64_t{field} << 3U);
        varint(value);
    }

    void bytes(std::uint32_t field, std::string_view value) {
        constexpr std::uint64_t with_length = 2;
        varint((std::uint64_t{field} << 3U) | with_length);
        varint(value.size());
        text_ += value;
    }

    void varint(std::uint64_t value) {
        constexpr unsigned bits = 7;
        constexpr std::uint64_t more = 0x80;
        while (value >= more) {
            text_ += static_cast<char>((value & (more - 1)) | more);
            value >>= bits;
        }
        text_ += static_cast<char>(value);
    }

    [[nodiscard]] const std::string& text() const { return text_; }

private:
    std::string text_;
};

/// Fields of AttributeProto.
enum Field : std::uint32_t { int64_value = 9, uint64_value = 13, bool_value = 27 };

void add_attribute(Message& node, std::string_view name, Field field, std::uint64_t value) {
    constexpr std::uint32_t attribute_of_node = 10;
    Message attribute;
    attribute.bytes(1, name);
    attribute.number(field, value);
    node.bytes(attribute_of_node, attribute.text());
}

std::string message_of(const ChakraNode& node) {
    constexpr double ns_a_us = 1000;
    Message message;
    message.number(1, node.id);
    message.bytes(2, node.name);
    message.number(3, static_cast<std::uint64_t>(node.kind));
    if (!node.after.empty()) {
        Message list;  // numbers of a list stand together
        for (const std::uint64_t id : node.after) {
            list.varint(id);
        }
        message.bytes(5, list.text());
    }
    message.number(6, static_cast<std::uint64_t>(std::llround(node.start_us)));
    message.number(7, static_cast<std::uint64_t>(std::llround(node.us)));
    add_attribute(message, "is_cpu_op", bool_value, node.on_host ? 1 : 0);
    add_attribute(
        message, "start_ns", uint64_value, static_cast<std::uint64_t>(std::llround(node.start_us * ns_a_us)));
    add_attribute(
        message, "duration_ns", uint64_value, static_cast<std::uint64_t>(std::llround(node.us * ns_a_us)));
    if (node.kind == ChakraKind::collective) {
        add_attribute(message, "comm_type", int64_value, node.collective);
    }
    if (node.kind == ChakraKind::collective || node.kind == ChakraKind::send ||
        node.kind == ChakraKind::receive) {
        add_attribute(message, "comm_size", int64_value, node.bytes);
    } else if (node.bytes > 0) {
        add_attribute(message, "tensor_size", uint64_value, node.bytes);
    }
    return message.text();
}

void append(std::string& trace, const std::string& message) {
    Message length;
    length.varint(message.size());
    trace += length.text() + message;
}

}  // namespace

std::string chakra_trace(const std::vector<ChakraNode>& nodes) {
    Message head;
    head.bytes(1, "0.0.4");  // of the schema
    std::string trace;
    append(trace, head.text());
    for (const ChakraNode& node : nodes) {
        append(trace, message_of(node));
    }
    return trace;
}

}  // namespace ascendsim::profile
