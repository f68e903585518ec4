// SPDX-License-Identifier: Apache-2.0
// What a reader has to know before he compares figures with those of a chip: how the profiler counts, and
// what L2 held at the start.
#include <algorithm>

#include "app/analysis/pipe_units.hpp"
#include "app/analysis/run_summary.hpp"

namespace ascendsim::analysis {

namespace {

/// The bytes of a run's buffers, but for what kernels keep between their phases.
double buffer_bytes(const nlohmann::json& metadata) {
    double bytes = 0;
    const auto buffers = metadata.find("buffers");
    if (buffers == metadata.end() || !buffers->is_array()) {
        return 0;
    }
    for (const nlohmann::json& buffer : *buffers) {
        if (buffer.is_object() && buffer.contains("bytes") && buffer["bytes"].is_number() &&
            buffer.value("role", "") != "workspace") {
            bytes += buffer["bytes"].get<double>();
        }
    }
    return bytes;
}

bool was_warmed_up(const nlohmann::json& totals) {
    const auto executions = totals.find("executions");
    return executions != totals.end() && executions->is_array() &&
           std::ranges::any_of(*executions, [](const nlohmann::json& execution) {
               return execution.is_object() && execution.value("warm_up", false);
           });
}

}  // namespace

ActiveCycles active_cycles_of(const record::Recording& recording, std::uint64_t from) {
    ActiveCycles active;
    for (std::uint32_t number = 0; number < recording.lanes().size(); ++number) {
        const record::Lane& lane = recording.lane(number);
        if (!lane.core_index) {
            continue;
        }
        std::uint64_t busy = 0;
        std::uint64_t cycles = 0;
        std::uint64_t until = 0;
        record::for_each_span(lane,
                              from == 0 ? 0 : lane.first_ending_after(from),
                              [&](const record::ChunkColumns& chunk, std::size_t k, std::size_t) {
                                  const bool works = chunk.reason[k] == record::Reason::none;
                                  busy += works ? chunk.end[k] - chunk.start[k] : 0;
                                  if (works || chunk.inside[k] != 0) {
                                      const std::uint64_t complete = chunk.complete[k];
                                      cycles +=
                                          complete - std::min(complete, std::max(chunk.start[k], until));
                                      until = std::max(until, complete);
                                  }
                                  return true;
                              });
        if (busy != 0) {  // cores without a block only wait
            active[core_kind(lane.path.core()) + "_" + std::string{lane.path.pipe()}] += cycles;
        }
    }
    return active;
}

void note_active(RunSummary& summary, const ActiveCycles& active) {
    for (auto* const pipes : {&summary.pipes, &summary.all_cores}) {
        for (PipeUse& use : *pipes) {
            for (const auto& [name, cycles] : active) {
                const std::size_t end = name.find('_');
                if (end != std::string::npos && name.substr(end + 1) == use.pipe &&
                    (use.cores.empty() || name.substr(0, end) == use.cores)) {
                    use.active_cycles = use.active_cycles.value_or(0) + cycles;
                }
            }
        }
    }
}

std::optional<StartOfL2> start_of_l2(const record::Recording& recording,
                                     const Traffic& traffic,
                                     const ChipNumbers& chip) {
    const nlohmann::json& metadata = recording.metadata();
    const bool program = metadata.is_object() && metadata.contains("files");
    if (!metadata.is_object() || program || !metadata.contains("l2") || !metadata["l2"].is_string()) {
        return std::nullopt;
    }
    if (was_warmed_up(recording.totals())) {
        return StartOfL2{.state = "warmed_up"};
    }
    // Below a tenth of the reads a line about it would be noise.
    constexpr double least_share = 0.1;
    const double bytes = buffer_bytes(metadata);
    const bool from_hbm = static_cast<double>(traffic.hbm_read_bytes) >
                          least_share * static_cast<double>(traffic.gm_read_bytes);
    return StartOfL2{.state = metadata["l2"].get<std::string>(),
                     .could_hold = from_hbm && bytes > 0 && bytes < chip.number("l2.bytes", 0)};
}

}  // namespace ascendsim::analysis
