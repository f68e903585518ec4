// SPDX-License-Identifier: Apache-2.0
#include "gui/document/run.hpp"

#include <algorithm>
#include <map>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "app/analysis/lane_use.hpp"
#include "app/analysis/network_figures.hpp"
#include "app/analysis/recorded_sums.hpp"
#include "app/analysis/run_summary.hpp"
#include "models/port/pipe.hpp"
#include "sim/process/in_parallel.hpp"

namespace ascendsim::gui {
namespace {

using record::Recording;

constexpr unsigned most_threads = 4;  // the rest of the machine is left to simulations

std::size_t pipe_order(const Recording& recording, std::uint32_t lane) {
    return static_cast<std::size_t>(std::ranges::find(pipe_names, recording.lane(lane).path.pipe()) -
                                    pipe_names.begin());
}

std::vector<CoreLanes> cores_of(const Recording& recording) {
    std::map<std::uint32_t, CoreLanes> found;
    for (std::uint32_t number = 0; number < recording.lanes().size(); ++number) {
        const record::Lane& lane = recording.lane(number);
        if (lane.core_index && analysis::is_used(lane)) {
            CoreLanes& core = found[*lane.core_index];
            core.name = lane.path.core();
            core.core_index = *lane.core_index;
            core.group = lane.path.number(record::TrackKind::group).value_or(core.core_index);
            core.lanes.push_back(number);
        }
    }
    std::vector<CoreLanes> cores;
    for (auto& [index, core] : found) {
        std::ranges::stable_sort(core.lanes, {}, [&](auto lane) { return pipe_order(recording, lane); });
        cores.push_back(std::move(core));
    }
    return cores;
}

std::vector<TrackLanes> tracks_of(const Recording& recording) {
    std::vector<std::uint32_t> lanes;
    for (std::uint32_t number = 0; number < recording.lanes().size(); ++number) {
        if (!recording.lane(number).core_index && !recording.lane(number).empty()) {
            lanes.push_back(number);
        }
    }
    std::ranges::stable_sort(
        lanes, {}, [&](std::uint32_t lane) -> const record::TrackPath& { return recording.lane(lane).path; });
    const auto of_network = [&](std::uint32_t lane) {
        const record::TrackPath& path = recording.lane(lane).path;
        return path == analysis::operators_track() || path == analysis::kernels_track();
    };
    // A network's operators, and below them their kernels: in the order of the recording, and above all.
    std::ranges::stable_sort(
        lanes, [&](std::uint32_t a, std::uint32_t b) { return of_network(a) && (!of_network(b) || a < b); });
    std::vector<TrackLanes> tracks;
    for (const std::uint32_t lane : lanes) {
        const record::TrackPath& path = recording.lane(lane).path;
        const std::string place = path.kind() == record::TrackKind::link ? "links" : path.place();
        auto track = std::ranges::find(tracks, place, &TrackLanes::name);
        if (track == tracks.end()) {
            track = tracks.insert(track, {place, {}});
        }
        track->lanes.push_back(lane);
    }
    return tracks;
}

std::string text_of(const nlohmann::json& values, const char* key) {
    const auto found = values.find(key);
    return found != values.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

}  // namespace

RunData::RunData(std::shared_ptr<const Recording> opened, std::vector<record::LaneSums>* sums)
    : recording{std::move(opened)},
      cores{cores_of(*recording)},
      tracks{tracks_of(*recording)},
      chip{recording->metadata()},
      plots{analysis::plots_of(*recording)},
      machine{analysis::machine_of(*recording)} {
    add_up_lanes(sums);
    for (const nlohmann::json& event : recording->events()) {
        if (text_of(event, "kind") == "never_set") {
            never_set[{event.value("lane", 0U), event.value("cycle", std::uint64_t{0})}] =
                text_of(event, "text");
        }
    }
}

// A lane is added up in all ways while it is decoded. Which lanes are added together does not depend on the
// number of threads, and so neither does a digit.
void RunData::add_up_lanes(std::vector<record::LaneSums>* sums) {
    const std::vector<record::Lane>& lanes = recording->lanes();
    pyramids.resize(lanes.size());
    analysis::Reported window;
    if (sums != nullptr) {
        sums->resize(lanes.size());
        window = analysis::reported(*recording);
    }
    std::vector<TrafficSums> parts(most_threads, TrafficSums{recording->cycles()});
    const auto add_up = [&](std::size_t part) {
        for (std::size_t number = 0; number < lanes.size(); ++number) {
            const record::Lane& lane = lanes[number];
            // Lanes of a core wait for each other: who adds one up has decoded the others.
            const std::size_t place = cores.size() < most_threads ? number : lane.core_index.value_or(number);
            if (!lane.empty() && place % most_threads == part) {
                pyramids[number] =
                    std::make_unique<const record::Pyramid>(*recording, static_cast<std::uint32_t>(number));
                if (sums != nullptr) {
                    (*sums)[number] = analysis::sums_of_lane(*recording, lane, window.from, window.to);
                }
                parts[part].add(lane);
            }
        }
    };
    process::in_parallel(parts.size(), add_up, std::min(std::thread::hardware_concurrency(), most_threads));
    for (std::size_t part = 1; part < parts.size(); ++part) {
        parts[0].add(parts[part]);
    }
    traffic = TrafficSeries{std::move(parts[0]), chip};
}

Run::Run(std::shared_ptr<const RunData> data,
         std::shared_ptr<const RunAnalysis> analysis,
         bool at_once,
         std::shared_ptr<const RunAnalysis> figures)
    : data_{std::move(data)},
      analysis_{std::move(analysis)},
      figures_{std::move(figures)},
      at_once_{at_once} {}

std::string Run::title() const {
    const nlohmann::json& metadata = recording().metadata();
    std::string title = text_of(metadata, "title");
    if (title.empty()) {
        title = text_of(metadata, "scenario");
    }
    if (title.empty()) {
        title = recording().path().stem().string();
    }
    return chip().known() ? fmt::format("{} \u00b7 {}", title, chip().name()) : title;
}

std::filesystem::path Run::file() const {
    return std::filesystem::path{recording().path()}.replace_extension();
}

double Run::cycles() const {
    return static_cast<double>(recording().cycles());
}

TimeScale Run::time(TimeUnit wanted) const {
    const bool machines =
        recording().metadata().contains("step") || recording().metadata().contains("report");
    if (!machines || wanted != TimeUnit::cycles) {
        return {wanted, clock_ghz()};
    }
    constexpr double long_us = 1e5;
    const bool is_long = cycles() * 1e-3 / clock_ghz() > long_us;
    return {is_long ? TimeUnit::milliseconds : TimeUnit::microseconds, clock_ghz()};
}

const Run* as_run(const Document* document) {
    return dynamic_cast<const Run*>(document);
}

}  // namespace ascendsim::gui
