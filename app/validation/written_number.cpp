// SPDX-License-Identifier: Apache-2.0
#include "app/validation/written_number.hpp"

#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string>

#include "sim/base/pattern.hpp"

namespace ascendsim::validation {
namespace {

bool is_figure(std::string_view text, std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
}

/// The power of a thousand that the letter at `at` stands for, if it ends a number; 0 if it is none.
int thousands(std::string_view text, std::size_t at) {
    if (at >= text.size() ||
        (at + 1 < text.size() && std::isalnum(static_cast<unsigned char>(text[at + 1])) != 0)) {
        return 0;
    }
    switch (std::toupper(static_cast<unsigned char>(text[at]))) {
        case 'K':
            return 1;
        case 'M':
            return 2;
        case 'G':
            return 3;
        default:
            return 0;
    }
}

}  // namespace

std::optional<WrittenNumber> written_number(std::string_view text, std::size_t begin, bool about) {
    std::size_t end = begin;
    while (is_figure(text, end)) {
        ++end;
    }
    const bool fraction = end < text.size() && text[end] == '.' && is_figure(text, end + 1);
    if (fraction) {
        ++end;
        while (is_figure(text, end)) {
            ++end;
        }
    }
    const std::string_view digits = text.substr(begin, end - begin);
    const int power = thousands(text, end);
    if (!fraction && power == 0) {
        std::uint64_t value = 0;
        const auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return error == std::errc{} ? std::optional{WrittenNumber{.value = value, .end = end}} : std::nullopt;
    }
    double value = 0;
    const auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    constexpr double most = 1e15;
    if (error != std::errc{} || value > most) {
        return std::nullopt;
    }
    const bool binary = !fraction && !about && std::has_single_bit(static_cast<std::uint64_t>(value));
    const double scaled = value * std::pow(binary ? 1024.0 : 1000.0, power);
    if (scaled > most) {
        return std::nullopt;
    }
    return WrittenNumber{.value = static_cast<std::uint64_t>(std::llround(scaled)),
                         .end = end + (power > 0 ? 1U : 0U),
                         .plain = false,
                         .whole = power > 0 && std::abs(scaled - std::round(scaled)) <= 1e-6 * scaled};
}

std::optional<WrittenNumber> grouped_number(std::string_view text, std::size_t begin) {
    static const Pattern grouped{R"(^(\d{1,3}(,\d\d\d)+) +(elem|item|value|number)[a-z]*)",
                                 Pattern::Case::any};
    const std::optional<PatternMatch> match = grouped.search(text.substr(begin));
    if (!match) {
        return std::nullopt;
    }
    std::string digits{(*match)[1]};
    const std::size_t length = digits.size();
    std::erase(digits, ',');
    std::uint64_t value = 0;
    const auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc{}
               ? std::optional{WrittenNumber{.value = value, .end = begin + length, .plain = false}}
               : std::nullopt;
}

}  // namespace ascendsim::validation
