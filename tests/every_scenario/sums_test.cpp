// SPDX-License-Identifier: Apache-2.0
// Every cycle has one reason: of each scenario, the critical path, the reasons of each pipe and the blame for
// its bubbles sum to what they explain, exactly.
#include <gtest/gtest.h>

#include "app/analysis/blame/blame.hpp"
#include "app/analysis/pipe_units.hpp"
#include "app/analysis/run_summary.hpp"
#include "app/studies/batch.hpp"
#include "sim/record/occupancy.hpp"
#include "tests/every_scenario/small_scenarios.hpp"

namespace ascendsim::testing {
namespace {

using nlohmann::ordered_json;

/// What does not sum up in a run, in words.
class Sums {
public:
    explicit Sums(const record::Recording& recording)
        : recording_{recording},
          summary_{analysis::summarise(recording)},
          window_{summary_.to - summary_.from} {}

    ordered_json wrong() {
        expect("the run's cycles", summary_.cycles * summary_.executions, window_);
        path();
        reasons();
        blame();
        return std::move(wrong_);
    }

private:
    void expect(const std::string& what, std::uint64_t found, std::uint64_t wanted) {
        if (found != wanted) {
            wrong_.push_back(what + ": " + std::to_string(found) + " instead of " + std::to_string(wanted));
        }
    }

    void path() {
        const analysis::CriticalPath path = analysis::critical_path(recording_, summary_.from, summary_.to);
        std::uint64_t now = summary_.from;
        for (const analysis::PathSegment& segment : path.segments) {
            expect("start of a segment", segment.start, now);
            now = segment.end;
        }
        expect("end of the path", now, summary_.to);
        std::uint64_t roots = 0;
        for (const analysis::Root& root : path.roots) {
            roots += root.cycles;
        }
        expect("roots of the path", roots, window_);
        expect("kinds of the path",
               std::accumulate(path.by_kind.begin(), path.by_kind.end(), std::uint64_t{0}),
               window_);
        expect("what nothing explains", path[analysis::PathKind::other], 0);
    }

    void reasons() {
        for (std::uint32_t lane = 0; lane < recording_.lanes().size(); ++lane) {
            const record::Occupancy cycles = record::occupancy(recording_, lane, summary_.from, summary_.to);
            expect("reasons of lane " + std::to_string(lane), cycles.total(), window_);
        }
        for (const analysis::PipeUse& pipe : summary_.pipes) {
            expect("reasons of " + pipe.name, pipe.cycles.total(), pipe.lanes * window_);
        }
    }

    void blame() {
        const std::vector<analysis::Blame> all = analysis::blame_of(recording_, summary_.from, summary_.to);
        for (const analysis::Blame& one : all) {
            std::uint64_t roots = 0;
            for (const analysis::Root& root : one.roots) {
                roots += root.cycles;
            }
            expect("blame of " + one.pipe, roots, one.cycles);
        }
        for (const analysis::PipeUnit& unit : analysis::pipe_units(recording_, summary_.from, summary_.to)) {
            std::uint64_t waiting = 0;
            for (const std::uint32_t lane : unit.lanes) {
                waiting += record::occupancy(recording_, lane, summary_.from, summary_.to).waiting();
            }
            const auto found = std::ranges::find(all, unit.name, &analysis::Blame::pipe);
            expect("bubbles of " + unit.name, found == all.end() ? 0 : found->cycles, waiting);
        }
    }

    const record::Recording& recording_;
    analysis::RunSummary summary_;
    std::uint64_t window_;
    ordered_json wrong_ = ordered_json::array();
};

TEST(EveryScenario, SumsToItsRunTime) {
    const toolchain::Installation installation = toolchain::Installation::find();
    std::vector<study::BatchRun> runs;
    for (const SmallScenario& one : small_scenarios(installation)) {
        std::vector<scenario::Override> overrides{{"scenario.mode", "timing"}};
        for (const std::string& set : one.sets) {
            overrides.push_back(scenario::parse_override(set));
        }
        const scenario::ScenarioFile file{one.name, installation, overrides};
        for (study::BatchRun& run : study::runs_of(file, overrides.size())) {
            runs.push_back(std::move(run));
        }
    }
    ASSERT_GE(runs.size(), 12U);  // six scenarios and six lessons, some with variants
    const auto look = [](const scenario::RunResult& result) { return Sums{result.content()}.wrong(); };
    for (const study::BatchResult& result :
         study::run_batch(runs, installation, {.jobs = 2, .look = look, .progress = {}})) {
        EXPECT_TRUE(result.complete()) << result.label << ": " << result.error;
        EXPECT_EQ(result.seen, ordered_json::array()) << result.label;
    }
}

}  // namespace
}  // namespace ascendsim::testing
