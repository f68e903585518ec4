// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/analysis/advice/advice_trial.hpp"
#include "app/analysis/blame/critical_path.hpp"
#include "app/analysis/run_summary.hpp"

namespace ascendsim::analysis {

/// The run again with one resource as fast as can be (`study::resources()`): what its cause costs in truth.
struct CauseTrial {
    std::string resource;  // "memory latency"
    double time_us = 0;
    double gain = 0;     // share of the run's time, of all causes that the resource stands behind
    double of_path = 1;  // share of the critical path that is this cause's, where there are others

    /// No change of the kernel against this cause alone gains more: neither than the run without the
    /// resource, nor than the cycles of the critical path that would go.
    [[nodiscard]] double gain_of_cause() const { return std::min(gain, of_path); }
};

/// In place of a resource: no resource as fast as can be would remove the cause and nothing else.
inline constexpr std::string_view no_resource = "none";

/// Something worth trying, with what speaks for it and what it can gain at most.
struct Advice {
    std::string sentence;
    std::string evidence;
    std::uint64_t cause_cycles = 0;  // what speaks for it: cycles of the path, or of waiting
    std::uint64_t gain_cycles = 0;   // at most, see advice_for
    std::string knob;                // of the scenario, if one fits: "kernel.buffers = 1"
    std::string knob_meaning;        // what it is and may be
    std::vector<std::string>
        tries{};  // settings worth a run, as for --set: "kernel.buffers=2"; the next ones of the knob
    std::map<std::string, std::vector<std::string>> further{};  // where one of these gains, those behind it
    std::vector<AdviceTrial> trials{};    // of a parameter, in advice to change it (tell_settings)
    std::vector<std::string> serves{};    // in such advice: the sentences of the causes it was tried for
    std::optional<double> by_setting{};   // of a cause: what the best of `tries` gained, which is told apart
    std::string resource{};               // of study::resources(), where the root does not tell it
    std::optional<CauseTrial> without{};  // the run without the cause; none if nobody ran it
    bool fixed = false;                   // comes with every launch: no change of the kernel removes it
    bool at_rate = false;                 // a unit computes at its rate: only other work is shorter
    bool bounded = true;                  // false: who follows it may gain more than its cause has
    Root root;                            // its largest cause

    /// The best trial whose time counts; null if there is none.
    [[nodiscard]] const AdviceTrial* best_trial() const;
    /// What to expect of it, as a share of a run of `cycles`: what the best trial gained, else what the run
    /// without its cause did, else the estimate's bound; 0 of a parameter of which no trial counts.
    [[nodiscard]] double promise(std::uint64_t cycles) const;
    /// What is told of it, as a share of a run of `cycles`: as promise(), but of what nobody ran the bound of
    /// the knob or remedy, where there is one.
    [[nodiscard]] double stated(std::uint64_t cycles) const;
    /// How a user follows it: "setting" where one gained when it was run, "source" where only another kernel
    /// does, empty where nothing a user does removes it.
    [[nodiscard]] std::string_view means() const;
    /// True for time that nothing explains.
    [[nodiscard]] bool is_unexplained() const;
};

/// A gain that is worth telling: less is what another order of the same work gives.
inline constexpr double worth_telling = 0.005;

/// What to try, the largest first: by its cause, or by what of that can go where this is less. `gain_cycles`
/// is an upper bound: a run cannot become faster by more than the cycles its critical path spends on what is
/// removed, and not faster than the speed of light of the problem. Where a knob is named, the bound is that
/// of the knob, which changes more than the cause it is turned for: the size of tiles all but computing at
/// full rate, the number of buffers all but the work of the busiest pipe, the order all copies and waiting.
/// Another type or other work changes all but what comes with every launch, another number of cores all but
/// what the problem needs: these bounds say little, so that what is stated of such advice is its cause's part
/// (of cores what best_core_count() estimates, longer launch included), and it is not `bounded`.
[[nodiscard]] std::vector<Advice> advice_for(const RunSummary& summary,
                                             const CriticalPath& path,
                                             const record::Recording& recording);

/// What to try against a cause that `advice_for` does not name though the run without it is shorter: `root`
/// is of the cause's kind, pipe and limiter.
[[nodiscard]] Advice advice_against(const Root& root,
                                    const RunSummary& summary,
                                    const CriticalPath& path,
                                    const record::Recording& recording);

/// Puts advice in one order by its number, the largest first: what a setting gained, what the run without a
/// cause did, and of an estimate that nobody ran a quarter, but no more than the settings tried against it
/// gained. A setting stands before a cause that gains no more than `worth_telling` beyond it. Behind these
/// estimates of what only other work makes shorter; then what comes with every launch; then time that nothing
/// explains; last what was tried and gained nothing.
void order_advice(std::vector<Advice>& advice, std::uint64_t cycles);

}  // namespace ascendsim::analysis
