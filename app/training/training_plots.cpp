// SPDX-License-Identifier: Apache-2.0
#include "app/training/training_plots.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "app/report/style.hpp"

namespace ascendsim::training {
namespace {

using analysis::PlotKind;
using analysis::PlotSeries;
using analysis::RecordedPlot;

RecordedPlot memory_plot(const TrainingConfig& config, const TrainingFigures& figures) {
    constexpr double gib = 1024.0 * 1024 * 1024;
    RecordedPlot plot{.title = "Memory over the step",
                      .note = "Of a device of the first stage, by what it holds",
                      .kind = PlotKind::stack,
                      .x = "us",
                      .y = "GiB",
                      .over_time = true,
                      .steps = true};
    plot.limit = static_cast<double>(config.chip.spec.hbm.bytes) / gib;
    plot.series = {
        {"weights", {}}, {"optimiser", {}}, {"gradients", {}}, {"activations", {}}, {"to work with", {}}};
    const auto add = [&plot](double us, const DeviceMemory& now) {
        std::size_t kind = 0;
        for (const std::uint64_t bytes :
             {now.weights, now.optimiser, now.gradients, now.activations, now.working}) {
            plot.series[kind++].points.emplace_back(us, static_cast<double>(bytes) / gib);
        }
    };
    for (const MemoryMoment& moment : figures.memory_over_step) {
        add(moment.us, moment.memory);
    }
    if (!figures.memory_over_step.empty() && figures.memory_over_step.back().us < figures.step.step_us) {
        add(figures.step.step_us, figures.memory_over_step.back().memory);
    }
    return plot;
}

RecordedPlot parts_plot(const StepTimes& step) {
    RecordedPlot plot{.title = "Parts of the step, first stage",
                      .note = "They add up to the step",
                      .kind = PlotKind::bars,
                      .x = "us"};
    for (const auto& [name, us] : parts_of(step)) {
        plot.bars.push_back(
            {name,
             us,
             fmt::format("{}, {}", report::time_text(us), report::percent_text(us / step.step_us))});
    }
    return plot;
}

void add_scaling(const TrainingFigures& figures, std::vector<RecordedPlot>& plots) {
    if (figures.scaling.size() < 2) {
        return;
    }
    RecordedPlot plot{.title = "Scaling, the same batch on each device",
                      .note = "Samples a second and device, by those of the first number of devices",
                      .x = "devices",
                      .y = "%",
                      .log_x = true};
    RecordedPlot rate{
        .title = "Samples a second by number of devices", .x = "devices", .y = "samples/s", .log_x = true};
    plot.series = {{"efficiency, % of the first", {}}, {"MFU, %", {}}};
    rate.series = {{"simulated", {}}, {"as many times the first", {}}};
    const double first = figures.scaling[0].samples_per_s / figures.scaling[0].devices;
    for (const StepTimes& one : figures.scaling) {
        plot.series[0].points.emplace_back(one.devices, 100 * one.samples_per_s / one.devices / first);
        plot.series[1].points.emplace_back(one.devices, 100 * one.mfu);
        rate.series[0].points.emplace_back(one.devices, one.samples_per_s);
        rate.series[1].points.emplace_back(one.devices, first * one.devices);
    }
    plots.push_back(std::move(plot));
    plots.push_back(std::move(rate));
}

void add_inputs(const TrainingFigures& figures, std::vector<RecordedPlot>& plots) {
    if (figures.inputs.empty()) {
        return;
    }
    RecordedPlot plot{.title = "With inputs of the host: samples a second", .kind = PlotKind::bars};
    for (const InputRun& run : figures.inputs) {
        plot.bars.push_back({run.mode.name, run.samples_per_s, fmt::format("{:.5g}/s", run.samples_per_s)});
    }
    plots.push_back(std::move(plot));
}

void add_ladder(const std::vector<ClimbedRung>& ladder, std::vector<RecordedPlot>& plots) {
    if (ladder.empty()) {
        return;
    }
    RecordedPlot rate{.title = "Ladder: samples a second", .kind = PlotKind::bars};
    RecordedPlot energy{.title = "Ladder: work for each joule", .kind = PlotKind::bars};
    RecordedPlot memory{.title = "Ladder: memory of the fullest device", .kind = PlotKind::bars};
    for (const ClimbedRung& rung : ladder) {
        if (!rung.problem.empty()) {
            rate.bars.push_back({rung.name, 0, rung.problem});
            continue;
        }
        const StepTimes& step = rung.figures.step;
        const double work = work_a_joule(rung.config, step);
        const auto bytes = static_cast<double>(rung.figures.memory.all());
        rate.bars.push_back({rung.name, step.samples_per_s, fmt::format("{:.5g}/s", step.samples_per_s)});
        energy.bars.push_back({rung.name, work, fmt::format("{:.4g}", work)});
        memory.bars.push_back({rung.name, bytes, report::bytes_text(bytes)});
    }
    plots.push_back(std::move(rate));
    plots.push_back(std::move(energy));
    plots.push_back(std::move(memory));
}

}  // namespace

std::vector<RecordedPlot> training_plots(const TrainingConfig& config,
                                         const TrainingFigures& figures,
                                         const std::vector<ClimbedRung>& ladder) {
    std::vector<RecordedPlot> plots;
    if (!figures.memory_over_step.empty()) {
        plots.push_back(memory_plot(config, figures));
    }
    plots.push_back(parts_plot(figures.step));
    add_ladder(ladder, plots);
    add_scaling(figures, plots);
    add_inputs(figures, plots);
    return plots;
}

}  // namespace ascendsim::training
