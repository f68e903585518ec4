// SPDX-License-Identifier: Apache-2.0
#include "app/steps/step_advice.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "app/steps/step_run.hpp"

namespace ascendsim::steps {
namespace {

/// A change before it has been tried.
struct Change {
    StepAdvice advice;
    StepProgram program;
};

bool uses_host(const StepTask& task) {
    return task.kind == StepKind::kernel && task.mode != node::IssueMode::graph;
}

class Changes {
public:
    explicit Changes(const StepProgram& program) : program_{program} {
        modes();
        threads();
        launches();
        copies();
        collectives();
        waits();
        balance();
    }

    [[nodiscard]] std::vector<Change> take() { return std::move(changes_); }

private:
    /// A change of the whole program: `change` of each task; none if no task differs.
    void all(std::string text, std::string how, const std::function<bool(StepTask&)>& change) {
        Change one{.advice = {.text = std::move(text), .change = std::move(how), .place = {}},
                   .program = program_};
        bool changed = false;
        for (StepTask& task : one.program.tasks) {
            changed = change(task) || changed;
        }
        if (changed) {
            changes_.push_back(std::move(one));
        }
    }

    /// A change around one task.
    void one(const StepTask& task, std::string text, std::string how, StepProgram changed) {
        changes_.push_back(
            {.advice = {.text = std::move(text), .change = std::move(how), .place = task.place},
             .program = std::move(changed)});
    }

    void modes() {
        all("capture the kernels in a graph: no host call for each", "mode = \"graph\"", [](StepTask& task) {
            const bool changes = uses_host(task);
            task.mode = changes ? node::IssueMode::graph : task.mode;
            return changes;
        });
        all("launch from a second thread (task queue)", "mode = \"queue\"", [](StepTask& task) {
            const bool changes = task.kind == StepKind::kernel && task.mode == node::IssueMode::eager;
            task.mode = changes ? node::IssueMode::queue : task.mode;
            return changes;
        });
    }

    void threads() {
        all("more host threads: one for each stream", "thread = \"…\"", [](StepTask& task) {
            const bool changes = task.kind != StepKind::sync && task.kind != StepKind::host &&
                                 task.thread == "host" && task.stream != "main";
            task.thread = changes ? task.stream : task.thread;
            return changes;
        });
    }

    void launches() {
        for (std::size_t i = 0; i < program_.tasks.size(); ++i) {
            const StepTask& task = program_.tasks[i];
            if (task.kind != StepKind::kernel || task.times < 2) {
                continue;
            }
            StepProgram changed = program_;
            changed.tasks[i].us *= task.times;
            changed.tasks[i].times = 1;
            std::string how = fmt::format("times = 1, us = {:g}", changed.tasks[i].us);
            one(task,
                fmt::format("fuse the {} launches of '{}' into one", task.times, task.name),
                std::move(how),
                std::move(changed));
        }
    }

    void copies() {
        for (std::size_t i = 0; i < program_.tasks.size(); ++i) {
            const StepTask& task = program_.tasks[i];
            if (task.kind != StepKind::copy) {
                continue;
            }
            if (!task.pinned) {
                StepProgram changed = program_;
                changed.tasks[i].pinned = true;
                one(task,
                    fmt::format("copy '{}' from pinned memory", task.name),
                    "pinned = true",
                    std::move(changed));
            }
            if (task.to_device) {
                // Data of the next step come while this one computes: nobody waits for the copy.
                StepProgram changed = program_;
                changed.tasks[i].stream = "copy of " + task.name;
                for (StepTask& other : changed.tasks) {
                    std::erase(other.after, task.name);
                }
                one(task,
                    fmt::format("overlap the copy '{}': bring the next step's data during this one",
                                task.name),
                    "a stream of its own, two buffers, nobody waits for it within the step",
                    std::move(changed));
            }
        }
    }

    /// The part of a collective that is ready early runs while the rest is computed.
    void collectives() {
        for (std::size_t i = 0; i < program_.tasks.size(); ++i) {
            const StepTask& task = program_.tasks[i];
            if (task.kind != StepKind::collective || task.after.size() != 1 || task.bytes < 2) {
                continue;
            }
            const auto before = std::ranges::find(program_.tasks, task.after.front(), &StepTask::name);
            if (before == program_.tasks.end() || before->kind != StepKind::kernel || before->times < 2) {
                continue;
            }
            StepProgram changed = program_;
            const auto at = static_cast<std::size_t>(before - program_.tasks.begin());
            StepTask first = *before;
            first.name += ", first half";
            first.times = before->times / 2;
            changed.tasks[at].times = before->times - first.times;
            StepTask early = task;
            early.name += ", first half";
            early.after = {first.name};
            early.stream = "early " + task.stream;
            early.bytes = task.bytes / 2;
            changed.tasks[i].bytes = task.bytes - early.bytes;
            for (StepTask& other : changed.tasks) {  // who waits for the collective waits for both halves
                if (std::ranges::find(other.after, task.name) != other.after.end()) {
                    other.after.push_back(early.name);
                }
            }
            changed.tasks.insert(changed.tasks.begin() + static_cast<std::ptrdiff_t>(at), {first, early});
            one(task,
                fmt::format("reduce '{}' in two buckets: the first behind the second half of '{}'",
                            task.name,
                            before->name),
                "two tasks of half the bytes, each after its half of the kernels",
                std::move(changed));
        }
    }

    void waits() {
        for (std::size_t i = 0; i + 1 < program_.tasks.size(); ++i) {
            const StepTask& task = program_.tasks[i];
            const bool awaited = std::ranges::any_of(program_.tasks, [&](const StepTask& other) {
                return std::ranges::find(other.after, task.name) != other.after.end();
            });
            if (task.kind != StepKind::sync || awaited) {
                continue;
            }
            StepProgram changed = program_;
            changed.tasks.erase(changed.tasks.begin() + static_cast<std::ptrdiff_t>(i));
            one(task,
                "leave out the synchronisation: events order streams without the host",
                "no [[task]]",
                std::move(changed));
        }
    }

    void balance() {
        for (std::size_t i = 0; i < program_.tasks.size(); ++i) {
            const StepTask& task = program_.tasks[i];
            if (!task.only_rank || task.kind != StepKind::kernel || program_.ranks < 2) {
                continue;
            }
            StepProgram changed = program_;
            changed.tasks[i].only_rank.reset();
            changed.tasks[i].us /= program_.ranks;
            one(task,
                fmt::format("share '{}' of rank {} among all ranks", task.name, *task.only_rank),
                "no only_rank, us a share",
                std::move(changed));
        }
    }

    const StepProgram& program_;
    std::vector<Change> changes_;
};

}  // namespace

std::vector<StepAdvice> step_advice(const StepProgram& program, double step_us) {
    constexpr double least_gain = 0.002;
    std::vector<StepAdvice> advice;
    for (Change& change : Changes{program}.take()) {
        const double us = node::microseconds(run_step(change.program).schedule.length);
        change.advice.step_us = us;
        change.advice.gain = step_us > 0 ? 1 - us / step_us : 0;
        if (change.advice.gain >= least_gain) {
            advice.push_back(std::move(change.advice));
        }
    }
    std::ranges::stable_sort(advice, std::greater{}, &StepAdvice::gain);
    return advice;
}

}  // namespace ascendsim::steps
