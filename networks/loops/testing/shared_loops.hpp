// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "networks/loops/testing/loop_run.hpp"

namespace ascendsim::testing {

using networks::loops::Loop;
using networks::loops::Op;

[[nodiscard]] inline Loop sum_loop(const host::Shape& x,
                                   const host::Shape& y,
                                   const host::Shape& z,
                                   isa::DataType type) {
    LoopBuilder b;
    const std::size_t left = b.input(x, type);
    const std::size_t right = b.input(y, type);
    return b.outputs({b.step(Op::add, {left, right}, z, type)});
}

[[nodiscard]] inline Loop gelu_loop(const host::Shape& shape, isa::DataType type) {
    LoopBuilder b;
    const std::size_t x = b.input(shape, type);
    return b.outputs({b.step(Op::gelu_tanh, {x}, shape, type)});
}

/// SwiGLU's gate: silu(x) y.
[[nodiscard]] inline Loop gate_loop(const host::Shape& shape, isa::DataType type) {
    LoopBuilder b;
    const std::size_t x = b.input(shape, type);
    const std::size_t y = b.input(shape, type);
    const std::size_t silu = b.step(Op::silu, {x}, shape, type);
    return b.outputs({b.step(Op::mul, {silu, y}, shape, type)});
}

[[nodiscard]] inline Loop softmax_loop(const host::Shape& shape, std::size_t axis, isa::DataType type) {
    LoopBuilder b;
    host::Shape kept = shape;
    kept[axis] = 1;
    const std::size_t x = b.input(shape, type);
    const std::size_t largest = b.step(Op::reduce_max, {x}, kept, type, {}, {axis});
    const std::size_t lower = b.step(Op::sub, {x, largest}, shape, type);
    const std::size_t e = b.step(Op::exp, {lower}, shape, type);
    const std::size_t sum = b.step(Op::reduce_sum, {e}, kept, type, {}, {axis});
    return b.outputs({b.step(Op::div, {e, sum}, shape, type)});
}

/// (x - mean) / sqrt(variance + 1e-5) gamma + beta over the last axis, then GELU if wanted.
[[nodiscard]] inline Loop layer_norm_loop(const host::Shape& shape, isa::DataType type, bool gelu) {
    LoopBuilder b;
    host::Shape kept = shape;
    kept.back() = 1;
    const std::size_t last = shape.size() - 1;
    const std::size_t x = b.input(shape, type);
    const std::size_t gamma = b.input({shape.back()}, type);
    const std::size_t beta = b.input({shape.back()}, type);
    const std::size_t mean = b.step(Op::reduce_mean, {x}, kept, type, {}, {last});
    const std::size_t centred = b.step(Op::sub, {x, mean}, shape, type);
    const std::size_t square = b.step(Op::square, {centred}, shape, type);
    const std::size_t variance = b.step(Op::reduce_mean, {square}, kept, type, {}, {last});
    const std::size_t safe = b.step(Op::scale, {variance}, kept, type, {1, 1e-5});
    const std::size_t inverse = b.step(Op::rsqrt, {safe}, kept, type);
    const std::size_t normal = b.step(Op::mul, {centred, inverse}, shape, type);
    const std::size_t scaled = b.step(Op::mul, {normal, gamma}, shape, type);
    const std::size_t sum = b.step(Op::add, {scaled, beta}, shape, type);
    return b.outputs({gelu ? b.step(Op::gelu_tanh, {sum}, shape, type) : sum});
}

/// x / sqrt(mean(x^2) + 1e-5) gamma; if `added`, of x + y, which is an output as well.
[[nodiscard]] inline Loop rms_norm_loop(const host::Shape& shape, isa::DataType type, bool added) {
    LoopBuilder b;
    host::Shape kept = shape;
    kept.back() = 1;
    const std::size_t input = b.input(shape, type);
    const std::size_t y = added ? b.input(shape, type) : input;
    const std::size_t gamma = b.input({shape.back()}, type);
    const std::size_t x = added ? b.step(Op::add, {input, y}, shape, type) : input;
    const std::size_t square = b.step(Op::square, {x}, shape, type);
    const std::size_t mean = b.step(Op::reduce_mean, {square}, kept, type, {}, {shape.size() - 1});
    const std::size_t safe = b.step(Op::scale, {mean}, kept, type, {1, 1e-5});
    const std::size_t inverse = b.step(Op::rsqrt, {safe}, kept, type);
    const std::size_t normal = b.step(Op::mul, {x, inverse}, shape, type);
    const std::size_t scaled = b.step(Op::mul, {normal, gamma}, shape, type);
    return b.outputs(added ? std::vector<std::size_t>{scaled, x} : std::vector<std::size_t>{scaled});
}

}  // namespace ascendsim::testing
