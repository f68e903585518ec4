// SPDX-License-Identifier: Apache-2.0
#include "sim/record/track_path.hpp"

#include <algorithm>
#include <charconv>

#include "sim/base/error.hpp"

namespace ascendsim::record {

namespace {

std::string_view word_of(TrackKind kind) {
    return track_kind_words[static_cast<std::size_t>(kind)];
}

/// Kinds that stand as a name alone.
bool is_bare(TrackKind kind) {
    return kind == TrackKind::core || kind == TrackKind::pipe;
}

std::optional<TrackKind> kind_of_word(std::string_view word) {
    const auto found = std::ranges::find(track_kind_words, word);
    const auto kind = static_cast<TrackKind>(found - track_kind_words.begin());
    return found == track_kind_words.end() || kind == TrackKind::other ? std::nullopt : std::optional{kind};
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// The number that is written as these digits, if it is written so: without zeros in front.
std::optional<std::uint32_t> number_of(std::string_view digits) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool whole = error == std::errc{} && end == digits.data() + digits.size();
    return whole && std::to_string(value) == digits ? std::optional{value} : std::nullopt;
}

/// A segment that is a word, or a word and a number: "host", "node0".
std::optional<TrackSegment> word_and_number(std::string_view text) {
    const std::size_t digits = std::min(text.find_last_not_of("0123456789") + 1, text.size());
    const std::optional<TrackKind> kind = kind_of_word(text.substr(0, digits));
    if (!kind || is_bare(*kind)) {
        return std::nullopt;
    }
    if (digits == text.size()) {
        return TrackSegment{*kind};
    }
    const std::optional<std::uint32_t> number = number_of(text.substr(digits));
    return number ? std::optional{TrackSegment{*kind, *number}} : std::nullopt;
}

TrackSegment parse_segment(std::string_view text, bool below_core) {
    if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
        const std::optional<TrackKind> kind = kind_of_word(text.substr(0, colon));
        const bool named = kind && colon + 1 < text.size();
        return named ? TrackSegment{*kind, text.substr(colon + 1)} : TrackSegment{TrackKind::other, text};
    }
    if (std::optional<TrackSegment> segment = word_and_number(text)) {
        return *segment;
    }
    return {below_core ? TrackKind::pipe : TrackKind::core, text};
}

std::string text_of(const TrackSegment& segment) {
    if (segment.number) {
        return std::string{word_of(segment.kind)} + std::to_string(*segment.number);
    }
    if (segment.kind == TrackKind::other) {
        return segment.name;
    }
    if (segment.name.empty()) {
        return std::string{word_of(segment.kind)};
    }
    const bool plain = segment.name.find(':') == std::string::npos && !word_and_number(segment.name);
    return is_bare(segment.kind) && plain ? segment.name
                                          : std::string{word_of(segment.kind)} + ":" + segment.name;
}

bool is_good_name(std::string_view name) {
    return !name.empty() && name.size() <= TrackPath::longest_name &&
           std::ranges::none_of(name, [](char c) { return c == '/' || (c >= 0 && c < ' '); });
}

/// What is wrong with a segment by itself, or nothing.
std::string_view fault_of(const TrackSegment& segment) {
    const bool named = !segment.name.empty();
    if (segment.number && (named || is_bare(segment.kind) || segment.kind == TrackKind::other)) {
        return "a name stands where a number does";
    }
    if (!named && !segment.number && (is_bare(segment.kind) || segment.kind == TrackKind::other)) {
        return "a name is missing";
    }
    if (named && !is_good_name(segment.name)) {
        return "a name is too long or has a slash or a control character in it";
    }
    if (segment.kind == TrackKind::other) {
        const std::size_t colon = segment.name.find(':');
        const bool foreign = colon != std::string::npos && colon + 1 < segment.name.size() &&
                             !kind_of_word(std::string_view{segment.name}.substr(0, colon));
        return foreign ? "" : "a segment of another kind is not \"word:name\"";
    }
    return "";
}

/// What is wrong with a path, or nothing.
std::string_view fault_of(std::span<const TrackSegment> segments) {
    if (segments.size() > TrackPath::most_segments) {
        return "it has too many segments";
    }
    if (std::ranges::count(segments, TrackKind::core, &TrackSegment::kind) > 1) {
        return "it has two cores";
    }
    bool below_core = false;
    for (std::size_t i = 0; i < segments.size(); ++i) {
        if (const std::string_view fault = fault_of(segments[i]); !fault.empty()) {
            return fault;
        }
        if (segments[i].kind == TrackKind::pipe && (!below_core || i + 1 < segments.size())) {
            return "a pipe is not the last segment, or of no core";
        }
        below_core = below_core || segments[i].kind == TrackKind::core;
    }
    return "";
}

/// Compares names; digits in them as numbers.
std::strong_ordering natural(std::string_view a, std::string_view b) {
    const std::string_view whole_a = a;
    const std::string_view whole_b = b;
    while (!a.empty() && !b.empty()) {
        const std::size_t zeros_a = std::min(a.find_first_not_of('0'), a.size());
        const std::size_t zeros_b = std::min(b.find_first_not_of('0'), b.size());
        if (!is_digit(a.front()) || !is_digit(b.front())) {
            if (a.front() != b.front()) {
                return a.front() <=> b.front();
            }
            a.remove_prefix(1);
            b.remove_prefix(1);
            continue;
        }
        a.remove_prefix(zeros_a);
        b.remove_prefix(zeros_b);
        const std::size_t end_a = std::min(a.find_first_not_of("0123456789"), a.size());
        const std::size_t end_b = std::min(b.find_first_not_of("0123456789"), b.size());
        if (end_a != end_b) {
            return end_a <=> end_b;
        }
        if (const auto order = a.substr(0, end_a) <=> b.substr(0, end_b); order != 0) {
            return order;
        }
        a.remove_prefix(end_a);
        b.remove_prefix(end_b);
    }
    return a.size() != b.size() ? a.size() <=> b.size() : whole_a <=> whole_b;
}

}  // namespace

