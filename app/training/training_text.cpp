// SPDX-License-Identifier: Apache-2.0
#include "app/training/training_text.hpp"

#include <algorithm>
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

constexpr std::array<Part, 7> parts{
    {{"forward", "forward", &StepTimes::forward_us},
     {"backward", "backward", &StepTimes::backward_us},
     {"recompute", "recomputed forward", &StepTimes::recompute_us},
     {"exchange", "exchange within layers", &StepTimes::exchange_us},
     {"optimiser", "optimiser", &StepTimes::optimiser_us},
     {"bubble", "waiting for other stages", &StepTimes::bubble_us},
     {"communication", "communication not hidden", &StepTimes::communication_us}}};

double samples_of(const TrainingConfig& config, const StepTimes& step) {
    return static_cast<double>(config.batch) * config.accumulation *
           (step.devices / config.pipeline / config.tensor);
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

/// ", layers in 4 strips, experts on 8 copies".
std::string sharing_text(const TrainingConfig& config) {
    std::string text;
    text += config.interleave > 1 ? fmt::format(" in {} chunks", config.interleave) : "";
    const char* cut = config.cut == LayerCut::slabs ? "slabs" : "strips";
    text += config.tensor > 1 ? fmt::format(", layers in {} {}", config.tensor, cut) : "";
    return text + (config.experts > 1 ? fmt::format(", experts on {} copies", config.experts) : "");
}

void print_inputs(std::back_insert_iterator<std::string> out, const std::vector<InputRun>& inputs) {
    fmt::format_to(out,
                   "\n  {:<30}{:>12}{:>9}{:>8}{:>9}{:>9}{:>10}\n",
                   "with inputs of the host",
                   "samples/s",
                   "",
                   "host",
                   "devices",
                   "network",
                   "waiting");
    for (const InputRun& run : inputs) {
        fmt::format_to(out,
                       "  {:<30}{:>12.5g}{:>8.2f}x{:>8}{:>9}{:>9}{:>10.2f}\n",
                       run.mode.name,
                       run.samples_per_s,
                       run.samples_per_s / inputs.front().samples_per_s,
                       percent_text(run.host_busy),
                       percent_text(run.device_busy),
                       percent_text(run.network_busy),
                       run.queued);
    }
}

double tokens_per_s(const TrainingConfig& config, const StepTimes& step) {
    return step.samples_per_s * std::max(1U, config.tokens);
}

}  // namespace

double work_a_joule(const TrainingConfig& config, const StepTimes& step) {
    return step.joules > 0 ? tokens_per_s(config, step) * step.step_us * 1e-6 / step.joules : 0;
}

std::string ladder_text(const std::vector<ClimbedRung>& rungs) {
    std::string text = fmt::format(
        "\nThe ladder: each rung with what those above it changed\n  "
        "{:<24}{:>11}{:>13}{:>9}{:>11}{:>12}{:>13}  "
        "{}\n",
        "",
        "step",
        rungs.empty() || rungs[0].config.tokens == 0 ? "samples/s" : "tokens/s",
        "",
        "GB",
        "per J",
        "precision",
        "held as");
    for (const ClimbedRung& rung : rungs) {
        if (!rung.problem.empty()) {
            text += fmt::format("  {:<24}{}\n", rung.name, rung.problem);
            continue;
        }
        const StepTimes& step = rung.figures.step;
        const auto lowest = std::ranges::find_if(
            rungs, [](const ClimbedRung& one) { return one.problem.empty(); });  // that runs
        const double first = lowest->figures.step.samples_per_s;
        text += fmt::format("  {:<24}{:>11}{:>13.5g}{:>8.2f}x{:>11.2f}{:>12.4g}{:>13}  {}\n",
                            rung.name,
                            time_text(step.step_us),
                            tokens_per_s(rung.config, step),
                            first > 0 ? step.samples_per_s / first : 0,
                            static_cast<double>(rung.figures.memory.all()) / 1e9,
                            work_a_joule(rung.config, step),
                            rung.precision ? fmt::format("{:.4f} %", rung.precision->percent()) : "-",
                            rung.config.precision == networks::Precision::half ? "float16" : "as stated");
    }
    for (const ClimbedRung& rung : rungs) {
        if (!rung.why_no_precision.empty()) {
            return text + fmt::format("  no precision of '{}': {}\n", rung.name, rung.why_no_precision);
        }
    }
    return text;
}

