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

void add(InstructionTotal& total, const Pick& pick, const record::Lane& lane) {
    const std::size_t i = pick.stretch.index;
    const std::uint64_t cycles = pick.cycles();
    if (total.count == 0 || cycles > total.most) {
        total.longest = pick;
    }
    total.least = total.count == 0 ? cycles : std::min(total.least, cycles);
    total.most = std::max(total.most, cycles);
    ++total.count;
    total.cycles += cycles;
    total.bytes += lane.bytes[i];
    total.conflicts += lane.conflict[i];
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
    for (std::size_t i = lane.first_ending_after(static_cast<std::uint64_t>(std::max(0.0, range.begin)));
         i < lane.size() && static_cast<double>(lane.start[i]) < range.end;
         ++i) {
        if (lane.reason[i] != record::Reason::none || (filter && !filter->matches(lane, i))) {
            continue;
        }
        InstructionTotal& total = totals[std::uint64_t{lane.op[i]} << 32U | lane.site[i]];
        total.op = lane.op[i];
        total.site = lane.site[i];
        add(total, Pick{number, {lane.start[i], lane.end[i], lane.reason[i], false, i}}, lane);
    }
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
