// SPDX-License-Identifier: Apache-2.0
// Recurrent layers as chains: one product for the inputs of all steps, then for each step a product with the
// state before it and the gates.
#include <algorithm>
#include <array>

#include "app/validation/rows/matmul_rows.hpp"
#include "app/validation/rows/operator_rows.hpp"

namespace ascendsim::validation {
namespace {

/// What a row says of a layer.
struct Layer {
    std::uint64_t steps = 0;
    std::uint64_t batch = 0;
    std::uint64_t inputs = 0;
    std::uint64_t hidden = 0;
    std::uint64_t layers = 1;
    std::uint64_t directions = 1;
    std::uint64_t gates = 4;
};

std::optional<Layer> layer_of(const Row& row) {
    const Extents* const x = row.shape.tensor(0);
    std::optional<std::int64_t> hidden =
        row.integer("hiddensize") ? row.integer("hiddensize") : row.integer("hidden_size");
    if (!hidden && row.shape.get("hidden")) {
        hidden = static_cast<std::int64_t>(*row.shape.get("hidden"));
    }
    if (x == nullptr || x->size() != 3 || !hidden || *hidden <= 0) {
        return std::nullopt;
    }
    const bool batch_first = row.flag("batchfirst").value_or(row.flag("batch_first").value_or(false));
    const auto layers = row.integer("numlayers") ? row.integer("numlayers") : row.integer("num_layers");
    return Layer{.steps = (*x)[batch_first ? 1 : 0],
                 .batch = (*x)[batch_first ? 0 : 1],
                 .inputs = x->back(),
                 .hidden = static_cast<std::uint64_t>(*hidden),
                 .layers = static_cast<std::uint64_t>(std::max<std::int64_t>(layers.value_or(1), 1)),
                 .directions = row.flag("bidirectional").value_or(false) ? 2U : 1U,
                 .gates = row.kernel_has({"gru"}) ? 3U : 4U};
}

/// Element-wise steps of a cell: the operation, and how many times the hidden width it works on.
struct Gate {
    const char* op;
    std::uint64_t widths;
};

constexpr std::array lstm_gates{
    Gate{"sigmoid", 3}, Gate{"tanh", 1}, Gate{"mul", 1}, Gate{"addcmul", 1}, Gate{"tanh", 1}, Gate{"mul", 1}};
constexpr std::array gru_gates{Gate{"sigmoid", 2}, Gate{"addcmul", 1}, Gate{"tanh", 1}, Gate{"lerp", 1}};

template <std::size_t n>
void add_gates(Case& result,
               const std::array<Gate, n>& gates,
               const Row& row,
               const Context& context,
               const Layer& layer,
               double times) {
    for (const Gate& gate : gates) {
        KernelRun run = kernel_of(row, context, "elementwise");
        run.knob("op", gate.op)
            .knob("dtype", first_type(row))
            .knob("shape", Extents{layer.batch, gate.widths * layer.hidden});
        run.launch_overhead = false;
        run.times = times;
        set_without_pipe(run);
        result.runs.push_back(run);
    }
}

}  // namespace

std::optional<Adapted> recurrent_case(const Row& row, const Context& context) {
    if (!operator_is(row, {"gru", "lstm", "dynamicrnn", "dynamicgru", "commonlstm", "commongru"})) {
        return std::nullopt;
    }
    const std::optional<Layer> layer = layer_of(row);
    if (!layer || !context.chip.cores.split) {
        return WhyNot{"the row does not state steps, batch and widths of the recurrent layer"};
    }
    if (row.integer("projsize").value_or(0) != 0) {
        return WhyNot{"recurrent layers with a projection have no kernel of ours"};
    }
    Case result;
    const auto product = [&](std::uint64_t m, std::uint64_t k, double times, bool first) {
        Product one{.m = m,
                    .n = layer->gates * layer->hidden,
                    .k = k,
                    .transpose_b = true,
                    .type = first_type(row),
                    .out = {}};
        KernelRun run = matmul_run(one, context);
        run.launch_overhead = first;
        run.times = times;
        result.runs.push_back(std::move(run));
    };
    const auto directions = static_cast<double>(layer->directions);
    product(layer->steps * layer->batch, layer->inputs, directions, true);
    if (layer->layers > 1) {
        product(layer->steps * layer->batch,
                layer->hidden * layer->directions,
                directions * static_cast<double>(layer->layers - 1),
                true);
    }
    const double steps = static_cast<double>(layer->steps * layer->layers) * directions;
    product(layer->batch, layer->hidden, steps, false);
    if (layer->gates == 3) {
        add_gates(result, gru_gates, row, context, *layer, steps);
    } else {
        add_gates(result, lstm_gates, row, context, *layer, steps);
    }
    result.assumed = "one product for the inputs of all steps, then a product and its gates for each";
    return result;
}

}  // namespace ascendsim::validation
