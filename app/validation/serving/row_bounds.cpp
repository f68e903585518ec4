// SPDX-License-Identifier: Apache-2.0
#include "app/validation/serving/row_bounds.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "models/spec/chip_file.hpp"

namespace ascendsim::validation {
namespace {

using networks::llm::Weights;
using serving::ServeConfig;

/// Parameters of layers that a device multiplies a token by, on the device that has least of them: experts
/// may lie on all replicas' devices, and a token's may be spread evenly.
struct Parameters {
    double of_experts = 0;
    double others = 0;
};

Parameters parameters_of_device(const ServeConfig& config) {
    const networks::llm::ModelConfig& model = config.model;
    constexpr std::uint64_t matrices = 3;  // gate, up, down
    const std::uint64_t experts = model.experts ? matrices * model.hidden * model.experts->width *
                                                      model.experts->chosen * model.expert_layers()
                                                : 0;
    const std::uint64_t tables = model.vocabulary * model.hidden * (model.tied_embeddings ? 1 : 2);
    const double tensor = config.layout.tensor;
    const double sharers = config.layout.expert_parallel ? tensor * config.layout.replicas : tensor;
    return {.of_experts = static_cast<double>(experts) / sharers,
            .others = static_cast<double>(model.active_parameters() - tables - experts) / tensor};
}

/// In the row's unit; nothing if it is none of time.
double ms_of(const SystemRow& row) {
    constexpr double ms_a_s = 1000;
    return row.unit == "s" ? row.value * ms_a_s : row.unit == "ms" ? row.value : 0;
}

std::string too_short_a_prompt(double ms, const ServeConfig& config) {
    const Parameters parameters = parameters_of_device(config);
    const std::uint64_t prefix = std::min(config.requests.prefix, config.requests.prompt.mean);
    const auto tokens = static_cast<double>(config.requests.prompt.mean - prefix);
    const double tflops = peak_fp16_tflops(config.chip) * (config.weights == Weights::half ? 1 : 2);
    // Parts of a prompt may be in all stages of a pipeline at once.
    const double of_device = (parameters.of_experts + parameters.others) / config.layout.pipeline;
    const double least_ms = 2 * of_device * tokens / (tflops * 1e9);
    return ms < least_ms
               ? fmt::format(
                     "less than the {:.0f} ms that the products of such a prompt take at the cubes' "
                     "peak: 2 x {:.0f} tokens x {:.2f}e9 parameters of a device / {:.0f} T/s; its "
                     "length is not what it says",
                     least_ms,
                     tokens,
                     of_device / 1e9,
                     tflops)
               : std::string{};
}

std::string too_short_a_step(double ms, const ServeConfig& config) {
    const Parameters parameters = parameters_of_device(config);
    const double half = config.weights == Weights::half ? 2 : 1;
    const double of_expert = config.weights == Weights::int4 ? 0.5 : half;
    const double of_other = config.weights == Weights::int4 && !config.model.experts ? 0.5 : half;
    const double bytes = parameters.of_experts * of_expert + parameters.others * of_other -
                         static_cast<double>(config.chip.l2.bytes);
    const double tokens = 1.0 + config.speculation.drafted;
    const double least_ms = bytes / (config.chip.hbm.gb_per_s * 1e6) / tokens;
    return ms < least_ms
               ? fmt::format(
                     "less than the {:.2f} ms that HBM takes to read a device's weights: {:.2f} GB "
                     "behind L2 at {:.0f} GB/s, for {:.0f} token{} at most; the system is not what it "
                     "says",
                     least_ms,
                     bytes / 1e9,
                     config.chip.hbm.gb_per_s,
                     tokens,
                     tokens > 1 ? "s" : "")
               : std::string{};
}

}  // namespace

std::string beyond_the_machine(const SystemRow& row, const ServedCase& served, const ServeConfig& config) {
    const double ms = ms_of(row);
    if (ms <= 0) {
        return {};
    }
    switch (served.metric) {
        case ServedMetric::ttft:
            return too_short_a_prompt(ms, config.prompt_config());
        case ServedMetric::tpot:
            return too_short_a_step(ms, config);
        case ServedMetric::e2e:
        case ServedMetric::tokens_per_s:
        case ServedMetric::requests_per_s:
            return {};
    }
    return {};
}

}  // namespace ascendsim::validation
