// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/advice/advice.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "app/analysis/advice/core_count.hpp"
#include "app/analysis/advice/inserted_advice.hpp"
#include "app/analysis/advice/queue_depth.hpp"
#include "app/analysis/advice/remedies.hpp"
#include "app/analysis/advice/vector_advice.hpp"
#include "app/analysis/blame/balance.hpp"
#include "app/analysis/file_name.hpp"
#include "app/analysis/instruction_words.hpp"
#include "app/analysis/quotes.hpp"
#include "models/port/pipe.hpp"

namespace ascendsim::analysis {

namespace {

constexpr double least_share = 0.01;  // of the path; less is not worth a sentence
constexpr double least_wait = 0.05;   // of a pipe's or a core's time

std::string where(const Root& root, const record::Recording& recording) {
    if (root.pipe.empty()) {
        return std::string{name(root.kind)};
    }
    const std::string place = place_text(recording, root.site);
    const std::string text = fmt::format("{} on {}", spoken_instruction(recording.name(root.op)), root.pipe);
    return place.empty() ? text : fmt::format("{} ({})", text, place);
}

// Roots that the same remedy helps.
struct Group {
    Remedy remedy;
    std::uint64_t cycles = 0;
    std::uint64_t times = 0;
    Root largest;
};

class Adviser {
public:
    Adviser(const RunSummary& summary, const CriticalPath& path, const record::Recording& recording)
        : summary_{summary},
          path_{path},
          recording_{recording},
          chip_{recording.metadata()},
          work_{work_of(recording.metadata(), 0, 0)},
          balance_{balance_of(recording, summary.from, summary.to)},
          cores_{best_core_count(summary, recording)},
          queues_{recording} {
        if (works_slowly(efficiency(name(Pipe::vector)))) {
            vector_ = vector_remedies(
                vector_uses(recording, chip_, work_.vector_type, summary.from, summary.to), recording, chip_);
        }
    }

    std::vector<Advice> all() {
        of_the_path();
        of_vector();
        of_inserted();
        of_buffers();
        of_balance();
        order_advice(all_, path_.cycles());
        return std::move(all_);
    }

    /// What helps against a cause that no advice names.
    Advice against(const Root& root) {
        add(hidden_remedy_of(root), {}, root.cycles, root);
        return std::move(all_.back());
    }

private:
    /// A unit's latency that stands nowhere on the path was taken away from new masks, for each of which the
    /// vector unit empties: nothing waited for a result.
    [[nodiscard]] Remedy hidden_remedy_of(const Root& root) const {
        const auto waits = [](const Root& each) {
            return each.kind == PathKind::latency && is_unit(each.pipe);
        };
        if (waits(root) && std::ranges::none_of(path_.roots, waits)) {
            const std::vector<VectorRemedy> vector =
                vector_remedies(vector_uses(recording_, chip_, work_.vector_type, summary_.from, summary_.to),
                                recording_,
                                chip_);
            const auto masks = std::ranges::find(vector, VectorLoss::mask_changes, &VectorRemedy::loss);
            if (masks != vector.end()) {
                return masks->remedy;
            }
        }
        return remedy_of(root, {});
    }

    /// False for what comes with every launch: starting cores, reading arguments and stack, the end of the
    /// task.
    [[nodiscard]] bool can_be_changed(const Advice& advice) const {
        return advice.root.cycles == 0 || !is_of_launch(advice.root) || !advice.tries.empty();
    }

    [[nodiscard]] bool is_of_launch(const Root& root) const {
        return root.kind == PathKind::launch || root.kind == PathKind::tail ||
               (root.kind == PathKind::latency && !root.pipe.empty() &&
                is_start_of_kernel(recording_.name(root.op)));
    }

    [[nodiscard]] Remedy remedy_of(const Root& root, std::string_view instruction) const {
        const Situation situation{
            .summary = summary_,
            .efficiency = efficiency(root.pipe),
            .more_cores = cores_ ? cores_->best > cores_->now : balance_.spare_cores,
            .fewer_cores = cores_ ? cores_->best < cores_->now : false,
            .double_buffers = queues_.has_double_buffers(root.pipe),
            .by_elements = root.kind == PathKind::scalar && accesses_elements(root.site),
            .instruction = instruction};
        return remedy_for(root, situation);
    }

