// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/core_use.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "app/analysis/lane_use.hpp"
#include "models/isa/vector/vector_cost.hpp"

namespace ascendsim::analysis {

namespace {

using record::Lane;
using record::Reason;
using record::Recording;

class Gatherer {
public:
    Gatherer(const Recording& recording, std::uint64_t from, std::uint64_t to)
        : recording_{recording}, from_{from}, to_{std::min(to, recording.cycles())} {}

    void add(CoreUse& core, std::uint32_t number) {
        const Lane& lane = recording_.lane(number);
        const auto found = std::ranges::find(pipe_names, lane.path.pipe());
        if (found == pipe_names.end()) {
            return;
        }
        const auto pipe = static_cast<std::size_t>(found - pipe_names.begin());
        PipeOfCore& to = core.pipes[pipe];
        const std::size_t first = lane.first_ending_after(from_);
        std::size_t behind = first;
        std::uint64_t active_until = from_;
        record::for_each_span(
            lane, first, [&](const record::ChunkColumns& chunk, std::size_t k, std::size_t i) {
                if (chunk.start[k] >= to_) {
                    return false;
                }
                add_span(core, to, *found, chunk, k);
                if (chunk.reason[k] == Reason::none || chunk.inside[k] != 0) {
                    const std::uint64_t complete = std::min(chunk.complete[k], to_);
                    to.active_cycles += complete - std::min(complete, std::max(chunk.start[k], active_until));
                    active_until = std::max(active_until, complete);
                }
                behind = i + 1;
                return true;
            });
        to.cycles += record::occupancy(recording_, number, from_, to_);
        add_transfers(core, lane, first, behind);
    }

private:
    void add_span(CoreUse& core,
                  PipeOfCore& to,
                  std::string_view pipe,
                  const record::ChunkColumns& chunk,
                  std::size_t k) {
        const Reason reason = chunk.reason[k];
        to.used = to.used || !outside_program(reason);
        const std::uint64_t cycles = chunk.end[k] - chunk.start[k];
        const record::SpanId culprit{chunk.culprit_lane[k], chunk.culprit_index[k]};
        if (reason == Reason::queue_full && recording_.contains(culprit)) {
            const auto full = std::ranges::find(pipe_names, recording_.lane(culprit.lane).path.pipe());
            if (full != pipe_names.end()) {
                core.queue_full_cycles[static_cast<std::size_t>(full - pipe_names.begin())] += cycles;
            }
        }
        if (reason != Reason::none) {
            return;
        }
        ++to.instructions;
        to.work += chunk.work[k];
        to.bytes += chunk.bytes[k];
        if (pipe == name(Pipe::vector)) {
            add_read(to, chunk, k);
        }
        to.conflict_cycles += chunk.conflict[k];
        const std::size_t route =
            chunk.bytes[k] == 0 ? route_names.size() : core_route(pipe, chunk.memory[k]);
        if (route < route_names.size()) {
            core.routes[route].bytes += chunk.bytes[k];
            core.routes[route].active_cycles += cycles;
        }
    }

    /// What a vector instruction reads, as a multiple of what it writes; one that does neither is a flag or a
    /// barrier.
    void add_read(PipeOfCore& to, const record::ChunkColumns& chunk, std::size_t k) {
        if (chunk.bytes[k] == 0 && chunk.work[k] == 0) {
            return;
        }
        const auto [tensors, first] = tensors_.try_emplace(chunk.op[k]);
        if (first) {
            tensors->second = isa::tensors_read(recording_.name(chunk.op[k]));
        }
        to.read_known = to.read_known && tensors->second.has_value();
        to.read_bytes += std::uint64_t{tensors->second.value_or(0)} * chunk.bytes[k];
    }

    static void add_transfers(CoreUse& core, const Lane& lane, std::size_t first, std::size_t last) {
        const record::TransferColumns& from = lane.transfers;
        for (std::size_t i = lane.first_transfer_from(first); i < from.size() && from.row[i] < last; ++i) {
            if (from.route[i] < gm_route_count) {
                RouteTraffic& route = core.routes[from.route[i]];
                ++route.transfers;
                route.bytes += lane.bytes[from.row[i]];
                route.requests += from.requests[i];
                route.active_cycles += lane.end[from.row[i]] - lane.start[from.row[i]];
                route.l2_hit_bytes += from.l2_hit_bytes[i];
                route.hbm_read_bytes += from.hbm_read_bytes[i];
                route.hbm_write_bytes += from.hbm_write_bytes[i];
            }
        }
    }

    const Recording& recording_;
    std::map<std::uint32_t, std::optional<std::uint32_t>> tensors_;  // by instruction
    std::uint64_t from_;
    std::uint64_t to_;
};

// The time of a core's programs: that of its scalar unit, which runs them; of any pipe if there is none.
std::uint64_t program_cycles(const CoreUse& core) {
    std::uint64_t most = 0;
    for (const PipeOfCore& pipe : core.pipes) {
        if (pipe.used) {
            most = std::max(most, pipe.cycles.busy() + pipe.waiting());
        }
    }
    return most;
}

}  // namespace

std::uint64_t PipeOfCore::waiting() const {
    std::uint64_t sum = 0;
    for (std::size_t reason = 1; reason < record::reason_count; ++reason) {
        sum += outside_program(static_cast<Reason>(reason)) ? 0 : cycles.cycles[reason];
    }
    return sum;
}

std::vector<CoreUse> cores_of(const Recording& recording, std::uint64_t from, std::uint64_t to) {
    std::map<std::uint32_t, CoreUse> cores;
    Gatherer gatherer{recording, from, to};
    for (std::uint32_t number = 0; number < recording.lanes().size(); ++number) {
        const Lane& lane = recording.lane(number);
        if (!lane.core_index) {
            continue;
        }
        CoreUse& core = cores[*lane.core_index];
        core.name = lane.path.core();
        core.group = lane.path.number(record::TrackKind::group).value_or(*lane.core_index);
        gatherer.add(core, number);
    }
    std::vector<CoreUse> used;
    std::map<std::pair<std::uint32_t, bool>, std::uint32_t> seen;
    for (auto& [core_index, core] : cores) {
        core.sub = seen[{core.group, core.is_vector_core()}]++;
        core.cycles = program_cycles(core);
        if (std::ranges::any_of(core.pipes, &PipeOfCore::used)) {
            used.push_back(core);
        }
    }
    return used;
}

}  // namespace ascendsim::analysis
