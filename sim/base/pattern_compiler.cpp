// SPDX-License-Identifier: Apache-2.0
#include "sim/base/pattern_compiler.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <utility>

#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

constexpr std::uint32_t endless = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t most_steps = 20'000;
constexpr std::uint32_t most_depth = 50;  // of groups within groups

std::int32_t length(std::size_t steps) {
    return static_cast<std::int32_t>(steps);
}

}  // namespace

PatternCompiler::PatternCompiler(Pattern& pattern, std::string_view expression, bool any_case)
    : pattern_{pattern}, text_{expression}, any_case_{any_case} {}

void PatternCompiler::compile() {
    Steps all{{Kind::save, 0}};
    append(all, alternatives());
    if (!ended()) {
        fail("a ) without its (");
    }
    append(all, {{Kind::save, 1}, {Kind::done}});
    for (std::int32_t i = 0; i < length(all.size()); ++i) {
        const Near& step = all[static_cast<std::size_t>(i)];
        const bool leads = step.kind == Kind::split || step.kind == Kind::jump;
        pattern_.steps_.push_back({.kind = step.kind,
                                   .a = static_cast<std::uint32_t>(leads ? i + step.a : step.a),
                                   .b = static_cast<std::uint32_t>(leads ? i + step.b : 0)});
    }
    find_first_letters();
}

void PatternCompiler::append(Steps& to, const Steps& more) const {
    if (to.size() + more.size() > most_steps) {
        fail("too long");
    }
    to.insert(to.end(), more.begin(), more.end());
}

PatternCompiler::Steps PatternCompiler::alternatives() {
    if (++depth_ > most_depth) {
        fail("groups nested too deep");
    }
    Steps all = sequence();
    if (take("|")) {
        const Steps other = alternatives();
        Steps both{{Kind::split, 1, length(all.size()) + 2}};
        append(both, all);
        append(both, {{Kind::jump, length(other.size()) + 1}});
        append(both, other);
        all = std::move(both);
    }
    --depth_;
    return all;
}

PatternCompiler::Steps PatternCompiler::sequence() {
    Steps all;
    while (!ended() && !at("|") && !at(")")) {
        append(all, repeated(one()));
    }
    return all;
}

PatternCompiler::Steps PatternCompiler::one() {
    if (take("(")) {
        return group();
    }
    if (take("[")) {
        return letters(bracketed());
    }
    if (take("\\")) {
        return escaped();
    }
    if (take("^")) {
        return {{Kind::begin}};
    }
    if (take("$")) {
        return {{Kind::end}};
    }
    Letters set;
    if (take(".")) {
        return letters(set.set().reset('\n').reset('\r'));
    }
    if (at("*") || at("+") || at("?") || at("{")) {
        fail(fmt::format("nothing before the {}", text_[at_]));
    }
    return letters(set.set(static_cast<unsigned char>(text_[at_++])));
}

PatternCompiler::Steps PatternCompiler::group() {
    const bool kept = !take("?:");
    if (kept && at("?")) {
        fail("look-ahead is not known here");
    }
    const auto slot = static_cast<std::int32_t>(2 * pattern_.groups_);
    pattern_.groups_ += kept ? 1 : 0;
    Steps all = kept ? Steps{{Kind::save, slot}} : Steps{};
    append(all, alternatives());
    if (!take(")")) {
        fail("a ( without its )");
    }
    if (kept) {
        append(all, {{Kind::save, slot + 1}});
    }
    return all;
}

PatternCompiler::Steps PatternCompiler::escaped() {
    if (ended()) {
        fail("nothing behind the \\");
    }
    const char letter = text_[at_++];
    if (letter == 'b' || letter == 'B') {
        return {{letter == 'b' ? Kind::word_edge : Kind::no_word_edge}};
    }
    if (const Letters set = of_class(letter); set.any()) {
        return letters(set);
    }
    if (letter >= '1' && letter <= '9') {
        fail("references back are not known here");
    }
    return letters(Letters{}.set(static_cast<unsigned char>(meaning_of(letter))));
}

PatternCompiler::Steps PatternCompiler::letters(Letters set) {
    for (int letter = 'a'; any_case_ && letter <= 'z'; ++letter) {
        const auto small = static_cast<std::size_t>(letter);
        const auto large = static_cast<std::size_t>(std::toupper(letter));
        const bool either = set[small] || set[large];
        set[small] = set[large] = either;
    }
    pattern_.sets_.push_back(set);
    return {{Kind::letter, length(pattern_.sets_.size()) - 1}};
}

