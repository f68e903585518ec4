// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "sim/base/error.hpp"

namespace ascendsim::record {

/// Writes values one after the other into memory that its owner has made large enough.
class ByteWriter {
public:
    explicit ByteWriter(std::byte* to) : begin_{to}, at_{to} {}

    template <class T>
    void put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        put_bytes(&value, sizeof(T));
    }

    void put_bytes(const void* from, std::size_t bytes) {
        std::memcpy(at_, from, bytes);
        at_ += bytes;
    }

    void put_text(std::string_view text) {
        put(static_cast<std::uint32_t>(text.size()));
        put_bytes(text.data(), text.size());
    }

    /// Memory for `bytes` bytes that the caller fills.
    [[nodiscard]] std::byte* take(std::size_t bytes) {
        std::byte* const from = at_;
        at_ += bytes;
        return from;
    }

    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(at_ - begin_); }

private:
    std::byte* begin_;
    std::byte* at_;
};

/// Reads values one after the other; throws UserError past the end.
class ByteReader {
public:
    explicit ByteReader(std::span<const std::byte> bytes) : bytes_{bytes} {}

    template <class T>
    [[nodiscard]] T get() {
        static_assert(std::is_trivially_copyable_v<T>);
        T value{};
        std::memcpy(&value, take(sizeof(T)), sizeof(T));
        return value;
    }

    [[nodiscard]] std::string get_text() {
        const auto size = get<std::uint32_t>();
        std::string text(size <= bytes_.size() ? size : 0, '\0');
        std::memcpy(text.data(), take(size), size);
        return text;
    }

    /// The next `bytes` bytes.
    [[nodiscard]] const std::byte* take(std::size_t bytes) {
        if (bytes > bytes_.size()) {
            throw UserError{"the recording is damaged: a frame is shorter than what it claims to hold"};
        }
        const std::byte* const from = bytes_.data();
        bytes_ = bytes_.subspan(bytes);
        return from;
    }

    [[nodiscard]] std::span<const std::byte> rest() const { return bytes_; }

private:
    std::span<const std::byte> bytes_;
};

}  // namespace ascendsim::record
