// SPDX-License-Identifier: Apache-2.0
// Runs an automaton for all ways to match at once, as K. Thompson (1968) and R. Pike's `sam` do it: the ways
// are kept in the order in which a matcher that tries one after the other would try them.
#include "sim/base/pattern.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/base/pattern_compiler.hpp"

namespace ascendsim {
namespace {

constexpr std::size_t unset = std::numeric_limits<std::size_t>::max();

bool is_word_letter(std::string_view text, std::size_t at) {
    if (at >= text.size()) {
        return false;
    }
    const char letter = text[at];
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_';
}

bool at_word_edge(std::string_view text, std::size_t at) {
    return (at > 0 && is_word_letter(text, at - 1)) != is_word_letter(text, at);
}

}  // namespace

/// The ways that are still open at one place of the text.
class Pattern::Run {
public:
    explicit Run(const Pattern& pattern)
        : pattern_{pattern},
          slots_{2 * pattern.groups_},
          seen_(pattern.steps_.size(), unset),
          slots_of_(pattern.steps_.size() * slots_) {}

    void restart(std::size_t at) {
        open_.clear();
        at_ = at;
    }

    [[nodiscard]] const std::vector<std::uint32_t>& open() const { return open_; }

    [[nodiscard]] const std::size_t* slots(std::uint32_t step) const { return &slots_of_[step * slots_]; }

    /// Opens a step, and those that it leads to without taking a letter, behind the ones that are open.
    void add(std::uint32_t step, const std::size_t* slots, std::string_view text) {
        own_.assign(slots, slots + slots_);
        todo_.clear();
        todo_.push_back({step, unset, 0});
        while (!todo_.empty()) {
            const Todo next = todo_.back();
            todo_.pop_back();
            if (next.slot != unset) {  // behind all that the save led to
                own_[next.slot] = next.before;
            } else if (seen_[next.step] != at_) {
                seen_[next.step] = at_;
                follow(next.step, text);
            }
        }
    }

private:
    struct Todo {
        std::uint32_t step;
        std::size_t slot;  // to be set back to `before`; unset: open the step
        std::size_t before;
    };

    void follow(std::uint32_t number, std::string_view text) {
        const Step& step = pattern_.steps_[number];
        const auto go_on = [&](bool holds) {
            if (holds) {
                todo_.push_back({number + 1, unset, 0});
            }
        };
        switch (step.kind) {
            case Step::Kind::jump:
                todo_.push_back({step.a, unset, 0});
                return;
            case Step::Kind::split:
                todo_.push_back({step.b, unset, 0});
                todo_.push_back({step.a, unset, 0});
                return;
            case Step::Kind::save:
                todo_.push_back({0, step.a, own_[step.a]});
                own_[step.a] = at_;
                return go_on(true);
            case Step::Kind::begin:
                return go_on(at_ == 0);
            case Step::Kind::end:
                return go_on(at_ == text.size());
            case Step::Kind::word_edge:
                return go_on(at_word_edge(text, at_));
            case Step::Kind::no_word_edge:
                return go_on(!at_word_edge(text, at_));
            case Step::Kind::letter:
            case Step::Kind::done:
                std::copy(own_.begin(),
                          own_.end(),
                          slots_of_.begin() + static_cast<std::ptrdiff_t>(number * slots_));
                open_.push_back(number);
                return;
        }
    }

    const Pattern& pattern_;
    std::size_t slots_;
    std::size_t at_ = 0;
    std::vector<std::size_t> seen_;  // by step: the place at which it was opened last
    std::vector<std::size_t> slots_of_;
    std::vector<std::uint32_t> open_;  // the preferred first
    std::vector<Todo> todo_;
    std::vector<std::size_t> own_;  // slots of what add() opens
};

Pattern::Pattern(std::string_view expression, Case letters) {
    PatternCompiler{*this, expression, letters == Case::any}.compile();
}

std::optional<PatternMatch> Pattern::find(std::string_view text, std::size_t from, bool whole_text) const {
    Run one{*this};
    Run other{*this};
    Run* now = &one;
    Run* next = &other;
    const std::vector<std::size_t> none(2 * groups_, unset);
    std::vector<std::size_t> best;
    now->restart(from);
    for (std::size_t at = from; at <= text.size(); ++at) {
        if (best.empty() && (!whole_text || at == from)) {
            if (now->open().empty()) {
                while (at < text.size() && !whole_text && !first_[static_cast<unsigned char>(text[at])]) {
                    ++at;
                }
                now->restart(at);
            }
            now->add(0, none.data(), text);
        }
        if (now->open().empty() && (whole_text || !best.empty())) {
            break;
        }
        next->restart(at + 1);
        for (const std::uint32_t number : now->open()) {
            const Step& step = steps_[number];
            if (step.kind == Step::Kind::done && (!whole_text || at == text.size())) {
                best.assign(now->slots(number), now->slots(number) + none.size());
                break;  // ways behind it are less preferred
            }
            if (step.kind == Step::Kind::letter && at < text.size() &&
                sets_[step.a][static_cast<unsigned char>(text[at])]) {
                next->add(number + 1, now->slots(number), text);
            }
        }
        std::swap(now, next);
    }
    if (best.empty()) {
        return std::nullopt;
    }
    PatternMatch match{.begin = best[0], .end = best[1], .groups = {}};
    for (std::size_t i = 0; i < best.size(); i += 2) {
        const bool took_part = best[i] != unset && best[i + 1] != unset;
        match.groups.push_back(took_part ? text.substr(best[i], best[i + 1] - best[i]) : std::string_view{});
    }
    return match;
}

std::optional<PatternMatch> Pattern::search(std::string_view text, std::size_t from) const {
    return find(text.data() == nullptr ? std::string_view{""} : text, from, false);
}

std::optional<PatternMatch> Pattern::whole(std::string_view text) const {
    return find(text.data() == nullptr ? std::string_view{""} : text, 0, true);
}

bool Pattern::is_in(std::string_view text) const {
    return search(text).has_value();
}

std::vector<PatternMatch> Pattern::all(std::string_view text) const {
    std::vector<PatternMatch> matches;
    for (std::size_t from = 0; from <= text.size();) {
        std::optional<PatternMatch> match = search(text, from);
        if (!match) {
            break;
        }
        from = match->end + (match->end == match->begin ? 1 : 0);
        matches.push_back(*std::move(match));
    }
    return matches;
}

}  // namespace ascendsim
