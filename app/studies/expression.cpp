// SPDX-License-Identifier: Apache-2.0
#include "app/studies/expression.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "sim/base/error.hpp"

namespace ascendsim::study {

namespace {

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool begins_name(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool in_name(char c) {
    return begins_name(c) || is_digit(c) || c == '.' || c == '@';
}

/// Sum of products of powers of numbers, names, calls and parentheses.
class Parser {
public:
    Parser(std::string_view text, const Lookup& lookup, std::string_view place)
        : text_{text}, lookup_{lookup}, place_{place} {}

    Computed whole() {
        Computed result = sum();
        skip();
        if (at_ < text_.size()) {
            fail(fmt::format("'{}' is not expected", text_.substr(at_)));
        }
        if (!std::isfinite(result.value)) {
            fail("has no finite value");
        }
        return result;
    }

private:
    static constexpr std::size_t deepest = 100;

    [[noreturn]] void fail(std::string_view why) const {
        constexpr std::size_t most = 200;  // letters that a person reads
        throw UserError{"{}: '{}{}': {}", place_, text_.substr(0, most), text_.size() > most ? "…" : "", why};
    }

    void skip() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
            ++at_;
        }
    }

    bool take(char wanted) {
        skip();
        if (at_ < text_.size() && text_[at_] == wanted) {
            ++at_;
            return true;
        }
        return false;
    }

    Computed sum() {
        Computed left = product();
        for (;;) {
            const char sign = take('+') ? '+' : take('-') ? '-' : ' ';
            if (sign == ' ') {
                return left;
            }
            const Computed right = product();
            left.value += sign == '+' ? right.value : -right.value;
            left.arithmetic += fmt::format(" {} {}", sign, right.arithmetic);
        }
    }

    Computed product() {
        Computed left = power();
        for (;;) {
            const char sign = take('*') ? '*' : take('/') ? '/' : ' ';
            if (sign == ' ') {
                return left;
            }
            const Computed right = power();
            if (sign == '/' && right.value == 0) {
                fail("divides by zero");
            }
            left.value = sign == '*' ? left.value * right.value : left.value / right.value;
            left.arithmetic += fmt::format(" {} {}", sign == '*' ? "×" : "/", right.arithmetic);
        }
    }

    Computed power() {
        Computed base = factor();
        if (take('^')) {
            if (++depth_ > deepest) {
                fail("is nested too deeply");
            }
            const Computed exponent = power();
            --depth_;
            base.value = std::pow(base.value, exponent.value);
            base.arithmetic += "^" + exponent.arithmetic;
        }
        return base;
    }

    Computed factor() {
        if (++depth_ > deepest) {
            fail("is nested too deeply");
        }
        Computed result = unguarded_factor();
        --depth_;
        return result;
    }

    Computed unguarded_factor() {
        if (take('-')) {
            const Computed inner = factor();
            return {-inner.value, "-" + inner.arithmetic};
        }
        if (take('(')) {
            const Computed inner = sum();
            close();
            return {inner.value, "(" + inner.arithmetic + ")"};
        }
        skip();
        if (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) {
            return number();
        }
        if (at_ < text_.size() && begins_name(text_[at_])) {
            return named();
        }
        fail("a number, a name or a parenthesis is expected");
    }

    void close() {
        if (!take(')')) {
            fail("a ')' is missing");
        }
    }

    Computed number() {
        double value = 0;
        const char* const begin = text_.data() + at_;
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
        if (error != std::errc{}) {
            fail("a number is expected");
        }
        at_ += static_cast<std::size_t>(end - begin);
        return {value, number_text(value)};
    }

    Computed named() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && in_name(text_[at_])) {
            ++at_;
        }
        const std::string name{text_.substr(begin, at_ - begin)};
        if (take('(')) {
            return call(name);
        }
        const std::optional<double> value = lookup_(name);
        if (!value) {
            fail(fmt::format("'{}' is not a fact, a parameter of the chip or a figure of a run", name));
        }
        return {*value, number_text(*value)};
    }

    Computed call(const std::string& name) {
        std::vector<Computed> arguments{sum()};
        while (take(',')) {
            arguments.push_back(sum());
        }
        close();
        std::string shown = name + "(";
        for (const Computed& argument : arguments) {
            shown += (shown.back() == '(' ? "" : ", ") + argument.arithmetic;
        }
        return {applied(name, arguments), shown + ")"};
    }

    [[nodiscard]] double applied(const std::string& name, const std::vector<Computed>& arguments) const {
        const auto less = [](const Computed& a, const Computed& b) { return a.value < b.value; };
        if (name == "min") {
            return std::ranges::min(arguments, less).value;
        }
        if (name == "max") {
            return std::ranges::max(arguments, less).value;
        }
        if (arguments.size() == 1 && name == "sqrt") {
            return std::sqrt(arguments[0].value);
        }
        if (arguments.size() == 1 && name == "ceil") {
            return std::ceil(arguments[0].value);
        }
        fail(fmt::format(
            "'{}' of {} values is not known; there are min, max, sqrt and ceil", name, arguments.size()));
    }

    std::string_view text_;
    const Lookup& lookup_;
    std::string_view place_;
    std::size_t at_ = 0;
    std::size_t depth_ = 0;
};

}  // namespace

Computed compute(std::string_view expression, const Lookup& lookup, std::string_view place) {
    return Parser{expression, lookup, place}.whole();
}

std::string number_text(double value) {
    constexpr double large = 1e9;
    constexpr double many_digits = 1e4;
    const double size = std::abs(value);
    const bool whole = size < large && (value == std::floor(value) || size >= many_digits);
    return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

}  // namespace ascendsim::study
