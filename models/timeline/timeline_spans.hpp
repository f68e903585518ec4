// SPDX-License-Identifier: Apache-2.0
// How a timeline makes spans, for its own two files: inlined, so that a span is written to the recording
// field by field and never stands in memory before.
#pragma once

#include <bit>

#include "models/timeline/timeline.hpp"

namespace ascendsim {

[[gnu::always_inline]] inline const Timeline::Named& Timeline::named(const Op& op) {
    constexpr std::size_t odd_factor = 0x9e3779b97f4a7c15ULL;
    const std::size_t key = std::bit_cast<std::uintptr_t>(op.info) + op.site.line;
    Named& seen = named_[key * odd_factor >> (64 - named_bits)];
    if (seen.info != op.info || seen.line != op.site.line || seen.file != op.site.file) [[unlikely]] {
        name_anew(seen, op);
    }
    return seen;
}

[[gnu::always_inline]] inline record::Span Timeline::base_span(const Op& op, std::uint64_t issue) {
    const Named& numbers = named(op);
    return {.issue = issue,
            .op = numbers.op,
            .site = numbers.site,
            .memory = static_cast<std::uint8_t>(op.memory),
            .offset = op.offset,
            .bytes = op.bytes,
            .work = op.work,
            .conflict = op.conflict};
}

[[gnu::always_inline]] inline record::Span Timeline::flag_span(const Op& op, std::uint64_t issue) {
    const Named& numbers = named(op);
    return {.issue = issue, .op = numbers.op, .site = numbers.site};
}

[[gnu::always_inline]] inline record::SpanId Timeline::append(Pipe pipe, const record::Span& span) {
    lane_end_[index(pipe)] = span.end;
    const std::uint32_t lane = lanes_[index(pipe)];
    if (lane == record::SpanId::no_lane) [[unlikely]] {
        lacks(pipe);
    }
    if (times_ != nullptr && pipe != Pipe::scalar) [[unlikely]] {
        times_->started(pipe, span.start, span.complete);
    }
    return {lane, recorder_.span(lane, span), record::what_of(span.op, span.site)};
}

}  // namespace ascendsim
