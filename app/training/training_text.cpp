// SPDX-License-Identifier: Apache-2.0
#include "app/training/training_text.hpp"

#include <array>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ascendsim::training {
namespace {

using nlohmann::ordered_json;
using report::bytes_text;
using report::percent_text;
using report::time_text;

/// A part of the step, by its name in reports.
struct Part {
    const char* key;
    const char* words;
    double StepTimes::*us;
};

constexpr std::array<Part, 6> parts{
    {{"forward", "forward", &StepTimes::forward_us},
     {"backward", "backward", &StepTimes::backward_us},
     {"recompute", "recomputed forward", &StepTimes::recompute_us},
     {"optimiser", "optimiser", &StepTimes::optimiser_us},
     {"bubble", "waiting for other stages", &StepTimes::bubble_us},
     {"communication", "communication not hidden", &StepTimes::communication_us}}};

double samples_of(const TrainingConfig& config, const StepTimes& step) {
    return static_cast<double>(config.batch) * config.accumulation * (step.devices / config.pipeline);
}

/// Rate of a device by that of a device of the smallest number.
double efficiency(const std::vector<StepTimes>& scaling, const StepTimes& step) {
    const double first = scaling.front().samples_per_s / scaling.front().devices;
    return first > 0 ? step.samples_per_s / step.devices / first : 0;
}

std::string text_of(std::uint64_t bytes) {
    return bytes_text(static_cast<double>(bytes));
}

void print_memory(std::back_insert_iterator<std::string> out,
                  const TrainingConfig& config,
                  const DeviceMemory& memory) {
    const auto room = static_cast<double>(config.chip.spec.hbm.bytes);
    fmt::format_to(out,
                   "\n  memory      {} of {} ({}), in {}:\n"
                   "              weights {}, optimiser {}, gradients {}, activations {}, to work with {}\n",
                   text_of(memory.all()),
                   bytes_text(room),
                   percent_text(static_cast<double>(memory.all()) / room),
                   memory.when,
                   text_of(memory.weights),
                   text_of(memory.optimiser),
                   text_of(memory.gradients),
                   text_of(memory.activations),
                   text_of(memory.working));
}

void print_scaling(std::back_insert_iterator<std::string> out, const std::vector<StepTimes>& scaling) {
    fmt::format_to(out,
                   "\n  {:>9}{:>12}{:>13}{:>12}{:>8}{:>11}{:>12}\n",
                   "devices",
                   "step",
                   "samples/s",
                   "efficiency",
                   "MFU",
                   "not hidden",
                   "J/step");
    for (const StepTimes& step : scaling) {
        fmt::format_to(out,
                       "  {:>9}{:>12}{:>13.5g}{:>12}{:>8}{:>11}{:>12.4g}\n",
                       step.devices,
                       time_text(step.step_us),
                       step.samples_per_s,
                       percent_text(efficiency(scaling, step)),
                       percent_text(step.mfu),
                       percent_text(step.communication_us / step.step_us),
                       step.joules);
    }
}

}  // namespace

std::string training_text(const TrainingConfig& config,
                          const TrainingFigures& figures,
                          const report::Style& style) {
    const StepTimes& step = figures.step;
    std::string text;
    const auto out = std::back_inserter(text);
    const double samples = samples_of(config, step);
    fmt::format_to(out,
                   "{}\n\n",
                   report::toned(style,
                                 report::Tone::strong,
                                 fmt::format("{}: a step of {:.0f} samples takes {}, {:.5g} samples/s",
                                             config.title,
                                             samples,
                                             time_text(step.step_us),
                                             step.samples_per_s)));
    fmt::format_to(out,
                   "  layout      {} x {}: {} copies of {} stage{}, {} pass{} of {} samples, ZeRO {}{}\n",
                   step.devices,
                   config.chip.spec.name,
                   config.copies(),
                   config.pipeline,
                   config.pipeline == 1 ? "" : "s",
                   config.accumulation,
                   config.accumulation == 1 ? "" : "es",
                   config.batch,
                   config.zero,
                   config.recompute ? ", activations recomputed" : "");
    fmt::format_to(
        out,
        "  work        {:.4g} million weights; {} of the chips' peak (MFU); {:.4g} J, {:.3g} J a sample\n\n",
        static_cast<double>(figures.parameters) / 1e6,
        percent_text(step.mfu),
        step.joules,
        step.joules / samples);
    for (const Part& part : parts) {
        if (step.*part.us > 0) {
            fmt::format_to(out,
                           "  {:<26}{:>12}{:>8}  {}\n",
                           part.words,
                           time_text(step.*part.us),
                           percent_text(step.*part.us / step.step_us),
                           report::bar(step.*part.us / step.step_us, 30));
        }
    }
    fmt::format_to(out, "  {:<26}{:>12}\n", "all collectives", time_text(step.collectives_us));
    print_memory(out, config, figures.memory);
    if (!figures.scaling.empty()) {
        print_scaling(out, figures.scaling);
    }
    for (const std::string& note : std::set<std::string>{figures.notes.begin(), figures.notes.end()}) {
        fmt::format_to(out, "\n  note: {}\n", note);
    }
    return text;
}

ordered_json training_json(const TrainingConfig& config, const TrainingFigures& figures) {
    const StepTimes& step = figures.step;
    const DeviceMemory& memory = figures.memory;
    ordered_json json{{"title", config.title},
                      {"network", config.network.stem().string()},
                      {"chip", config.chip.spec.name},
                      {"devices", step.devices},
                      {"copies", config.copies()},
                      {"pipeline", config.pipeline},
                      {"batch", config.batch},
                      {"samples", samples_of(config, step)},
                      {"parameters", figures.parameters},
                      {"step_us", step.step_us}};
    for (const Part& part : parts) {
        json["parts_us"][part.key] = step.*part.us;
    }
    json["collectives_us"] = step.collectives_us;
    json["samples_per_s"] = step.samples_per_s;
    json["mfu"] = step.mfu;
    json["joules"] = step.joules;
    json["memory"] = {{"weights", memory.weights},
                      {"optimiser", memory.optimiser},
                      {"gradients", memory.gradients},
                      {"activations", memory.activations},
                      {"working", memory.working},
                      {"all", memory.all()},
                      {"capacity", config.chip.spec.hbm.bytes},
                      {"when", memory.when}};
    json["scaling"] = ordered_json::array();
    for (const StepTimes& one : figures.scaling) {
        json["scaling"].push_back({{"devices", one.devices},
                                   {"step_us", one.step_us},
                                   {"samples_per_s", one.samples_per_s},
                                   {"efficiency", efficiency(figures.scaling, one)},
                                   {"mfu", one.mfu},
                                   {"joules", one.joules}});
    }
    json["notes"] = std::set<std::string>{figures.notes.begin(), figures.notes.end()};
    return json;
}

}  // namespace ascendsim::training
