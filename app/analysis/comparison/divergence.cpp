// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <memory>

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

// Lines in `a` by places of `b`; 0 for a line that is new in `b`.
std::vector<std::uint32_t> matched_lines_of(const Recording& a, const Recording& b) {
    const LineMatch lines{a, b};
    std::vector<std::uint32_t> result;
    for (const record::SourceLine& place : b.sites()) {
        const std::optional<record::SourceLine> before = lines.in_a(place);
        result.push_back(before ? before->line + 1 : 0);
    }
    return result;
}

/// Goes through the spans of a lane that a program makes, holding the chunk where it is.
class Place {
public:
    Place(const Lane& lane, std::uint64_t from)
        : lane_{lane}, from_{from}, i_{lane.first_ending_after(from)} {
        settle();
    }

    void next() {
        ++i_;
        settle();
    }

    [[nodiscard]] bool ended() const { return i_ >= lane_.size(); }

    [[nodiscard]] std::size_t index() const { return i_; }

    /// Cycles since the beginning.
    [[nodiscard]] std::uint64_t start() const {
        const std::uint64_t start = chunk_->start[at()];
        return start < from_ ? 0 : start - from_;
    }

    [[nodiscard]] std::uint64_t length() const { return chunk_->end[at()] - chunk_->start[at()]; }

    [[nodiscard]] std::uint32_t op() const { return chunk_->op[at()]; }

    [[nodiscard]] std::uint32_t site() const { return chunk_->site[at()]; }

private:
    [[nodiscard]] std::size_t at() const { return i_ - chunk_->first; }

    /// Past what no program does: launch, tail and cores without work differ with the time of the others.
    void settle() {
        for (; i_ < lane_.size(); ++i_) {
            if (!chunk_ || at() >= chunk_->size()) {
                chunk_ = lane_.spans->hold(i_);
            }
            if (!outside_program(chunk_->reason[at()])) {
                return;
            }
        }
    }

    const Lane& lane_;
    std::uint64_t from_;
    std::size_t i_;
    std::shared_ptr<const record::ChunkColumns> chunk_;
};

class Search {
public:
    Search(const Recording& a, const Recording& b)
        : a_{a},
          b_{b},
          from_a_{reported(a).from},
          from_b_{reported(b).from},
          names_{matched_names(a, b)},
          lines_{matched_lines_of(a, b)} {}

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
    void compare(const Lane& lane_a, const Lane& lane_b) {
        Place a{lane_a, from_a_};
        Place b{lane_b, from_b_};
        const std::size_t first = lane_a.first_ending_after(from_a_);
        for (; !a.ended() || !b.ended(); a.next(), b.next()) {
            const std::uint64_t begin = std::min(a.ended() ? ~std::uint64_t{0} : a.start(),
                                                 b.ended() ? ~std::uint64_t{0} : b.start());
            if (begin >= earliest_) {
                return;
            }
            if ((a.ended() && !a_.complete()) || (b.ended() && !b_.complete())) {
                return;  // the recording ends here, which says nothing of the program
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
                                .index = a.index() - first,
                                .cycle_a = a.ended() ? 0 : a.start(),
                                .cycle_b = b.ended() ? 0 : b.start(),
                                .what_a = text_of(a_, lane_a, a.index()),
                                .what_b = text_of(b_, lane_b, b.index())};
            return;
        }
    }

    [[nodiscard]] bool same_instruction(const Place& a, const Place& b) const {
        return b.op() < names_.size() && names_[b.op()] == a.op() && b.site() < lines_.size() &&
               lines_[b.site()] == a_.site(a.site()).line + std::uint32_t{1};
    }

    const Recording& a_;
    const Recording& b_;
    std::uint64_t from_a_;
    std::uint64_t from_b_;
    std::vector<std::uint32_t> names_;
    std::vector<std::uint32_t> lines_;
    std::uint64_t earliest_ = ~std::uint64_t{0};
    std::optional<Divergence> first_;
};

}  // namespace

std::optional<Divergence> first_divergence(const Recording& a, const Recording& b) {
    return Search{a, b}.find();
}

}  // namespace ascendsim::analysis