ordered_json ladder_json(const std::vector<ClimbedRung>& rungs) {
    ordered_json json = ordered_json::array();
    for (const ClimbedRung& rung : rungs) {
        if (!rung.problem.empty()) {
            json.push_back({{"name", rung.name}, {"problem", rung.problem}});
            continue;
        }
        const StepTimes& step = rung.figures.step;
        json.push_back(
            {{"name", rung.name},
             {"step_us", step.step_us},
             {"samples_per_s", step.samples_per_s},
             {"tokens_per_s", tokens_per_s(rung.config, step)},
             {"work_per_joule", work_a_joule(rung.config, step)},
             {"memory_bytes", rung.figures.memory.all()},
             {"precision", rung.config.precision == networks::Precision::half ? "float16" : "as_stated"}});
        if (rung.precision) {
            json.back()["gradient_error"] = rung.precision->gradient_error;
            json.back()["loss_error"] = rung.precision->loss_error;
            json.back()["precision_percent"] = rung.precision->percent();
            json.back()["loss_scale"] = rung.precision->loss_scale;
        }
    }
    return json;
}

std::vector<std::pair<std::string, double>> parts_of(const StepTimes& step) {
    std::vector<std::pair<std::string, double>> all;
    for (const Part& part : parts) {
        if (step.*part.us > 0) {
            all.emplace_back(part.words, step.*part.us);
        }
    }
    return all;
}

std::string layout_text(const TrainingConfig& config, const StepTimes& step) {
    return fmt::format("{} x {}: {} copies of {} stage{}{}, {} pass{} of {} samples, ZeRO {}{}",
                       step.devices,
                       config.chip.spec.name,
                       config.copies(),
                       config.pipeline,
                       config.pipeline == 1 ? "" : "s",
                       sharing_text(config),
                       config.accumulation,
                       config.accumulation == 1 ? "" : "es",
                       config.batch,
                       config.zero,
                       config.recompute ? ", activations recomputed" : "");
}

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
    fmt::format_to(out, "  layout      {}\n", layout_text(config, step));
    fmt::format_to(out,
                   "  work        {:.4g} million weights; {} of the chips' peak (MFU){}\n"
                   "  energy      devices {:.4g} J, {:.3g} J a sample{}; hosts {:.4g} J ± {:.2g}, {:.3g} J a "
                   "sample\n\n",
                   static_cast<double>(figures.parameters) / 1e6,
                   percent_text(step.mfu),
                   config.tokens > 0 ? fmt::format("; {:.5g} tokens/s", tokens_per_s(config, step)) : "",
                   step.joules,
                   step.joules / samples,
                   config.tokens > 0 ? fmt::format(", {:.4g} tokens a J", work_a_joule(config, step)) : "",
                   step.host.joules,
                   step.host.spread,
                   step.host.joules / samples);
    for (const auto& [name, us] : parts_of(step)) {
        fmt::format_to(out,
                       "  {:<26}{:>12}{:>8}  {}\n",
                       name,
                       time_text(us),
                       percent_text(us / step.step_us),
                       report::bar(us / step.step_us, 30));
    }
    fmt::format_to(out, "  {:<26}{:>12}\n", "all collectives", time_text(step.collectives_us));
    print_memory(out, config, figures.memory);
    if (!figures.inputs.empty()) {
        print_inputs(out, figures.inputs);
    }
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
                      {"interleave", config.interleave},
                      {"tensor", config.tensor},
                      {"experts", config.experts},
                      {"accumulation", config.accumulation},
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
    json["host_joules"] = step.host.joules;
    json["host_spread_joules"] = step.host.spread;
    json["host_busy_us"] = step.host.busy_us;
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
                                   {"joules", one.joules},
                                   {"host_joules", one.host.joules}});
    }
    json["tokens_per_s"] =
        config.tokens > 0 ? ordered_json(tokens_per_s(config, step)) : ordered_json(nullptr);
    json["work_per_joule"] = work_a_joule(config, step);
    json["inputs"] = ordered_json::array();
    for (const InputRun& run : figures.inputs) {
        json["inputs"].push_back({{"name", run.mode.name},
                                  {"samples_per_s", run.samples_per_s},
                                  {"host_busy", run.host_busy},
                                  {"device_busy", run.device_busy},
                                  {"network_busy", run.network_busy},
                                  {"queued", run.queued}});
    }
    json["notes"] = std::set<std::string>{figures.notes.begin(), figures.notes.end()};
    return json;
}

}  // namespace ascendsim::training
