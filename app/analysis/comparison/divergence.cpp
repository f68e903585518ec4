// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "app/analysis/comparison/compare.hpp"
#include "app/analysis/comparison/line_match.hpp"
#include "app/analysis/file_name.hpp"
#include "app/analysis/instruction_words.hpp"
#include "app/analysis/lane_use.hpp"
#include "sim/record/words.hpp"

namespace ascendsim::analysis {

namespace {

using record::Lane;
using record::Recording;

std::string text_of(const Recording& recording, const Lane& lane, std::size_t i) {
    if (i >= lane.size()) {
        return {};
    }
    const record::SourceLine& line = recording.site(lane.site[i]);
    std::string text{spoken_instruction(recording.name(lane.op[i]))};
    if (!line.file.empty() && line.line != 0) {
        text += fmt::format(" at {}:{}", file_name(line.file), line.line);
    }
    text += fmt::format(" for {} cycles", lane.end[i] - lane.start[i]);
    return lane.reason[i] == record::Reason::none
               ? text
               : fmt::format("{}, {}", text, record::label(lane.reason[i]));
}

// Numbers of names in one recording, by those of the other.
std::vector<std::uint32_t> matched_names(const Recording& a, const Recording& b) {
    std::map<std::string, std::uint32_t> numbers;
    for (std::uint32_t i = 0; i < a.names().size(); ++i) {
        numbers.emplace(a.names()[i], i);
    }
    std::vector<std::uint32_t> result;
    for (const std::string& text : b.names()) {
        const auto found = numbers.find(text);
        result.push_back(found == numbers.end() ? ~std::uint32_t{0} : found->second);
    }
    return result;
}

class Search {
public:
    Search(const Recording& a, const Recording& b)
        : a_{a},
          b_{b},
          from_a_{reported(a).from},
          from_b_{reported(b).from},
          names_{matched_names(a, b)},
          lines_{a, b} {}

    std::optional<Divergence> find() {
        for (const Lane& lane : a_.lanes()) {
            const std::optional<std::uint32_t> other = b_.find(lane.path);
            if (lane.core_index && other) {
                compare(lane, b_.lane(*other));
            }
        }
        return first_;
    }

private:
    struct Place {
        const Lane& lane;
        std::size_t i;
        std::uint64_t from;

        /// Past what no program does: launch, tail and cores without work differ with the time of the others.
        void settle() {
            while (i < lane.size() && nobody(lane.reason[i])) {
                ++i;
            }
        }

        [[nodiscard]] static bool nobody(record::Reason reason) {
            return reason == record::Reason::launch || reason == record::Reason::block ||
                   reason == record::Reason::tail || reason == record::Reason::unused;
        }

        [[nodiscard]] bool ended() const { return i >= lane.size(); }

        [[nodiscard]] std::uint64_t start() const { return lane.start[i] < from ? 0 : lane.start[i] - from; }

        [[nodiscard]] std::uint64_t length() const { return lane.end[i] - lane.start[i]; }
    };

    void compare(const Lane& lane_a, const Lane& lane_b) {
        Place a{lane_a, lane_a.first_ending_after(from_a_), from_a_};
        Place b{lane_b, lane_b.first_ending_after(from_b_), from_b_};
        const std::size_t first = a.i;
        for (;; ++a.i, ++b.i) {
            a.settle();
            b.settle();
            if (a.ended() && b.ended()) {
                return;
            }
            const std::uint64_t begin = std::min(a.ended() ? ~std::uint64_t{0} : a.start(),
                                                 b.ended() ? ~std::uint64_t{0} : b.start());
            if (begin >= earliest_) {
                return;
            }
            const bool both = !a.ended() && !b.ended();
            const bool same_program = both && same_instruction(a, b);
            if (same_program && a.start() == b.start() && a.length() == b.length()) {
                continue;
            }
            earliest_ = begin;
            first_ = Divergence{.program = !same_program,
                                .core = std::string{lane_a.path.core()},
                                .pipe = std::string{lane_a.path.pipe()},
                                .index = a.i - first,
                                .cycle_a = a.ended() ? 0 : a.start(),
                                .cycle_b = b.ended() ? 0 : b.start(),
                                .what_a = text_of(a_, lane_a, a.i),
                                .what_b = text_of(b_, lane_b, b.i)};
            return;
        }
    }

    [[nodiscard]] bool same_instruction(const Place& a, const Place& b) const {
        const std::uint32_t op = b.lane.op[b.i];
        return op < names_.size() && names_[op] == a.lane.op[a.i] &&
               same_line(a.lane.site[a.i], b.lane.site[b.i]);
    }

    [[nodiscard]] bool same_line(std::uint32_t site_a, std::uint32_t site_b) const {
        const std::optional<record::SourceLine> before = lines_.in_a(b_.site(site_b));
        return before && before->line == a_.site(site_a).line;
    }

    const Recording& a_;
    const Recording& b_;
    std::uint64_t from_a_;
    std::uint64_t from_b_;
    std::vector<std::uint32_t> names_;
    LineMatch lines_;
    std::uint64_t earliest_ = ~std::uint64_t{0};
    std::optional<Divergence> first_;
};

}  // namespace

std::optional<Divergence> first_divergence(const Recording& a, const Recording& b) {
    return Search{a, b}.find();
}

}  // namespace ascendsim::analysis