    /// A span of the scalar unit stands for all of its steps; the source of its line says what they are.
    /// Reads of global memory are no work of the unit: it waits for them.
    [[nodiscard]] bool accesses_elements(std::uint32_t site) const {
        const record::SourceLine& place = recording_.site(site);
        const std::string line = source_line(recording_.metadata(), place.file, place.line);
        return line.find("GetValue(") != std::string::npos || line.find("SetValue(") != std::string::npos;
    }

    void of_the_path() {
        std::map<std::string, Group> groups;  // by sentence: what one remedy helps is one advice
        for (const Root& root : path_.roots) {
            if (!root.pipe.empty() && is_inserted(recording_.name(root.op))) {
                continue;  // of_inserted() tells
            }
            if (!vector_.empty() && is_vector_work(root)) {
                continue;  // of_vector() tells
            }
            Remedy remedy =
                remedy_of(root, root.pipe.empty() ? std::string_view{} : recording_.name(root.op));
            Group& group = groups[remedy.sentence];
            if (group.times == 0) {  // roots come largest first
                group.remedy = std::move(remedy);
                group.largest = root;
            }
            group.cycles += root.cycles;
            group.times += root.times;
        }
        for (const auto& [sentence, group] : groups) {
            const double share = share_of(group.cycles);
            if (share >= least_share) {
                add(group.remedy,
                    fmt::format("{:.1f} % of the critical path in {} segment{}, mostly {}",
                                share * 100,
                                group.times,
                                group.times == 1 ? "" : "s",
                                where(group.largest, recording_)),
                    group.cycles,
                    group.largest);
            }
        }
    }

    [[nodiscard]] static bool is_vector_work(const Root& root) {
        return root.kind == PathKind::compute && root.pipe == name(Pipe::vector);
    }

    /// Where the vector unit works below its rate: each thing that it loses cycles to.
    void of_vector() {
        std::uint64_t work = 0;
        for (const Root& root : path_.roots) {
            work += is_vector_work(root) ? root.cycles : 0;
        }
        for (const VectorRemedy& each : vector_) {
            const auto cycles = rounded(each.share * static_cast<double>(work));
            if (share_of(cycles) < least_share) {
                continue;
            }
            add(each.remedy,
                fmt::format("{:.1f} % of the critical path; {}", share_of(cycles) * 100, each.evidence),
                cycles,
                {.kind = PathKind::compute,
                 .pipe = std::string{name(Pipe::vector)},
                 .op = each.op,
                 .site = each.site,
                 .cycles = cycles});
            // Of other losses the resource is the unit's rate, and no more than their part of the path is
            // theirs.
            if (each.loss == VectorLoss::start_up || each.loss == VectorLoss::mask_changes) {
                all_.back().resource = "vector start-up";
            } else if (each.loss == VectorLoss::wide_type) {
                all_.back().resource = no_resource;  // another type changes more than this loss
                all_.back().at_rate = false;
            }
        }
    }

    /// Synchronisation of the compiler's on the path, where it may be cheaper by hand.
    void of_inserted() {
        if (!summary_.auto_sync || summary_.auto_sync->count() == 0) {
            return;
        }
        const std::uint64_t cycles = inserted_cycles(path_, recording_);
        if (share_of(cycles) >= least_share) {
            add({inserted_remedy(*summary_.auto_sync)},
                inserted_evidence(*summary_.auto_sync, share_of(cycles)),
                cycles,
                {});
        }
    }

    // Waits of the main pipe for buffers: another buffer is the remedy, whatever the path's kinds say.
    void of_buffers() {
        const PipeUse* const main = summary_.find(summary_.main_pipe);
        for (const Bubble& bubble : summary_.bubbles) {
            if (main == nullptr || bubble.reason != record::Reason::flag_buffer) {
                continue;
            }
            const std::uint64_t each = bubble.cycles / main->lanes;
            if (share_of(each) >= least_wait) {
                add(more_buffers(main->name, queues_.has_double_buffers(main->pipe), bubble.top.pipe),
                    fmt::format(
                        "{:.1f} % of {}'s time, mostly for {} on {}",
                        100 * static_cast<double>(bubble.cycles) / static_cast<double>(main->cycles.total()),
                        main->name,
                        spoken_instruction(recording_.name(bubble.top.op)),
                        bubble.top.pipe),
                    each,
                    {});
            }
        }
    }

