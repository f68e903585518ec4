// SPDX-License-Identifier: Apache-2.0
#include "sim/record/lane_sums.hpp"

#include <algorithm>

namespace ascendsim::record {

void LaneSums::begin_at(std::uint64_t cycle) {
    LaneSums fresh;
    fresh.begin_ = cycle;
    fresh.start_ = start_;
    fresh.any_ = any_;
    fresh.before_ = any_;
    *this = std::move(fresh);
}

void LaneSums::add(const SpanChunk& chunk) {
    std::uint32_t transfer = 0;
    auto wide = chunk.wide.begin();
    for (std::uint32_t i = 0; i < chunk.count; ++i) {
        const SpanRow& row = chunk.rows[i];
        const TransferRow* const transferred =
            (row.kind & kind_transfer) != 0 ? &chunk.transfers[transfer++] : nullptr;
        const bool is_wide = wide != chunk.wide.end() && wide->row == i;
        add(row, is_wide ? (wide++)->duration : row.duration, chunk.first + i, transferred);
    }
}

void LaneSums::add(const SpanRow& row,
                   std::uint64_t duration,
                   std::uint64_t index,
                   const TransferRow* transfer) {
    const std::uint64_t end = row.start + duration;
    if (!any_) {
        any_ = true;
        start_ = row.start;
    }
    if (end <= begin_) {
        before_ = true;
        return;
    }
    if (!counted_) {
        counted_ = true;
        first_start_ = row.start;
        last_end_ = row.start;
    }
    between_ += row.start - last_end_;
    last_end_ = end;
    const auto reason = static_cast<Reason>(row.kind & kind_reason_mask);
    spans_[static_cast<std::size_t>(reason)] += duration;
    if (outside_program(reason)) {
        return;
    }
    used_ = true;
    add_site(row, reason, duration);
    if (transfer != nullptr) {
        add_transfer(row, duration, *transfer);
    }
    if (reason != Reason::none) {
        if ((row.kind & kind_culprit) != 0 && row.culprit_what != 0 && duration != 0) {
            add_cause(row, reason, duration, index);
        }
        return;
    }
    add_instruction(row, duration);
}

void LaneSums::add_instruction(const SpanRow& row, std::uint64_t duration) {
    ++instructions;
    work += row.work;
    bytes += row.bytes;
    conflict_cycles += row.conflict;
    const std::uint32_t memory = row.kind >> kind_memory_shift;
    if (row.bytes != 0 && memory < memories) {
        ++moved[memory].moves;
        moved[memory].bytes += row.bytes;
        moved[memory].active_cycles += duration;
    }
}

void LaneSums::add_site(const SpanRow& row, Reason reason, std::uint64_t duration) {
    if (row.site == 0) {
        return;
    }
    if (row.site >= sites.size()) {
        sites.resize(row.site + std::size_t{1});
    }
    SiteSum& sum = sites[row.site];
    ++sum.count;
    (reason == Reason::none ? sum.busy_cycles : sum.wait_cycles) += duration;
    if (duration > sum.longest || sum.longest == 0) {
        sum.longest = std::max<std::uint64_t>(duration, 1);
        sum.op = row.op;
    }
}

void LaneSums::add_cause(const SpanRow& row, Reason reason, std::uint64_t duration, std::uint64_t index) {
    const auto same = [&](const CauseSum& cause) {
        return cause.what == row.culprit_what && cause.reason == reason;
    };
    // Loops wait for the same few instructions in the same order: the next cause is most often the one after
    // the last.
    const std::size_t next = last_cause_ + 1 < causes.size() ? last_cause_ + 1 : 0;
    if (causes.empty() || !same(causes[last_cause_])) {
        const auto found = !causes.empty() && same(causes[next])
                               ? causes.begin() + static_cast<std::ptrdiff_t>(next)
                               : std::ranges::find_if(causes, same);
        last_cause_ = static_cast<std::uint32_t>(found - causes.begin());
        if (found == causes.end()) {
            causes.push_back({.reason = reason,
                              .what = row.culprit_what,
                              .first = index,
                              .culprit_lane = row.culprit_lane});
        }
    }
    causes[last_cause_].cycles += duration;
}

void LaneSums::add_transfer(const SpanRow& row, std::uint64_t duration, const TransferRow& transfer) {
    if (transfer.route >= routes) {
        return;
    }
    RouteSum& sum = transfers[transfer.route];
    ++sum.transfers;
    sum.bytes += row.bytes;
    sum.requests += transfer.requests;
    sum.active_cycles += duration;
    sum.l2_hit_bytes += transfer.l2_hit_bytes;
    sum.hbm_read_bytes += transfer.hbm_read_bytes;
    sum.hbm_write_bytes += transfer.hbm_write_bytes;
    sum.limited_cycles[std::min<std::size_t>(transfer.limiter, sum.limited_cycles.size() - 1)] += duration;
}

std::array<std::uint64_t, reason_count> LaneSums::cycles(std::uint64_t core_start, std::uint64_t to) const {
    std::array<std::uint64_t, reason_count> result = spans_;
    const auto add = [&](Reason reason, std::uint64_t from, std::uint64_t until) {
        result[static_cast<std::size_t>(reason)] += until > from ? until - from : 0;
    };
    if (!any_) {
        add(Reason::unused, begin_, to);
        return result;
    }
    if (!counted_) {
        add(Reason::tail, begin_, to);
        return result;
    }
    const std::uint64_t waits_from = before_ ? begin_ : std::clamp(core_start, begin_, first_start_);
    add(Reason::launch, begin_, waits_from);
    add(Reason::issue, waits_from, first_start_);
    add(Reason::issue, 0, between_);
    add(Reason::tail, last_end_, to);
    return result;
}

}  // namespace ascendsim::record
