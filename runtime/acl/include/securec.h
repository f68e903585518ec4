// SPDX-License-Identifier: Apache-2.0
// The bounded memory and string functions of C11's annex K that host programs of operators use: nothing is
// written past `room` bytes, 0 means done.
#pragma once

#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstring>

using errno_t = int;
inline constexpr errno_t EOK = 0;

inline errno_t memcpy_s(void* target, std::size_t room, const void* source, std::size_t bytes) {
    if (target == nullptr || source == nullptr) {
        return EINVAL;
    }
    if (bytes > room) {
        return ERANGE;
    }
    std::memmove(target, source, bytes);
    return EOK;
}

inline errno_t memmove_s(void* target, std::size_t room, const void* source, std::size_t bytes) {
    return memcpy_s(target, room, source, bytes);
}

inline errno_t memset_s(void* target, std::size_t room, int value, std::size_t bytes) {
    if (target == nullptr) {
        return EINVAL;
    }
    if (bytes > room) {
        return ERANGE;
    }
    std::memset(target, value, bytes);
    return EOK;
}

inline errno_t strncpy_s(char* target, std::size_t room, const char* source, std::size_t most) {
    if (target == nullptr || source == nullptr) {
        return EINVAL;
    }
    const std::size_t length = strnlen(source, most);
    if (length >= room) {
        return ERANGE;
    }
    std::memmove(target, source, length);
    target[length] = '\0';
    return EOK;
}

inline errno_t strcpy_s(char* target, std::size_t room, const char* source) {
    return strncpy_s(target, room, source, room);
}

inline errno_t strcat_s(char* target, std::size_t room, const char* source) {
    if (target == nullptr || source == nullptr) {
        return EINVAL;
    }
    const std::size_t length = strnlen(target, room);
    return strcpy_s(target + length, room - length, source);
}

/// Characters written, -1 if they do not fit.
[[gnu::format(printf, 4, 0)]] inline int vsnprintf_s(
    char* target, std::size_t room, std::size_t most, const char* format, va_list arguments) {
    const std::size_t limit = most < room ? most + 1 : room;
    const int length = std::vsnprintf(target, limit, format, arguments);
    return length < 0 || static_cast<std::size_t>(length) >= limit ? -1 : length;
}

[[gnu::format(printf, 4, 5)]] inline int snprintf_s(
    char* target, std::size_t room, std::size_t most, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf_s(target, room, most, format, arguments);
    va_end(arguments);
    return length;
}

[[gnu::format(printf, 3, 4)]] inline int sprintf_s(char* target, std::size_t room, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf_s(target, room, room, format, arguments);
    va_end(arguments);
    return length;
}