    /// Cores without work gain something only if what they take off the others is more than what starting
    /// them costs.
    void of_balance() {
        if (cores_ && cores_->best != cores_->now && share_of(rounded(cores_->gain_cycles)) >= least_share) {
            of_core_count(*cores_);
        } else if (!cores_ && balance_.spare_cores && share_of(balance_.idle_cycles) >= least_wait) {
            add(idle_cores(),
                fmt::format("a core that could take part is idle for {:.1f} % of the run, on average",
                            100 * share_of(balance_.idle_cycles)),
                balance_.idle_cycles,
                {});
        }
        if (share_of(balance_.done_cycles) >= least_wait) {
            add(even_shares(),
                fmt::format(
                    "a core that takes part finishes {:.1f} % of the run before the last one, on average",
                    100 * share_of(balance_.done_cycles)),
                balance_.done_cycles,
                {});
        }
    }

    void of_core_count(const CoreCount& count) {
        const double ns = 1e3 * chip_.us(std::abs(count.launch_cycles));
        add(other_core_count(count.best, count.now, count.available),
            fmt::format("estimate: a core's work of {:.0f} cycles becomes {:.0f}, the launch {:.0f} ns {}",
                        count.share_cycles,
                        count.share_cycles * count.now / count.best,
                        ns,
                        count.best > count.now ? "longer" : "shorter"),
            rounded(count.gain_cycles),
            {});
    }

    /// The knob that sets how many cores take part: the kernel's, or the blocks of a kernel of one's own.
    void name_core_count(Advice& advice, const CoreCount& count) const {
        advice.tries.clear();
        advice.further.clear();
        const auto now = launched_blocks();
        if (advice.knob.empty() && now) {
            advice.knob = fmt::format("launch.blocks = {}", *now);
        }
        if (advice.knob.empty()) {
            return;
        }
        for (const std::uint32_t cores : core_counts_to_try(count)) {
            advice.tries.push_back(fmt::format("{}={}", advice.knob.substr(0, advice.knob.find(' ')), cores));
        }
    }

    /// Blocks that a scenario gives a kernel of one's own, where its launch is the only one.
    [[nodiscard]] std::optional<std::uint32_t> launched_blocks() const {
        const nlohmann::json& metadata = recording_.metadata();
        if (!metadata.is_object() || metadata.contains("files") ||
            !metadata.value("knobs", nlohmann::json{}).empty()) {
            return std::nullopt;
        }
        const nlohmann::json launches = metadata.value("launches", nlohmann::json::array());
        return launches.size() == 1 ? std::optional{launches.front().value("blocks", 0U)} : std::nullopt;
    }

    static std::uint64_t rounded(double cycles) {
        return static_cast<std::uint64_t>(std::llround(std::max(0.0, cycles)));
    }

    void add(const Remedy& remedy, std::string evidence, std::uint64_t cycles, const Root& root) {
        FoundKnob knob = knob_for(remedy, recording_.metadata());
        // A knob changes more than the cause it is turned for; without one only that is promised.
        const bool beyond = remedy.reach == Reach::problem || remedy.reach == Reach::cores;
        const Reach reach = knob.setting.empty() && !beyond ? Reach::cause : remedy.reach;
        all_.push_back({.sentence = remedy.sentence,
                        .evidence = std::move(evidence),
                        .cause_cycles = cycles,
                        .gain_cycles = remedy.conflicts
                                           ? std::min(bound(reach, cycles), conflicts_on(root.pipe))
                                           : bound(reach, cycles),
                        .knob = std::move(knob.setting),
                        .knob_meaning = std::move(knob.meaning),
                        .tries = std::move(knob.tries),
                        .further = std::move(knob.further),
                        .trials = {},
                        .root = root});
        const bool of_cores = std::ranges::any_of(remedy.handles, [](const Handle& handle) {
            return handle.knob == "blocks" || handle.knob == "cores";
        });
        if (of_cores && cores_ && cores_->best != cores_->now) {
            name_core_count(all_.back(), *cores_);
        }
        all_.back().resource = remedy.conflicts ? "bank conflicts" : "";
        all_.back().bounded = !beyond;
        all_.back().fixed = !can_be_changed(all_.back());
        if (all_.back().fixed && root.kind == PathKind::latency) {
            all_.back().resource =
                no_resource;  // memory without latency would take more than the core's start
        }
        all_.back().at_rate =
            remedy.reach == Reach::problem && root.kind == PathKind::compute && all_.back().tries.empty();
    }

