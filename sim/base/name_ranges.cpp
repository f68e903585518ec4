// SPDX-License-Identifier: Apache-2.0
#include "sim/base/name_ranges.hpp"

#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace ascendsim {
namespace {

/// "aiv12" as "aiv" and 12.
struct Numbered {
    std::string_view series;
    std::optional<std::uint64_t> number;
};

Numbered numbered(std::string_view name) {
    std::size_t digits = name.size();
    while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1])) != 0) {
        --digits;
    }
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(name.data() + digits, name.data() + name.size(), number);
    return {name.substr(0, digits), error == std::errc{} ? std::optional{number} : std::nullopt};
}

/// What `next` adds to the number of `name`, if both are of one series and it adds something.
std::optional<std::uint64_t> step(std::string_view name, std::string_view next) {
    const Numbered a = numbered(name);
    const Numbered b = numbered(next);
    const bool grows = a.series == b.series && a.number && b.number && *b.number > *a.number;
    return grows ? std::optional{*b.number - *a.number} : std::nullopt;
}

/// How many names from the first on have one step between them.
std::size_t even_steps(std::span<const std::string> names) {
    std::size_t count = 1;
    while (count < names.size()) {
        const std::optional<std::uint64_t> next = step(names[count - 1], names[count]);
        if (!next || next != step(names[0], names[1])) {
            break;
        }
        ++count;
    }
    return count;
}

}  // namespace

std::string name_ranges(std::span<const std::string> names) {
    constexpr std::size_t worth_shortening = 3;
    std::string text;
    while (!names.empty()) {
        const std::size_t count = even_steps(names);
        const bool dense = count >= worth_shortening && step(names[0], names[1]) == 1U;
        const bool sparse = !dense && count > worth_shortening;
        text += text.empty() ? "" : ", ";
        text += dense    ? fmt::format("{} to {}", names[0], names[count - 1])
                : sparse ? fmt::format("{}, {}, … {}", names[0], names[1], names[count - 1])
                         : names[0];
        names = names.subspan(dense || sparse ? count : 1);
    }
    return text;
}

}  // namespace ascendsim
