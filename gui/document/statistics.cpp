// SPDX-License-Identifier: Apache-2.0
#include "gui/document/statistics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "gui/document/search.hpp"

namespace ascendsim::gui {
namespace {

void add(InstructionTotal& total, const Pick& pick, const record::ChunkColumns& chunk, std::size_t k) {
    const std::uint64_t cycles = pick.cycles();
    if (total.count == 0 || cycles > total.most) {
        total.longest = pick;
    }
    total.least = total.count == 0 ? cycles : std::min(total.least, cycles);
    total.most = std::max(total.most, cycles);
    ++total.count;
    total.cycles += cycles;
    total.bytes += chunk.bytes[k];
    total.conflicts += chunk.conflict[k];
    const auto place = static_cast<std::size_t>(std::bit_width(std::max<std::uint64_t>(1, cycles)) - 1);
    ++total.lengths.at(std::min(place, total.lengths.size() - 1));
}

using Totals = std::unordered_map<std::uint64_t, InstructionTotal>;

void add_lane(Totals& totals,
              const Run& run,
              std::uint32_t number,
              const TimeRange& range,
              const std::optional<SpanFilter>& filter) {
    const record::Lane& lane = run.recording().lane(number);
    const std::size_t first = lane.first_ending_after(static_cast<std::uint64_t>(std::max(0.0, range.begin)));
    record::for_each_span(lane, first, [&](const record::ChunkColumns& chunk, std::size_t k, std::size_t i) {
        if (static_cast<double>(chunk.start[k]) >= range.end) {
            return false;
        }
        if (chunk.reason[k] != record::Reason::none || (filter && !filter->matches(lane, i))) {
            return true;
        }
        InstructionTotal& total = totals[std::uint64_t{chunk.op[k]} << 32U | chunk.site[k]];
        total.op = chunk.op[k];
        total.site = chunk.site[k];
        add(total, Pick{number, {chunk.start[k], chunk.end[k], chunk.reason[k], false, i}}, chunk, k);
        return true;
    });
}

}  // namespace

std::vector<InstructionTotal> statistics_of(const Run& run, TimeRange range, std::string_view text) {
    std::optional<SpanFilter> filter;
    if (!text.empty()) {
        filter.emplace(run.recording(), text);
    }
    std::map<std::string, Totals> by_pipe;
    for (const CoreLanes& core : run.cores()) {
        for (const std::uint32_t lane : core.lanes) {
            add_lane(by_pipe[std::string{run.recording().lane(lane).path.pipe()}], run, lane, range, filter);
        }
    }
    std::vector<InstructionTotal> result;
    for (auto& [pipe, totals] : by_pipe) {
        for (auto& [key, total] : totals) {
            total.pipe = pipe;
            result.push_back(std::move(total));
        }
    }
    std::ranges::sort(result, [](const InstructionTotal& a, const InstructionTotal& b) {
        return std::tuple{b.cycles, a.op, a.site, std::string_view{a.pipe}} <
               std::tuple{a.cycles, b.op, b.site, std::string_view{b.pipe}};
    });
    return result;
}

}  // namespace ascendsim::gui