std::strong_ordering operator<=>(const TrackSegment& a, const TrackSegment& b) {
    if (a.kind != b.kind) {
        return a.kind <=> b.kind;
    }
    if (a.number != b.number) {
        return a.number <=> b.number;
    }
    return natural(a.name, b.name);
}

std::strong_ordering operator<=>(const TrackPath& a, const TrackPath& b) {
    return std::lexicographical_compare_three_way(
        a.segments_.begin(), a.segments_.end(), b.segments_.begin(), b.segments_.end());
}

TrackPath::TrackPath(std::initializer_list<TrackSegment> segments) : segments_{segments} {
    const std::string_view fault = fault_of(segments_);
    check(fault.empty(), "the track {}: {}", text(), fault);
}

TrackPath TrackPath::parse(std::string_view text) {
    TrackPath path;
    for (std::size_t at = 0; at <= text.size() && path.segments_.size() <= most_segments;) {
        const std::size_t end = std::min(text.find('/', at), text.size());
        path.segments_.push_back(parse_segment(text.substr(at, end - at), path.on_core()));
        at = end + 1;
    }
    if (const std::string_view fault = fault_of(path.segments_); !fault.empty()) {
        throw UserError{"\"{}\" is no track: {}", text, fault};
    }
    return path;
}

TrackPath TrackPath::operator/(const TrackSegment& below) const {
    TrackPath path = *this;
    path.segments_.push_back(below);
    const std::string_view fault = fault_of(path.segments_);
    check(fault.empty(), "the track {}: {}", path.text(), fault);
    return path;
}

std::string TrackPath::text() const {
    std::string result;
    for (const TrackSegment& segment : segments_) {
        result += (result.empty() ? "" : "/") + text_of(segment);
    }
    return result;
}

const TrackSegment* TrackPath::find(TrackKind kind) const {
    const auto found = std::ranges::find(segments_, kind, &TrackSegment::kind);
    return found == segments_.end() ? nullptr : &*found;
}

std::optional<std::uint32_t> TrackPath::number(TrackKind kind) const {
    const TrackSegment* const segment = find(kind);
    return segment == nullptr ? std::nullopt : segment->number;
}

std::string_view TrackPath::core() const {
    const TrackSegment* const segment = find(TrackKind::core);
    return segment == nullptr ? std::string_view{} : segment->name;
}

std::string_view TrackPath::pipe() const {
    return kind() == TrackKind::pipe ? std::string_view{segments_.back().name} : std::string_view{};
}

TrackPath TrackPath::core_path() const {
    TrackPath path;
    if (const TrackSegment* const segment = find(TrackKind::core)) {
        path.segments_.assign(segments_.data(), segment + 1);
    }
    return path;
}

std::string TrackPath::leaf() const {
    return is_bare(kind()) ? segments_.back().name : empty() ? std::string{} : text_of(segments_.back());
}

std::string TrackPath::place() const {
    if (on_core()) {
        return std::string{core()};
    }
    TrackPath above = *this;
    if (above.segments_.size() > 1) {
        above.segments_.pop_back();
    }
    return above.text();
}

std::string TrackPath::title() const {
    return kind() == TrackKind::pipe ? std::string{core()} + " " + std::string{pipe()} : text();
}

bool same_track(const TrackPath& a, const TrackPath& b) {
    const auto is_group = [](const TrackSegment& segment) { return segment.kind == TrackKind::group; };
    auto of_a = a.segments().begin();
    auto of_b = b.segments().begin();
    for (;; ++of_a, ++of_b) {
        of_a = std::find_if_not(of_a, a.segments().end(), is_group);
        of_b = std::find_if_not(of_b, b.segments().end(), is_group);
        if (of_a == a.segments().end() || of_b == b.segments().end()) {
            return of_a == a.segments().end() && of_b == b.segments().end();
        }
        if (*of_a != *of_b) {
            return false;
        }
    }
}

}  // namespace ascendsim::record