PatternCompiler::Steps PatternCompiler::repeated(const Steps& steps) {
    std::uint32_t least = 1;
    std::uint32_t most = 1;
    if (!counts(least, most)) {
        return steps;
    }
    const bool greedy = !take("?");
    if (at("*") || at("+") || at("?") || at("{")) {
        fail("a repeat of a repeat");
    }
    const auto split = [greedy](std::int32_t into, std::int32_t past) {
        return greedy ? Steps{{Kind::split, into, past}} : Steps{{Kind::split, past, into}};
    };
    Steps all;
    for (std::uint32_t i = 0; i < least; ++i) {
        append(all, steps);
    }
    const std::int32_t once = length(steps.size());
    if (most == endless) {  // 0: split 1, 3; 1: steps; 2: jump 0; 3:
        append(all, split(1, once + 2));
        append(all, steps);
        append(all, {{Kind::jump, -(once + 1)}});
        return all;
    }
    for (std::uint32_t left = most - least; left > 0; --left) {  // each may be the first that is left out
        const auto rest = static_cast<std::int32_t>(left) * (once + 1);
        append(all, split(1, rest));
        append(all, steps);
    }
    return all;
}

bool PatternCompiler::counts(std::uint32_t& least, std::uint32_t& most) {
    if (take("*")) {
        least = 0;
        most = endless;
    } else if (take("+")) {
        most = endless;
    } else if (take("?")) {
        least = 0;
    } else if (take("{")) {
        least = number();
        most = !take(",") ? least : at("}") ? endless : number();
        if (!take("}") || most < least) {
            fail("wrong numbers in {}");
        }
    } else {
        return false;
    }
    return true;
}

std::uint32_t PatternCompiler::number() {
    constexpr std::uint32_t largest = 1000;
    std::uint32_t value = 0;
    const std::size_t begin = at_;
    for (; !ended() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
        value = std::min(value * 10 + static_cast<std::uint32_t>(text_[at_] - '0'), largest + 1);
    }
    if (at_ == begin || value > largest) {
        fail(fmt::format("{{}} takes numbers up to {}", largest));
    }
    return value;
}

PatternCompiler::Letters PatternCompiler::bracketed() {
    Letters set;
    const bool others = take("^");
    while (!at("]")) {
        if (ended()) {
            fail("a [ without its ]");
        }
        char first = text_[at_++];
        if (first == '\\' && !ended()) {
            const char letter = text_[at_++];
            if (const Letters known = of_class(letter); known.any()) {
                set |= known;
                continue;
            }
            first = meaning_of(letter);
        }
        char last = first;
        if (at("-") && !at("-]")) {
            ++at_;
            last = ended() ? first : text_[at_++];
            last = last == '\\' && !ended() ? meaning_of(text_[at_++]) : last;
        }
        const auto from = static_cast<unsigned char>(first);
        const auto to = static_cast<unsigned char>(last);
        if (from > to) {
            fail("a range from a later letter to an earlier one");
        }
        for (std::size_t letter = from; letter <= to; ++letter) {
            set.set(letter);
        }
    }
    ++at_;
    return others ? ~set : set;
}

PatternCompiler::Letters PatternCompiler::of_class(char letter) {
    Letters set;
    const auto lower = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    constexpr std::size_t ascii_end = 128;
    for (std::size_t i = 0; i < ascii_end; ++i) {
        const auto code = static_cast<int>(i);
        set[i] = lower == 'd'   ? std::isdigit(code) != 0
                 : lower == 's' ? std::isspace(code) != 0
                 : lower == 'w' ? std::isalnum(code) != 0 || i == '_'
                                : false;
    }
    return set.any() && letter != lower ? ~set : set;
}

char PatternCompiler::meaning_of(char letter) const {
    switch (letter) {
        case 'n':
            return '\n';
        case 't':
            return '\t';
        case 'r':
            return '\r';
        default:
            break;
    }
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
        fail(fmt::format("\\{} is not known here", letter));
    }
    return letter;
}

/// Places that no match begins at are passed over quickly.
void PatternCompiler::find_first_letters() {
    using Step = Pattern::Step;
    std::vector<std::uint32_t> open{0};
    std::vector<bool> seen(pattern_.steps_.size());
    while (!open.empty()) {
        const std::uint32_t number = open.back();
        open.pop_back();
        if (seen[number]) {
            continue;
        }
        seen[number] = true;
        const Step& step = pattern_.steps_[number];
        switch (step.kind) {
            case Kind::letter:
                pattern_.first_ |= pattern_.sets_[step.a];
                break;
            case Kind::done:
                pattern_.first_.set();  // may be empty, and so be anywhere
                break;
            case Kind::split:
                open.push_back(step.b);
                open.push_back(step.a);
                break;
            case Kind::jump:
                open.push_back(step.a);
                break;
            case Kind::save:
            case Kind::begin:
            case Kind::end:
            case Kind::word_edge:
            case Kind::no_word_edge:
                open.push_back(number + 1);
                break;
        }
    }
}

bool PatternCompiler::take(std::string_view next) {
    const bool there = at(next);
    at_ += there ? next.size() : 0;
    return there;
}

void PatternCompiler::fail(const std::string& why) const {
    throw UserError{"'{}' is not a regular expression: {}", text_.substr(0, 200), why};
}

}  // namespace ascendsim