    /// Cycles of the path in which instructions of a pipe waited for banks.
    [[nodiscard]] std::uint64_t conflicts_on(std::string_view pipe) const {
        std::uint64_t cycles = 0;
        for (const PathSegment& segment : path_.segments) {
            if (segment.kind != PathKind::compute || !recording_.contains(segment.span)) {
                continue;
            }
            const record::Lane& lane = recording_.lane(segment.span.lane);
            cycles += lane.path.pipe() == pipe
                          ? std::min<std::uint64_t>(segment.cycles(), lane.conflict[segment.span.index])
                          : 0;
        }
        return cycles;
    }

    /// The most that can go from the path. No schedule beats the speed of light of the same problem.
    [[nodiscard]] std::uint64_t bound(Reach reach, std::uint64_t cause) const {
        const std::uint64_t whole = path_.cycles();
        if (reach == Reach::problem) {
            return whole - std::min(whole, of_every_launch());
        }
        const std::uint64_t left = whole - std::min(whole, speed_of_light());
        return std::min(left, std::max(cause, reached(reach)));
    }

    [[nodiscard]] std::uint64_t reached(Reach reach) const {
        using enum PathKind;
        switch (reach) {
            case Reach::order:
                return path_[transfer] + path_[latency] + path_[sync];
            case Reach::size:
                return path_.cycles() - at_full_rate();
            case Reach::overlap:
                return path_.cycles() - std::min(path_.cycles(), busiest());
            case Reach::cores:
                return path_.cycles();
            case Reach::cause:
            case Reach::problem:
                break;
        }
        return 0;
    }

    /// Cycles of the path that no change of the kernel removes.
    [[nodiscard]] std::uint64_t of_every_launch() const {
        std::uint64_t cycles = 0;
        for (const Root& root : path_.roots) {
            cycles += is_of_launch(root) ? root.cycles : 0;
        }
        return cycles;
    }

    /// Cycles of the path in which a unit computes at its rate.
    [[nodiscard]] std::uint64_t at_full_rate() const {
        std::uint64_t cycles = 0;
        for (const Root& root : path_.roots) {
            cycles +=
                root.kind == PathKind::compute && !works_slowly(efficiency(root.pipe)) ? root.cycles : 0;
        }
        return cycles;
    }

    /// Busy cycles of the pipe that has most to do, of a core on average.
    [[nodiscard]] std::uint64_t busiest() const {
        std::uint64_t most = 0;
        for (const PipeUse& use : summary_.pipes) {
            const bool program = use.pipe == name(Pipe::scalar);
            most = program || use.lanes == 0 ? most : std::max(most, use.cycles.busy() / use.lanes);
        }
        return most;
    }

    [[nodiscard]] std::uint64_t speed_of_light() const {
        return static_cast<std::uint64_t>(summary_.bounds.speed_of_light_us() * summary_.clock_ghz * 1000) *
               summary_.executions;
    }

    [[nodiscard]] double efficiency(std::string_view pipe) const {
        const PipeUse* const use = summary_.find(pipe);
        const bool cube = pipe == name(Pipe::cube);
        const double rate = cube ? chip_.cube_work_per_cycle(work_.cube_type)
                                 : chip_.vector_work_per_cycle(work_.vector_type);
        return use == nullptr || use->cycles.busy() == 0 || !chip_.known()
                   ? 0
                   : static_cast<double>(use->work) / rate / static_cast<double>(use->cycles.busy());
    }

