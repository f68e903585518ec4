// SPDX-License-Identifier: Apache-2.0
// Operators that patterns put into a network: several operators of ONNX by one kernel.
#include <algorithm>

#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;
using loops::Op;

std::int64_t knob_of(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}

/// [rows, elements of a row].
host::Shape as_rows(const host::Shape& shape) {
    if (shape.empty()) {
        throw Refused{"a single element has no rows"};
    }
    return {host::elements({shape.begin(), shape.end() - 1}), shape.back()};
}

Lowered gelu_operator(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const bool exact = with.node.word("approximate", "none") == "none";
    LoopOf loop{{x}};
    const std::size_t y = loop.step(exact ? Op::gelu_erf : Op::gelu_tanh, {0}, x.tensor.shape, x.tensor.type);
    const loops::Loop whole = loop.outputs({y});
    return steps.done(steps.run({.kernel = "gelu",
                                 .knobs = {{"shape", x.tensor.shape},
                                           {"form", std::string{exact ? "erf" : "tanh"}},
                                           {"dtype", type_word(x.tensor.type)}},
                                 .equal = std::make_shared<const loops::Loop>(whole)},
                                {x},
                                {x.tensor}));
}

Lowered silu_operator(const Operator& with) {
    Steps steps{with};
    return steps.done({steps.element(Op::silu, {steps.operand(0)})});
}

/// x / sqrt(mean(x^2) + epsilon) scale, in the extents of the network.
std::shared_ptr<const LoopForm> rms_form(const Operator& with, double epsilon) {
    const Tensor& x = with.input(0);
    host::Shape kept = x.shape;
    kept.back() = 1;
    LoopOf loop{{{x, 0}, {with.input(1), 1}}};
    const std::size_t square = loop.step(Op::square, {0}, x.shape, x.type);
    const std::size_t mean = loop.step(Op::reduce_mean, {square}, kept, x.type, {}, {x.shape.size() - 1});
    const std::size_t safe = loop.step(Op::scale, {mean}, kept, x.type, {1, epsilon});
    const std::size_t inverse = loop.step(Op::rsqrt, {safe}, kept, x.type);
    const std::size_t normal = loop.step(Op::mul, {0, inverse}, x.shape, x.type);
    const std::size_t y = loop.step(Op::mul, {normal, 1}, x.shape, x.type);
    return std::make_shared<const LoopForm>(
        LoopForm{.loop = loop.outputs({y}), .reads = {{0, x}, {1, with.input(1)}}});
}

Lowered rms_norm_operator(const Operator& with) {
    Steps steps{with};
    const host::Shape rows = as_rows(with.input(0).shape);
    const Part x = Steps::seen(steps.operand(0), rows);
    const double epsilon = with.node.real("epsilon", 1e-5);
    const Part y =
        steps.run({.kernel = "rms_norm",
                   .knobs = {{"shape", rows}, {"epsilon", epsilon}, {"dtype", type_word(x.tensor.type)}}},
                  {x, steps.operand(1)},
                  {x.tensor})[0];
    Lowered lowered = steps.done({Steps::seen(y, with.input(0).shape)});
    lowered.form = rms_form(with, epsilon);
    return lowered;
}

/// The norm of a sum, and the sum, in the extents of the network.
std::shared_ptr<const LoopForm> norm_of_sum_form(const Operator& with, bool layer, double epsilon) {
    const Tensor& x = with.input(0);
    const std::vector<std::size_t> last{x.shape.size() - 1};
    host::Shape kept = x.shape;
    kept.back() = 1;
    LoopForm form;
    std::vector<Part> operands;
    for (std::size_t i = 0; i < with.inputs.size(); ++i) {
        operands.push_back({with.input(i), i});
        form.reads.push_back({i, with.input(i)});
    }
    LoopOf loop{operands};
    const std::size_t sum = loop.step(Op::add, {0, 1}, x.shape, x.type);
    std::size_t centred = sum;
    if (layer) {
        const std::size_t mean = loop.step(Op::reduce_mean, {sum}, kept, x.type, {}, last);
        centred = loop.step(Op::sub, {sum, mean}, x.shape, x.type);
    }
    const std::size_t square = loop.step(Op::square, {centred}, x.shape, x.type);
    const std::size_t variance = loop.step(Op::reduce_mean, {square}, kept, x.type, {}, last);
    const std::size_t safe = loop.step(Op::scale, {variance}, kept, x.type, {1, epsilon});
    const std::size_t inverse = loop.step(Op::rsqrt, {safe}, kept, x.type);
    const std::size_t normal = loop.step(Op::mul, {centred, inverse}, x.shape, x.type);
    std::size_t y = loop.step(Op::mul, {normal, 2}, x.shape, x.type);
    if (layer) {
        y = loop.step(Op::add, {y, 3}, x.shape, x.type);
    }
    form.loop = loop.outputs({y, sum});
    return std::make_shared<const LoopForm>(std::move(form));
}

/// The norm of a sum, and the sum.
Lower norm_of_sum(bool layer) {
    return [layer](const Operator& with) {
        Steps steps{with};
        const host::Shape shape = with.input(0).shape;
        const host::Shape rows = as_rows(shape);
        std::vector<Part> reads{Steps::seen(steps.operand(0), rows), Steps::seen(steps.operand(1), rows)};
        for (std::size_t i = 2; i < with.inputs.size(); ++i) {
            reads.push_back(Steps::seen(steps.operand(i), {rows[1]}));
        }
        const Tensor like{.type = reads[0].tensor.type, .shape = rows, .values = {}};
        const double epsilon = with.node.real("epsilon", 1e-5);
        const std::vector<Part> made = steps.run({.kernel = "row_norm",
                                                  .knobs = {{"shape", rows},
                                                            {"kind", std::string{layer ? "layer" : "rms"}},
                                                            {"residual", true},
                                                            {"epsilon", epsilon},
                                                            {"dtype", type_word(like.type)}}},
                                                 reads,
                                                 {like, like});
        Lowered lowered = steps.done({Steps::seen(made[0], shape), Steps::seen(made[1], shape)});
        lowered.form = norm_of_sum_form(with, layer, epsilon);
        return lowered;
    };
}

