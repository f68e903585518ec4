// SPDX-License-Identifier: Apache-2.0
#include "app/validation/networks/network_row.hpp"

#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "networks/onnx/read_onnx.hpp"
#include "sim/base/lower_case.hpp"

namespace ascendsim::validation {
namespace {

/// The shipped network that the workload names: the longest name in it.
std::filesystem::path network_of(const SystemRow& row, const toolchain::Installation& installation) {
    const std::string words = lower(row.workload);
    std::filesystem::path best;
    std::error_code error;
    for (const auto& entry :
         std::filesystem::directory_iterator{installation.scenarios() / "networks" / "operators", error}) {
        const std::filesystem::path& file = entry.path();
        if (file.extension() == ".onnxtxt" && words.find(file.stem().string()) != std::string::npos &&
            file.stem().string().size() > best.stem().string().size()) {
            best = file;
        }
    }
    return best;
}

/// The network's open extents as the row's shape names them: "heads 16 batch 4". Nothing if one is missing.
std::optional<std::vector<std::string>> extents_of(const SystemRow& row, const networks::Graph& graph) {
    std::vector<std::string> extents;
    for (const networks::Input& input : graph.inputs) {
        for (const networks::Extent& extent : input.shape) {
            if (const auto* open = std::get_if<std::string>(&extent)) {
                const std::optional<std::uint64_t> value = number_after(row.shape, *open);
                if (!value || *value == 0) {
                    return std::nullopt;
                }
                extents.push_back(fmt::format("{}={}", *open, *value));
            }
        }
    }
    return extents;
}

std::optional<FusionMetric> metric_of_fusion(const SystemRow& row) {
    constexpr std::array<std::pair<std::string_view, FusionMetric>, 8> metrics{{
        {"task duration", FusionMetric::fused},
        {"fused time", FusionMetric::fused},
        {"time after", FusionMetric::fused},
        {"unfused time", FusionMetric::apart},
        {"time before", FusionMetric::apart},
        {"speedup", FusionMetric::gain},
        {"gain", FusionMetric::gain},
        {"unfused/fused", FusionMetric::gain},
    }};
    const std::string metric = lower(row.metric);
    for (const auto& [word, meaning] : metrics) {
        if (metric == word) {
            return meaning;
        }
    }
    return std::nullopt;
}

/// The chip of a row, and what was assumed for it.
std::pair<std::string, std::string> chip_of(const SystemRow& row) {
    const std::string chip = lower(row.chip);
    for (const char* which : {"910b1", "910b2", "910b3", "910b4"}) {
        if (chip.starts_with(which)) {
            return {which, {}};
        }
    }
    if (chip.starts_with("910c") || chip == "a3") {
        return {"910c", {}};
    }
    const bool one_of = chip.find("a2") != std::string::npos || chip.starts_with("910b");
    return one_of ? std::pair{"910b3", "taken to be a 910B3"} : std::pair<std::string, std::string>{};
}

}  // namespace

std::variant<FusionCase, WhyNot> fusion_case(const SystemRow& row,
                                             const toolchain::Installation& installation) {
    const std::optional<FusionMetric> metric = metric_of_fusion(row);
    if (!metric) {
        return WhyNot{"no time of operators: a rate, or a time of a whole system"};
    }
    if (row.says("triton") || row.says("tilelang")) {
        return WhyNot{"written by a compiler whose code is not simulated"};
    }
    const std::filesystem::path file = network_of(row, installation);
    if (file.empty()) {
        return WhyNot{"no network of scenarios/networks/operators has this name"};
    }
    const networks::Graph graph = networks::read_onnx(file);
    std::optional<std::vector<std::string>> extents = extents_of(row, graph);
    if (!extents) {
        return WhyNot{"its shape does not state every extent of the network"};
    }
    const auto [chip, assumed] = chip_of(row);
    if (chip.empty()) {
        return WhyNot{"no chip of this name is described"};
    }
    return FusionCase{.network = {.file = file,
                                  .extents = *std::move(extents),
                                  .fuse = *metric == FusionMetric::apart ? "none" : "all",
                                  .precision = networks::Precision::as_stated},
                      .chip = chip,
                      .metric = *metric,
                      .assumed = assumed};
}

bool is_step_sum(const SystemRow& row) {
    return row.category == "step_trace" ||
           (row.category == "kernel_mean" && row.says("sum of compute kernels of one layer"));
}

std::variant<StepSumCase, WhyNot> step_sum_case(const SystemRow& row,
                                                const toolchain::Installation& installation) {
    const bool one_layer = row.category == "kernel_mean";
    if (!one_layer && row.metric != "Computing") {
        return WhyNot{"a part of a step that holds waiting, or overheads of the profiler"};
    }
    if (row.notes.find("window of fixed length") != std::string::npos ||
        row.notes.find("forward passes") != std::string::npos) {
        return WhyNot{"a window of steps, whose sizes are not stated"};
    }
    if (!row.says("prefill")) {
        return WhyNot{"a decoding step of a context that is not stated"};
    }
    const std::optional<std::uint64_t> tokens = number_after(row.shape, one_layer ? "seq" : "ISL");
    if (!tokens || *tokens == 0) {
        return WhyNot{"the length of the prompt is not stated"};
    }
    SystemRow laid_out = row;
    std::string assumed;
    const std::optional<std::uint64_t> devices = number_in(row.devices);
    if (row.workload.find(" TP") == std::string::npos && devices && row.workload.find("Qwen") == 0) {
        laid_out.workload += fmt::format(" TP{}", *devices);
        assumed = fmt::format("each layer is taken to be shared by all {} devices", *devices);
    }
    const std::variant<ServedSystem, WhyNot> found = system_of(laid_out, installation);
    if (const auto* why = std::get_if<WhyNot>(&found)) {
        return *why;
    }
    return StepSumCase{.file = std::get<ServedSystem>(found).for_one_request(),
                       .tokens = *tokens,
                       .one_layer = one_layer,
                       .assumed = assumed};
}

}  // namespace ascendsim::validation
