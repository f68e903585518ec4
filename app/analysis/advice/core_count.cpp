// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/advice/core_count.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "app/analysis/chip_numbers.hpp"
#include "app/analysis/lane_use.hpp"
#include "models/port/pipe.hpp"

namespace ascendsim::analysis {

namespace {

/// Where a core's own work begins and ends.
struct Extent {
    std::uint64_t from = ~std::uint64_t{0};
    std::uint64_t to = 0;

    [[nodiscard]] std::uint64_t length() const { return to > from ? to - from : 0; }
};

/// Of each core that did anything, by its name ("aiv3").
std::map<std::string, Extent> work_by_core(const RunSummary& summary, const record::Recording& recording) {
    std::map<std::string, Extent> cores;
    for (const record::Lane& lane : recording.lanes()) {
        if (!lane.core_index || !is_used(lane, summary.from, summary.to)) {
            continue;
        }
        Extent& extent = cores[std::string{lane.path.core()}];
        if (lane.path.pipe() == name(Pipe::scalar)) {
            continue;
        }
        // The first instruction and the last: what lies between need not be read.
        const std::size_t first = lane.first_ending_after(summary.from);
        const std::size_t behind = lane.first_starting_from(summary.to);
        for (std::size_t i = first; i < behind; ++i) {
            if (lane.reason[i] == record::Reason::none) {
                extent.from = std::min(extent.from, lane.start[i]);
                break;
            }
        }
        for (std::size_t i = behind; i-- > first;) {
            if (lane.reason[i] == record::Reason::none) {
                extent.to = std::max(extent.to, lane.end[i]);
                break;
            }
        }
    }
    return cores;
}

bool is_cube(const std::string& core) {
    return core.starts_with("aic");
}

/// True if the run is one launch, once, with a core for every block.
bool is_one_launch(const RunSummary& summary, const record::Recording& recording) {
    std::size_t launches = 0;
    bool at_once = true;
    for (const nlohmann::json& event : recording.events()) {
        if (!event.is_object() || event.value("kind", std::string{}) != "launch") {
            continue;
        }
        ++launches;
        const auto cores = event.find("cores");  // elsewhere a text, so the recording's reader lets all pass
        at_once = at_once && cores != event.end() && cores->is_number() &&
                  event.value("blocks", 0.0) <= cores->get<double>();
    }
    return launches == 1 && at_once && summary.executions == 1;
}

}  // namespace

std::optional<CoreCount> best_core_count(const RunSummary& summary, const record::Recording& recording) {
    const ChipNumbers chip{recording.metadata()};
    if (!chip.known() || !is_one_launch(summary, recording)) {
        return std::nullopt;
    }
    const std::map<std::string, Extent> cores = work_by_core(summary, recording);
    const auto cube = static_cast<std::uint32_t>(
        std::ranges::count_if(cores, [](const auto& core) { return is_cube(core.first); }));
    CoreCount result;
    result.now = cube > 0 ? cube : static_cast<std::uint32_t>(cores.size());
    constexpr double most_cores = 4096;  // of any chip; the recording may say what it likes
    const double available = cube > 0 ? chip.cube_cores() : chip.vector_cores();
    if (result.now == 0 || !(available >= result.now && available <= most_cores)) {
        return std::nullopt;
    }
    result.available = static_cast<std::uint32_t>(available);
    double sum = 0;
    for (const auto& [name, extent] : cores) {
        sum += cube > 0 && !is_cube(name) ? 0.0 : static_cast<double>(extent.length());
    }
    result.share_cycles = sum / result.now;
    const double per_block = chip.number("launch.per_core_us", 0) * 1000 * chip.clock_ghz() *
                             static_cast<double>(cores.size()) / result.now;
    const double least = summary.bounds.speed_of_light_us() * 1000 * chip.clock_ghz();
    const auto change = [&](std::uint32_t count) {
        const double share =
            std::max(std::min(least, result.share_cycles), result.share_cycles * result.now / count);
        return share - result.share_cycles + per_block * (static_cast<double>(count) - result.now);
    };
    result.best = result.now;
    for (std::uint32_t count = 1; count <= result.available; ++count) {
        result.best = change(count) < change(result.best) ? count : result.best;
    }
    result.gain_cycles = -change(result.best);
    result.launch_cycles = per_block * (static_cast<double>(result.best) - result.now);
    return result;
}

std::vector<std::uint32_t> core_counts_to_try(const CoreCount& count) {
    std::vector<std::uint32_t> counts{count.best};
    std::uint32_t even = std::max(1U, count.now);
    while (even * 2 <= count.best) {
        even *= 2;
    }
    while (even % 2 == 0 && even / 2 >= count.best) {
        even /= 2;
    }
    if (even != count.best && even != count.now) {
        counts.push_back(even);
    }
    return counts;
}

}  // namespace ascendsim::analysis