Lowered layer_norm_gelu_operator(const Operator& with) {
    Steps steps{with};
    const host::Shape rows = as_rows(with.input(0).shape);
    const Part x = Steps::seen(steps.operand(0), rows);
    const Part y =
        steps.run({.kernel = "layer_norm_gelu",
                   .knobs = {{"shape", rows},
                             {"epsilon", with.node.real("epsilon", 1e-5)},
                             {"dtype", type_word(x.tensor.type)}}},
                  {x, Steps::seen(steps.operand(1), {rows[1]}), Steps::seen(steps.operand(2), {rows[1]})},
                  {x.tensor})[0];
    return steps.done({Steps::seen(y, with.input(0).shape)});
}

/// A mask as the attention kernel reads it: float32, [batch or 1, queries, keys].
Lowered attention_mask(const Operator& with) {
    Steps steps{with};
    const Part mask = steps.operand(0);
    const host::Shape& given = mask.tensor.shape;
    host::Shape from = given;
    if (from.size() == 4) {
        from.erase(from.begin() + 1);
    }
    const host::Shape whole{from.size() == 3 ? from[0] : 1,
                            static_cast<std::uint64_t>(with.node.integer("queries", 1)),
                            static_cast<std::uint64_t>(with.node.integer("keys", 1))};
    const Part rows = Steps::seen(mask, from);
    LoopOf loop{{rows}};
    const std::size_t wide = loop.step(Op::cast, {0}, from, DataType::float32);
    const std::size_t spread = loop.step(Op::broadcast, {wide}, whole, DataType::float32);
    const std::size_t copy = loop.step(Op::copy, {spread}, whole, DataType::float32);
    Lowered lowered = steps.done(steps.run(loop.outputs({copy}), {rows}));
    lowered.keeps_types = true;
    return lowered;
}

/// softmax(q k^T / sqrt(width) + mask) v.
Lowered attention_operator(const Operator& with) {
    Steps steps{with};
    const bool by_token = with.node.integer("by_token", 0) != 0;
    const auto four = [&](std::size_t index) {
        host::Shape shape = with.input(index).shape;
        if (shape.size() == 3) {  // [batch, tokens, width]: one head
            shape.insert(shape.begin() + 1, 1);
        }
        return shape;
    };
    const host::Shape q = four(0);
    const host::Shape v = four(2);
    const std::size_t tokens = by_token ? 1 : 2;
    const DataType type = with.input(0).type;
    Task task{.kernel = "attention",
              .knobs = {{"batch", knob_of(q[0])},
                        {"q_len", knob_of(q[tokens])},
                        {"kv_len", knob_of(v[tokens])},
                        {"heads", knob_of(q[3 - tokens])},
                        {"kv_heads", knob_of(v[3 - tokens])},
                        {"head_dim", knob_of(q[3])},
                        {"value_dim", knob_of(v[3])},
                        {"layout", std::string{by_token ? "bsnd" : "bnsd"}},
                        {"dtype", type_word(type)}}};
    std::vector<Part> reads{steps.operand(0), steps.operand(1), steps.operand(2)};
    if (with.has(3)) {
        const Part none = Steps::table(type, {16}, std::vector<double>(16));  // of a part that is rotated
        reads.insert(reads.end(), {none, none, steps.operand(3)});
        task.knobs.emplace_back("mask", true);
        task.knobs.emplace_back("mask_by_batch", with.input(3).shape[0] != 1);
    }
    host::Shape shape = with.input(0).shape;
    shape.back() = v[3];
    return steps.done(steps.run(std::move(task), reads, {{.type = type, .shape = shape, .values = {}}}));
}

/// silu(x gate) * (x up).
Lowered swiglu_operator(const Operator& with) {
    Steps steps{with};
    const host::Shape rows = as_rows(with.input(0).shape);
    const host::Shape& weights = with.input(1).shape;
    const Part x = Steps::seen(steps.operand(0), {1, rows[0], rows[1]});
    host::Shape shape = with.input(0).shape;
    shape.back() = weights.back();
    const Part y = steps.run(
        {.kernel = "swiglu", .knobs = {{"shape", x.tensor.shape}, {"gate", weights}, {"up", weights}}},
        {x, steps.operand(1), steps.operand(2)},
        {{.type = x.tensor.type, .shape = {1, rows[0], weights.back()}, .values = {}}})[0];
    return steps.done({Steps::seen(y, shape)});
}

}  // namespace

Operators fused_operators() {
    return {{"Gelu", gelu_operator},
            {"Silu", silu_operator},
            {"RMSNormalization", rms_norm_operator},
            {"AddLayerNormalization", norm_of_sum(true)},
            {"AddRMSNormalization", norm_of_sum(false)},
            {"LayerNormGelu", layer_norm_gelu_operator},
            {"AttentionMask", attention_mask},
            {"Attention", attention_operator},
            {"SwiGLU", swiglu_operator}};
}

}  // namespace ascendsim::networks
