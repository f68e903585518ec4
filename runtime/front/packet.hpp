// SPDX-License-Identifier: Apache-2.0
// What a program and the simulator that runs its kernels say to each other over a socket.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <sys/socket.h>

namespace ascendsim::front {

/// Values one behind the other. Both ends are programs of one machine: they are copied as they lie in memory.
class Packet {
public:
    template <class T>
    requires std::is_trivially_copyable_v<T>

    void put(const T& value) { put_bytes(&value, sizeof value); }

    void put_text(std::string_view text) {
        put<std::uint64_t>(text.size());
        put_bytes(text.data(), text.size());
    }

    void put_bytes(const void* from, std::size_t bytes) {
        const auto* start = static_cast<const std::byte*>(from);
        bytes_.insert(bytes_.end(), start, start + bytes);
    }

    /// A value of zero and an empty text where the packet is over.
    template <class T>
    requires std::is_trivially_copyable_v<T>

    [[nodiscard]] T get() {
        T value{};
        take(&value, sizeof value);
        return value;
    }

    [[nodiscard]] std::string get_text() {
        const auto size = get<std::uint64_t>();
        std::string text(size <= bytes_.size() - at_ ? size : 0, '\0');
        take(text.data(), text.size());
        return text;
    }

    void take(void* to, std::size_t bytes) {
        if (bytes <= bytes_.size() - at_ && bytes > 0) {
            std::memcpy(to, bytes_.data() + at_, bytes);
            at_ += bytes;
        }
    }

    /// False if the other end has gone.
    [[nodiscard]] bool send_to(int socket) const {
        const std::uint64_t size = bytes_.size();
        return whole(socket, const_cast<std::uint64_t*>(&size), sizeof size, true) &&
               whole(socket, const_cast<std::byte*>(bytes_.data()), bytes_.size(), true);
    }

    [[nodiscard]] bool receive_from(int socket) {
        std::uint64_t size = 0;
        if (!whole(socket, &size, sizeof size, false)) {
            return false;
        }
        bytes_.resize(size);
        at_ = 0;
        return whole(socket, bytes_.data(), size, false);
    }

private:
    static bool whole(int socket, void* data, std::size_t bytes, bool out) {
        auto* at = static_cast<std::byte*>(data);
        while (bytes > 0) {
            const ssize_t moved =
                out ? ::send(socket, at, bytes, MSG_NOSIGNAL) : ::recv(socket, at, bytes, 0);
            if (moved < 0 && errno == EINTR) {
                continue;
            }
            if (moved <= 0) {
                return false;
            }
            at += moved;
            bytes -= static_cast<std::size_t>(moved);
        }
        return true;
    }

    std::vector<std::byte> bytes_;
    std::size_t at_ = 0;
};

/// One allocation of the memory that both share.
struct SharedBlock {
    std::uint64_t offset = 0;  // B
    std::uint64_t bytes = 0;   // 0: it was freed
};

}  // namespace ascendsim::front
