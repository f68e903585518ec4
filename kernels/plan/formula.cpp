// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/formula.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

#include "sim/base/error.hpp"

namespace ascendsim::host {

namespace {

using Step = Formula::Step;

/// A function's name, step and number of operands.
struct KnownFunction {
    std::string_view name;
    Step step;
    std::uint32_t operands;
};

constexpr std::array<KnownFunction, 14> known_functions{{
    {"abs", Step::abs, 1},
    {"ceil", Step::ceil, 1},
    {"erf", Step::erf, 1},
    {"exp", Step::exp, 1},
    {"floor", Step::floor, 1},
    {"log", Step::log, 1},
    {"max", Step::max, 2},
    {"min", Step::min, 2},
    {"pow", Step::pow, 2},
    {"relu", Step::relu, 1},
    {"round", Step::round, 1},
    {"sigmoid", Step::sigmoid, 1},
    {"sqrt", Step::sqrt, 1},
    {"tanh", Step::tanh, 1},
}};

constexpr std::uint32_t deepest_formula = 64;

double computed(Step step, double a, double b) {
    switch (step) {
        case Step::negate:
            return -a;
        case Step::add:
            return a + b;
        case Step::subtract:
            return a - b;
        case Step::multiply:
            return a * b;
        case Step::divide:
            return a / b;
        case Step::abs:
            return std::abs(a);
        case Step::ceil:
            return std::ceil(a);
        case Step::erf:
            return std::erf(a);
        case Step::exp:
            return std::exp(a);
        case Step::floor:
            return std::floor(a);
        case Step::log:
            return std::log(a);
        case Step::max:
            return std::max(a, b);
        case Step::min:
            return std::min(a, b);
        case Step::pow:
            return std::pow(a, b);
        case Step::relu:
            return a > 0 ? a : 0;
        case Step::round:
            return std::nearbyint(a);
        case Step::sigmoid:
            return 1 / (1 + std::exp(-a));
        case Step::sqrt:
            return std::sqrt(a);
        case Step::tanh:
            return std::tanh(a);
        case Step::number:
        case Step::name:
            break;
    }
    return a;
}

bool takes_two(Step step) {
    return step == Step::add || step == Step::subtract || step == Step::multiply || step == Step::divide ||
           step == Step::max || step == Step::min || step == Step::pow;
}

}  // namespace

/// Sum of products of numbers, names, calls and parentheses.
class FormulaParser {
public:
    FormulaParser(Formula& formula, std::string_view place)
        : formula_{formula}, text_{formula.text_}, place_{place} {}

    void whole() {
        sum(0);
        skip();
        if (at_ < text_.size()) {
            fail("is not expected");
        }
    }

private:
    [[noreturn]] void fail(std::string_view why) const {
        throw UserError{"{}: '{}': '{}' {} ({})",
                        place_,
                        text_,
                        text_.substr(std::min(at_, text_.size())),
                        why,
                        what_there_is()};
    }

    void skip() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
            ++at_;
        }
    }

    bool take(char letter) {
        skip();
        if (at_ >= text_.size() || text_[at_] != letter) {
            return false;
        }
        ++at_;
        return true;
    }

    void add(Step step, std::uint32_t operands) {
        formula_.operations_.push_back({.step = step});
        stack_ -= operands - 1;
    }

    void push(double number, Step step, std::uint32_t name) {
        formula_.operations_.push_back({.step = step, .number = number, .name = name});
        formula_.depth_ = std::max(formula_.depth_, ++stack_);
    }

    void sum(std::uint32_t depth) {
        if (depth > deepest_formula) {
            fail("is too deep");
        }
        product(depth);
        for (;;) {
            if (take('+')) {
                product(depth);
                add(Step::add, 2);
            } else if (take('-')) {
                product(depth);
                add(Step::subtract, 2);
            } else {
                return;
            }
        }
    }

    void product(std::uint32_t depth) {
        factor(depth);
        for (;;) {
            if (take('*')) {
                factor(depth);
                add(Step::multiply, 2);
            } else if (take('/')) {
                factor(depth);
                add(Step::divide, 2);
            } else {
                return;
            }
        }
    }

    void factor(std::uint32_t depth) {
        if (take('-')) {
            if (depth > deepest_formula) {
                fail("is too deep");
            }
            factor(depth + 1);
            add(Step::negate, 1);
            return;
        }
        if (take('(')) {
            sum(depth + 1);
            close();
            return;
        }
        skip();
        if (at_ < text_.size() &&
            (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.')) {
            number();
            return;
        }
        const std::string word = name();
        if (!take('(')) {
            use(word);
            return;
        }
        const auto* const found = std::ranges::find(known_functions, word, &KnownFunction::name);
        if (found == known_functions.end()) {
            throw UserError{"{}: '{}': there is no function {}{} ({})",
                            place_,
                            text_,
                            word,
                            nearest_function(word),
                            what_there_is()};
        }
        for (std::uint32_t i = 0; i < found->operands; ++i) {
            if (i > 0 && !take(',')) {
                fail("comes where a comma is expected");
            }
            sum(depth + 1);
        }
        close();
        add(found->step, found->operands);
    }

    void close() {
        if (!take(')')) {
            fail("comes where ')' is expected");
        }
    }

    void number() {
        double value = 0;
        const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (error != std::errc{}) {
            fail("is no number");
        }
        at_ = static_cast<std::size_t>(end - text_.data());
        push(value, Step::number, 0);
    }

    std::string name() {
        const std::size_t begin = at_;
        while (at_ < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
            ++at_;
        }
        if (begin == at_) {
            fail("comes where a number or a name is expected");
        }
        return std::string{text_.substr(begin, at_ - begin)};
    }

    void use(const std::string& word) {
        auto known = std::ranges::find(formula_.names_, word);
        if (known == formula_.names_.end()) {
            known = formula_.names_.insert(known, word);
        }
        push(0, Step::name, static_cast<std::uint32_t>(known - formula_.names_.begin()));
    }

    static std::string what_there_is() {
        std::string all = "operators: + - * /; functions: ";
        for (const KnownFunction& function : known_functions) {
            all += fmt::format("{}{}", &function == known_functions.data() ? "" : ", ", function.name);
        }
        return all;
    }

    static std::string nearest_function(const std::string& word) {
        std::vector<std::string> names;
        for (const KnownFunction& function : known_functions) {
            names.emplace_back(function.name);
        }
        return nearest_hint(word, names);
    }

    Formula& formula_;
    std::string_view text_;
    std::string_view place_;
    std::size_t at_ = 0;
    std::uint32_t stack_ = 0;
};

Formula::Formula(std::string_view text, std::string_view place) : text_{text} {
    FormulaParser{*this, place}.whole();
    constexpr std::uint32_t most = 256;
    if (depth_ > most) {
        throw UserError{"{}: '{}' is too long", place, text};
    }
}

double Formula::value(std::span<const double> values) const {
    std::array<double, 256> stack{};
    std::size_t top = 0;  // the first free place
    for (const Operation& operation : operations_) {
        if (operation.step == Step::number || operation.step == Step::name) {
            stack[top++] = operation.step == Step::number ? operation.number : values[operation.name];
        } else if (takes_two(operation.step)) {
            --top;
            stack[top - 1] = computed(operation.step, stack[top - 1], stack[top]);
        } else {
            stack[top - 1] = computed(operation.step, stack[top - 1], 0);
        }
    }
    return stack[0];
}

}  // namespace ascendsim::host