    [[nodiscard]] double share_of(std::uint64_t cycles) const {
        return static_cast<double>(cycles) / static_cast<double>(std::max<std::uint64_t>(1, path_.cycles()));
    }

    const RunSummary& summary_;
    const CriticalPath& path_;
    const record::Recording& recording_;
    ChipNumbers chip_;
    Work work_;
    Balance balance_;
    std::optional<CoreCount> cores_;
    QueueDepths queues_;
    std::vector<VectorRemedy> vector_;  // empty where the vector unit works at its rate
    std::vector<Advice> all_;
};

}  // namespace

const AdviceTrial* Advice::best_trial() const {
    const AdviceTrial* best = nullptr;
    for (const AdviceTrial& trial : trials) {
        best = trial.problem.empty() && (best == nullptr || trial.gain > best->gain) ? &trial : best;
    }
    return best;
}

double Advice::promise(std::uint64_t cycles) const {
    const AdviceTrial* const best = best_trial();
    if (best != nullptr && (best->gain >= worth_telling || !without)) {
        return best->gain;
    }
    if (without) {
        return without->gain_of_cause();
    }
    // A large cause of which little can go comes later.
    return trials.empty() ? static_cast<double>(std::min(cause_cycles, gain_cycles)) /
                                static_cast<double>(std::max<std::uint64_t>(1, cycles))
                          : 0;
}

double Advice::stated(std::uint64_t cycles) const {
    return without || !trials.empty() || !bounded
               ? promise(cycles)
               : static_cast<double>(gain_cycles) / static_cast<double>(std::max<std::uint64_t>(1, cycles));
}

std::string_view Advice::means() const {
    if (const AdviceTrial* const best = best_trial(); best != nullptr && best->gain >= worth_telling) {
        return "setting";
    }
    return fixed || is_unexplained() || !trials.empty() ? std::string_view{} : "source";
}

bool Advice::is_unexplained() const {
    return root.cycles != 0 && (root.kind == PathKind::unused || root.kind == PathKind::other);
}

void order_advice(std::vector<Advice>& advice, std::uint64_t cycles) {
    enum class Place { no_gain, unexplained, fixed, at_rate, cause };
    const auto place = [](const Advice& one) {
        if (!one.trials.empty()) {
            return one.means() == "setting" ? Place::cause : Place::no_gain;
        }
        if (one.without ? one.without->gain_of_cause() < worth_telling
                        : one.by_setting && *one.by_setting < worth_telling) {
            return Place::no_gain;
        }
        // What a unit at its rate would leave is a bound like any other once it was run.
        return one.is_unexplained()          ? Place::unexplained
               : one.fixed                   ? Place::fixed
               : one.at_rate && !one.without ? Place::at_rate
                                             : Place::cause;
    };
    // The critical path promises too much: of a softmax's synchronisation, 24.1 % of the path, a run without
    // it kept a tenth, of other causes nothing or all. Between these, an estimate leads only where it is far
    // above all that was run. How far is an assumption, which no source gives (docs/reports.md).
    constexpr double likely = 0.25;
    const auto number = [&](const Advice& one) {
        if (!one.trials.empty()) {
            return one.promise(cycles) + worth_telling;  // it is had by a setting
        }
        return one.without ? one.promise(cycles)
                           : std::min(likely * one.promise(cycles), one.by_setting.value_or(1));
    };
    std::ranges::stable_sort(advice, std::ranges::greater{}, [&](const Advice& one) {
        return std::pair{place(one), number(one)};
    });
}

Advice advice_against(const Root& root,
                      const RunSummary& summary,
                      const CriticalPath& path,
                      const record::Recording& recording) {
    return Adviser{summary, path, recording}.against(root);
}

std::vector<Advice> advice_for(const RunSummary& summary,
                               const CriticalPath& path,
                               const record::Recording& recording) {
    return Adviser{summary, path, recording}.all();
}

}  // namespace ascendsim::analysis
