// SPDX-License-Identifier: Apache-2.0
// The host side of what cube kernels do to their sums: knobs, the reference, and what it costs.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kernels/plan/knob.hpp"
#include "kernels/plan/plan.hpp"
#include "kernels/shared/epilogue_tiling.hpp"
#include "models/spec/chip_spec.hpp"

namespace epilogue {

namespace host = ascendsim::host;
using ascendsim::isa::DataType;

/// Columns of fp32 that the bias table holds.
inline constexpr std::uint32_t table_columns = 256;

/// Behind the other knobs of a kernel.
inline void add_knobs(std::vector<host::Knob>& knobs) {
    using host::Knob;
    knobs.push_back(Knob::flag("bias", false, "a bias for each column is added to the sums"));
    knobs.push_back(Knob::word("activation",
                               {"none",
                                "relu",
                                "leaky_relu",
                                "clip",
                                "hard_swish",
                                "sigmoid",
                                "tanh",
                                "silu",
                                "gelu_tanh",
                                "gelu_erf"},
                               "of the sums on their way out: chips of split cores have relu there, and take "
                               "their vector cores for the others"));
    knobs.push_back(Knob::real("low",
                               0,
                               -1e38,
                               1e38,
                               "",
                               "clip: the least result; leaky_relu: what numbers below 0 are multiplied by"));
    knobs.push_back(Knob::real("high", 6, -1e38, 1e38, "", "clip: the most"));
}

[[nodiscard]] inline Epilogue of(const host::Knobs& knobs) {
    Epilogue with{.bias = knobs.flag("bias") ? 1U : 0U,
                  .activation = none,
                  .low = static_cast<float>(knobs.real("low")),
                  .high = static_cast<float>(knobs.real("high"))};
    constexpr const char* words[]{"none",
                                  "relu",
                                  "leaky_relu",
                                  "clip",
                                  "hard_swish",
                                  "sigmoid",
                                  "tanh",
                                  "silu",
                                  "gelu_tanh",
                                  "gelu_erf"};
    const auto found = std::ranges::find(words, knobs.word("activation"));
    with.activation = static_cast<std::uint32_t>(found - std::begin(words));
    if (with.activation == clip && !(with.low <= with.high)) {
        throw knobs.error("high", fmt::format("must be at least low, {}", with.low));
    }
    return with;
}

/// True if there is anything to do.
[[nodiscard]] inline bool any(const Epilogue& with) {
    return with.bias != 0 || with.activation != none;
}

/// True if the chip's cube cores have no way for the activation, and vector cores take it.
[[nodiscard]] inline bool takes_vector_cores(const Epilogue& with, const ascendsim::ChipSpec& chip) {
    return chip.cores.split && with.activation != none && with.activation != relu;
}

/// The type of the bias in memory.
[[nodiscard]] inline DataType bias_type(DataType in, DataType out) {
    return in == DataType::int8                            ? DataType::int32
           : in == DataType::half && out == DataType::half ? DataType::half
                                                           : DataType::float32;
}

/// The activation in doubles.
[[nodiscard]] inline double activated(const Epilogue& with, double x) {
    switch (with.activation) {
        case relu:
            return std::max(x, 0.0);
        case leaky_relu:
            return x >= 0 ? x : with.low * x;
        case clip:
            return std::clamp<double>(x, with.low, with.high);
        case hard_swish:
            return x * std::clamp(x / 6 + 0.5, 0.0, 1.0);
        case sigmoid:
            return 1 / (1 + std::exp(-x));
        case tanh:
            return std::tanh(x);
        case silu:
            return x / (1 + std::exp(-x));
        case gelu_tanh:
            return 0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
        case gelu_erf:
            return 0.5 * x * std::erfc(-x * 0.70710678118654752);
        default:
            return x;
    }
}

/// Sums are rounded to the results' type before the bias (coupled chips) and before an activation that
/// vector cores compute: to half a step each, of numbers of at most five deviations of `depth` products of
/// values below 1 and a bias below 4. No activation is steeper than 1.13, but a slope that is stated.
inline void widen(host::Tolerance& tolerance, const Epilogue& with, DataType out, double depth) {
    if (!any(with) || out == DataType::int32) {
        return;
    }
    const double step = out == DataType::half ? 0x1p-11 : out == DataType::bfloat16 ? 0x1p-8 : 0x1p-22;
    const double steepest = std::max(1.13, std::abs(static_cast<double>(with.low)));
    tolerance.absolute *= steepest;
    tolerance.absolute += 2 * step * steepest * (5 * std::sqrt(depth) / 3 + 4);
}

/// The error of a result behind the epilogue, of a sum that is off by `error`, as widen() has it.
[[nodiscard]] inline double error_behind(const Epilogue& with, DataType out, double error, double sum) {
    if (!any(with) || out == DataType::int32) {
        return error;
    }
    const double step = out == DataType::half ? 0x1p-11 : out == DataType::bfloat16 ? 0x1p-8 : 0x1p-22;
    return std::max(1.13, std::abs(static_cast<double>(with.low))) * (error + 2 * step * std::abs(sum));
}

/// Values of the bias of a run that stands alone.
[[nodiscard]] inline host::Fill bias_fill(DataType type) {
    return type == DataType::int32 ? host::Fill{host::fill::Integers{.low = -100000, .high = 100000}}
                                   : host::Fill{host::fill::Uniform{-4, 4}};
}

/// " + bias, relu", as problems say it.
[[nodiscard]] inline std::string text(const Epilogue& with, const host::Knobs& knobs) {
    return fmt::format("{}{}",
                       with.bias != 0 ? " + bias" : "",
                       with.activation != none ? ", " + knobs.word("activation") : "");
}

}  // namespace epilogue
