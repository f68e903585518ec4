// SPDX-License-Identifier: Apache-2.0
#include "gui/control/script_language.hpp"

#include <array>
#include <charconv>

namespace ascendsim::gui {
namespace {

using nlohmann::json;

/// Takes one word off the front; quotes hold words together, \" and \\ stand for themselves.
std::string take_word(std::string_view& line) {
    std::string word;
    const bool quoted = line.front() == '"';
    line.remove_prefix(quoted ? 1 : 0);
    while (!line.empty()) {
        char c = line.front();
        line.remove_prefix(1);
        if (quoted ? c == '"' : (c == ' ' || c == '\t')) {
            break;
        }
        if (quoted && c == '\\' && !line.empty()) {
            c = line.front();
            line.remove_prefix(1);
        }
        word += c;
    }
    return word;
}

std::optional<Point> parse_pair(std::string_view text, char between) {
    const std::size_t middle = text.find(between);
    if (middle == std::string_view::npos) {
        return std::nullopt;
    }
    const std::optional<double> x = parse_number(text.substr(0, middle));
    const std::optional<double> y = parse_number(text.substr(middle + 1));
    if (!x || !y) {
        return std::nullopt;
    }
    return Point{static_cast<float>(*x), static_cast<float>(*y)};
}

std::string as_text(const json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

std::vector<ScriptLine> split_script(std::string_view text) {
    std::vector<ScriptLine> lines;
    std::size_t number = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view rest = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ScriptLine line{.number = ++number, .words = {}};
        while (!rest.empty() && rest.front() != '#') {
            if (rest.front() == ' ' || rest.front() == '\t' || rest.front() == '\r') {
                rest.remove_prefix(1);
            } else {
                line.words.push_back(take_word(rest));
            }
        }
        if (!line.words.empty()) {
            lines.push_back(std::move(line));
        }
    }
    return lines;
}

std::optional<double> parse_number(std::string_view text) {
    if (text.starts_with('+')) {
        text.remove_prefix(1);
    }
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return value;
}

std::optional<Point> parse_size(std::string_view text) {
    const std::optional<Point> size = parse_pair(text, 'x');
    const bool good = size && size->x >= 1 && size->y >= 1 && size->x <= 16384 && size->y <= 16384;
    return good ? size : std::nullopt;
}

std::optional<PlaceSpec> parse_place(std::string_view text) {
    if (!text.starts_with('@') || text.size() < 2) {
        return std::nullopt;
    }
    text.remove_prefix(1);
    PlaceSpec spec;
    const std::size_t plus = text.rfind('+');
    if (plus != std::string_view::npos) {
        if (const std::optional<Point> offset = parse_pair(text.substr(plus + 1), ',')) {
            spec.offset = *offset;
            text = text.substr(0, plus);
        }
    }
    const std::size_t colon = text.rfind(':');
    if (colon != std::string_view::npos) {
        if (const std::optional<Point> share = parse_pair(text.substr(colon + 1), ',')) {
            spec.share = *share;
            text = text.substr(0, colon);
        }
    }
    spec.name = text;
    return spec;
}

json parse_value(const std::string& word) {
    json value = json::parse(word, nullptr, false);
    return value.is_discarded() ? json(word) : value;
}

std::optional<bool> compare_values(const json& actual, std::string_view op, const json& expected) {
    if (op == "==") {
        return actual == expected;
    }
    if (op == "!=") {
        return actual != expected;
    }
    if (op == "contains") {
        return as_text(actual).find(as_text(expected)) != std::string::npos;
    }
    const bool numbers = actual.is_number() && expected.is_number();
    const double a = numbers ? actual.get<double>() : 0;
    const double b = numbers ? expected.get<double>() : 0;
    if (op == "<") {
        return numbers && a < b;
    }
    if (op == "<=") {
        return numbers && a <= b;
    }
    if (op == ">") {
        return numbers && a > b;
    }
    if (op == ">=") {
        return numbers && a >= b;
    }
    return std::nullopt;
}

}  // namespace ascendsim::gui
