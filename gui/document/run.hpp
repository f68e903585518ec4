// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/analysis/chip_numbers.hpp"
#include "app/analysis/machine/machine_layout.hpp"
#include "app/analysis/machine/recorded_plots.hpp"
#include "gui/document/run_analysis.hpp"
#include "gui/document/traffic_series.hpp"
#include "gui/shell/document.hpp"
#include "sim/record/pyramid.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::gui {

/// One core of a run and those of its lanes that ran anything, in the order of the pipes.
struct CoreLanes {
    std::string name;  ///< "aiv17"
    std::uint32_t core_index = 0;
    std::uint32_t group = 0;  ///< cores of one AI core share it
    std::vector<std::uint32_t> lanes;
};

/// Tracks outside of cores that a list shows together: threads of a host, streams of a device, all links.
struct TrackLanes {
    std::string name;  ///< "links", or TrackPath::place() of all of them
    std::vector<std::uint32_t> lanes;
};

/// What all views of a recording share; made once, by a worker.
struct RunData {
    /// Sorts lanes and builds the pyramids and traffic curves; takes a while for millions of spans. What
    /// is reported of each lane goes to `sums`, if given, while the lanes are decoded anyway.
    explicit RunData(std::shared_ptr<const record::Recording> recording,
                     std::vector<record::LaneSums>* sums = nullptr);

    std::shared_ptr<const record::Recording> recording;
    std::vector<CoreLanes> cores;                                  ///< those that ran anything
    std::vector<TrackLanes> tracks;                                ///< outside of cores, of any spans
    std::vector<std::unique_ptr<const record::Pyramid>> pyramids;  ///< by lane; null for one without spans
    TrafficSeries traffic;
    analysis::ChipNumbers chip;
    std::vector<analysis::RecordedPlot> plots;  ///< that its writer put into it
    std::optional<analysis::MachineLayout> machine;
    /// Waits that never ended, by lane and first cycle, with who waited for what.
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::string> never_set;

private:
    void add_up_lanes(std::vector<record::LaneSums>* sums);
};

/// An open run as the panels see it. Immutable; when more is recorded or analysed, another replaces it.
class Run final : public Document, public std::enable_shared_from_this<Run> {
public:
    /// `figures` of a run whose analysis is put off.
    Run(std::shared_ptr<const RunData> data,
        std::shared_ptr<const RunAnalysis> analysis,
        bool at_once,
        std::shared_ptr<const RunAnalysis> figures = nullptr);

    [[nodiscard]] std::string title() const override;
    [[nodiscard]] std::filesystem::path file() const override;
    [[nodiscard]] double cycles() const override;

    [[nodiscard]] double clock_ghz() const override { return data_->chip.clock_ghz(); }

    [[nodiscard]] TimeScale time(TimeUnit wanted) const override;

    [[nodiscard]] const record::Recording& recording() const { return *data_->recording; }

    [[nodiscard]] const std::vector<CoreLanes>& cores() const { return data_->cores; }

    [[nodiscard]] const std::vector<TrackLanes>& tracks() const { return data_->tracks; }

    /// Null if the lane has no spans.
    [[nodiscard]] const record::Pyramid* pyramid(std::uint32_t lane) const {
        return data_->pyramids[lane].get();
    }

    [[nodiscard]] const TrafficSeries& traffic() const { return data_->traffic; }

    [[nodiscard]] const analysis::ChipNumbers& chip() const { return data_->chip; }

    [[nodiscard]] const std::vector<analysis::RecordedPlot>& plots() const { return data_->plots; }

    /// The machine around the chips; null if the recording says nothing of it.
    [[nodiscard]] const analysis::MachineLayout* machine() const {
        return data_->machine ? &*data_->machine : nullptr;
    }

    /// Who waited for what, if the wait that starts at `cycle` of a lane never ended; else null.
    [[nodiscard]] const std::string* never_set(std::uint32_t lane, std::uint64_t cycle) const {
        const auto found = data_->never_set.find({lane, cycle});
        return found == data_->never_set.end() ? nullptr : &found->second;
    }

    [[nodiscard]] const std::shared_ptr<const RunData>& data() const { return data_; }

    /// Summary, advice and critical path; null while a worker computes them, and older than the recording
    /// while it grows.
    [[nodiscard]] const RunAnalysis* analysis() const { return analysis_.get(); }

    [[nodiscard]] const std::shared_ptr<const RunAnalysis>& analysis_pointer() const { return analysis_; }

    /// The summary, by itself or with the rest of the analysis; null while a worker computes it.
    [[nodiscard]] const RunAnalysis* figures() const {
        return figures_ != nullptr ? figures_.get() : analysis_.get();
    }

    /// True if nothing may be left to a worker, so that pictures do not depend on how quick one is.
    [[nodiscard]] bool at_once() const { return at_once_; }

private:
    std::shared_ptr<const RunData> data_;
    std::shared_ptr<const RunAnalysis> analysis_;
    std::shared_ptr<const RunAnalysis> figures_;
    bool at_once_;
};

/// The run behind a document, or null if it is another kind of document, or none.
[[nodiscard]] const Run* as_run(const Document* document);

}  // namespace ascendsim::gui
