// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/chip_view/chip_moment.hpp"

#include <algorithm>
#include <cmath>

#include "gui/panels/chip_view/chip_sentences.hpp"
#include "sim/record/occupancy.hpp"

namespace ascendsim::gui {
namespace {

using record::Lane;

std::optional<Pipe> pipe_of(std::string_view name) {
    const auto found = std::ranges::find(pipe_names, name);
    return found == pipe_names.end() ? std::nullopt
                                     : std::optional{static_cast<Pipe>(found - pipe_names.begin())};
}

/// Adds what a lane moves in [from, to) to the routes; a transfer's bytes flow evenly while it is on the
/// pipe.
void add_rates(const Lane& lane,
               double from,
               double to,
               std::array<double, analysis::route_names.size()>& bytes) {
    const auto begin = static_cast<std::uint64_t>(std::max(0.0, std::floor(from)));
    for (std::size_t i = lane.first_ending_after(begin);
         i < lane.size() && static_cast<double>(lane.start[i]) < to;
         ++i) {
        if (lane.bytes[i] == 0 || lane.reason[i] != record::Reason::none) {
            continue;
        }
        const record::Span span = lane.span(i);
        const std::size_t route = span.route != record::Span::route_none
                                      ? span.route
                                      : analysis::core_route(lane.path.pipe(), span.memory);
        if (route >= bytes.size()) {
            continue;
        }
        const double length = std::max(1.0, static_cast<double>(span.end - span.start));
        const double shared =
            std::min(to, static_cast<double>(span.end)) - std::max(from, static_cast<double>(span.start));
        bytes[route] += static_cast<double>(span.bytes) * std::clamp(shared / length, 0.0, 1.0);
    }
}

/// Notes which parts of buffers a lane has touched in (cycle - window, cycle].
void add_touches(const Lane& lane, Pipe pipe, double cycle, double window, ChipMoment& moment) {
    const auto begin = static_cast<std::uint64_t>(std::max(0.0, cycle - window));
    for (std::size_t i = lane.first_ending_after(begin);
         i < lane.size() && static_cast<double>(lane.start[i]) <= cycle;
         ++i) {
        const std::uint8_t memory = lane.memory[i];
        if (lane.bytes[i] == 0 || lane.reason[i] != record::Reason::none || memory == 0 ||
            memory >= memory_count) {
            continue;
        }
        moment.memories[memory].touches.push_back({.offset = lane.offset[i],
                                                   .bytes = lane.bytes[i],
                                                   .pipe = pipe,
                                                   .now = static_cast<double>(lane.end[i]) > cycle});
    }
}

std::uint64_t capacity_of(const Run& run, Memory memory) {
    const std::string path = "buffers." + std::string{name(memory)};
    return static_cast<std::uint64_t>(run.chip().number(path, 0));
}

void add_memories(
    const Run& run, const BufferIndex& buffers, const CoreLanes& core, double cycle, ChipMoment& moment) {
    for (std::size_t n = 0; n < memory_count; ++n) {
        moment.memories[n].capacity = capacity_of(run, static_cast<Memory>(n));
    }
    const auto now = static_cast<std::uint64_t>(std::max(0.0, cycle));
    for (const record::Buffer* buffer : buffers.of_core(core.core_index)) {
        if (buffer->memory < memory_count && buffer->from <= now && (buffer->to == 0 || now < buffer->to)) {
            MemoryMoment& memory = moment.memories[buffer->memory];
            memory.used += buffer->bytes;
            memory.buffers.push_back(buffer);
        }
    }
}

}  // namespace

void BufferIndex::follow(const Run& run) {
    if (data_ == run.data()) {
        return;
    }
    data_ = run.data();
    by_core_.clear();
    for (const record::Buffer& buffer : run.recording().buffers()) {
        if (buffer.core_index >= by_core_.size()) {
            by_core_.resize(buffer.core_index + 1);
        }
        by_core_[buffer.core_index].push_back(&buffer);
    }
}

const std::vector<const record::Buffer*>& BufferIndex::of_core(std::uint32_t core_index) const {
    static const std::vector<const record::Buffer*> none;
    return core_index < by_core_.size() ? by_core_[core_index] : none;
}

ChipMoment moment_of(const Run& run,
                     const BufferIndex& buffers,
                     const CoreLanes& core,
                     double cycle,
                     double window,
                     const Theme& theme) {
    ChipMoment moment;
    const double from = std::max(0.0, cycle - window / 2);
    const double to = from + window;
    for (const std::uint32_t number : core.lanes) {
        const Lane& lane = run.recording().lane(number);
        const std::optional<Pipe> pipe = pipe_of(lane.path.pipe());
        if (!pipe) {
            continue;
        }
        UnitMoment& unit = moment.units[index(*pipe)];
        unit.present = true;
        unit.lane = number;
        unit.pick = pick_at(run, number, cycle);
        if (unit.pick) {
            const TimeRange range = unit.pick->range();
            unit.progress = std::clamp((cycle - range.begin) / std::max(1.0, range.length()), 0.0, 1.0);
            unit.sentence = sentence_for(run, *unit.pick, theme);
        }
        add_rates(lane, from, to, moment.rates);
        add_touches(lane, *pipe, cycle, window, moment);
    }
    for (double& rate : moment.rates) {
        rate /= std::max(1.0, window);
    }
    add_memories(run, buffers, core, cycle, moment);
    return moment;
}

double core_heat(const Run& run, const CoreLanes& core, double cycle, double window) {
    const auto from = static_cast<std::uint64_t>(std::max(0.0, cycle - window / 2));
    const auto to = from + static_cast<std::uint64_t>(std::max(1.0, window));
    double heat = 0;
    for (const std::uint32_t lane : core.lanes) {
        if (core.lanes.size() > 1 && run.recording().lane(lane).path.pipe() == name(Pipe::scalar)) {
            continue;
        }
        const record::Occupancy seen = record::occupancy(run.recording(), lane, from, to);
        if (seen.total() > 0) {
            heat = std::max(heat, static_cast<double>(seen.busy()) / static_cast<double>(seen.total()));
        }
    }
    return heat;
}

std::optional<double> next_event(const Run& run, const CoreLanes& core, double cycle, bool forward) {
    const double end = run.cycles();
    if (forward ? cycle >= end : cycle <= 0) {
        return std::nullopt;
    }
    double nearest = forward ? end : 0;
    const auto offer = [&](double at) {
        if (forward ? at > cycle : at < cycle) {
            nearest = forward ? std::min(nearest, at) : std::max(nearest, at);
        }
    };
    const auto now = static_cast<std::uint64_t>(std::max(0.0, cycle));
    for (const std::uint32_t number : core.lanes) {
        const Lane& lane = run.recording().lane(number);
        const std::size_t near = lane.first_ending_after(now);
        for (std::size_t i = near == 0 ? 0 : near - 1; i < std::min(near + 2, lane.size()); ++i) {
            offer(static_cast<double>(lane.start[i]));
            offer(static_cast<double>(lane.end[i]));
        }
    }
    return nearest;
}

}  // namespace ascendsim::gui
