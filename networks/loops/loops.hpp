// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/plan/plan.hpp"
#include "models/spec/chip_spec.hpp"
#include "networks/loops/reasons.hpp"

namespace ascendsim::networks::loops {

/// What one step of a loop computes.
enum class Op : std::uint8_t {
    // of nothing
    constant,  // constants[0] everywhere
    // other places of one operand; their operand is an input of the loop or another of these
    transpose,  // axis i of the result is axis axes[i] of the operand
    slice,      // constants: start and step of each axis of the operand; steps of at least 1
    reshape,    // the same elements in row-major order
    broadcast,  // to the shape of the result, as NumPy does
    // of one operand, element by element
    copy,
    cast,  // to the type of the result; to integers rounds to zero and saturates, to bool is x != 0
    neg,
    abs,
    sign,
    square,
    sqrt,
    rsqrt,
    reciprocal,
    exp,
    exp_minus_one,
    ln,
    log1p,
    floor,
    ceil,
    round,  // to nearest, ties to even
    trunc,
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    sinh,
    cosh,
    asinh,
    acosh,
    atanh,
    erf,
    tanh,
    sigmoid,
    silu,
    softplus,
    softsign,
    mish,
    gelu_tanh,
    gelu_erf,
    relu,
    leaky_relu,    // x where x >= 0, else constants[0] x
    elu,           // x where x >= 0, else constants[0] (exp(x) - 1)
    hard_sigmoid,  // max(0, min(1, constants[0] x + constants[1]))
    hard_swish,    // x max(0, min(1, x / 6 + 1/2))
    clip,          // to constants[0] … constants[1]
    scale,         // constants[0] x + constants[1]
    power,         // x ^ constants[0]
    is_nan,
    is_inf,  // constants[0], [1]: which of +infinity and -infinity count, 1 or 0
    logical_not,
    bit_not,
    // of two operands, element by element; each is broadcast
    add,
    sub,
    mul,
    div,  // of integers: rounded to zero
    maximum,
    minimum,
    pow,
    mod,   // with the sign of the divisor, as Python's %
    fmod,  // with the sign of the dividend, as C's
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    logical_and,
    logical_or,
    logical_xor,
    bit_and,
    bit_or,
    bit_xor,
    // of three: inputs[1] where inputs[0] is not 0, else inputs[2]
    where,
    // over `axes`, which stay with an extent of 1; without axes over all
    reduce_sum,
    reduce_mean,
    reduce_max,
    reduce_min,
    reduce_prod
};

/// The operator's name, as in "gelu_erf".
[[nodiscard]] std::string_view name(Op op);

/// True for sums, means, extremes and products over axes.
[[nodiscard]] bool is_reduction(Op op);

/// True for steps that say where elements lie and compute nothing.
[[nodiscard]] bool is_view(Op op);

/// The type and shape of a tensor. An empty shape is one element.
struct Value {
    isa::DataType type = isa::DataType::float32;
    host::Shape shape;
};

/// One operator. `inputs` count the loop's inputs first, then its steps.
struct Step {
    Op op = Op::copy;
    std::vector<std::size_t> inputs;
    Value result;
    std::vector<std::size_t> axes;
    std::vector<double> constants;
    std::string label;  // of the operator in its network; shown in comments
};

/// A small graph of operators that becomes one kernel: what is between its inputs and outputs never leaves
/// the cores.
struct Loop {
    std::string name;  // a C identifier, of the kernel function; empty: made of the operators
    std::vector<Value> inputs;
    std::vector<Step> steps;
    std::vector<std::size_t> outputs;  // counted as the inputs of steps
};

/// A generated kernel, and how to run it at the sizes of its loop.
struct Kernel {
    std::string source;    // Ascend C; the same for all sizes of one pattern
    std::string entry;     // its function
    host::Plan plan;       // buffers input_0 …, output_0 …; one launch; work, reference, tolerances
    std::string scenario;  // TOML that runs the source, by its file name `<entry>.cpp`
};

/// Sizes to try in place of those that are chosen; 0: chosen.
struct TilingChoice {
    std::uint64_t rows = 0;   // of a tile
    std::uint64_t chunk = 0;  // elements of a row in a tile
    std::uint64_t cores = 0;  // at most

    friend auto operator<=>(const TilingChoice&, const TilingChoice&) = default;
};

/// Writes a kernel for a chip. Throws CannotGenerate, which says why not.
[[nodiscard]] Kernel generate(const Loop& loop, const ChipSpec& chip, const TilingChoice& choice = {});

/// Other sizes that fit the chip as well: half and twice the tile, fewer cores. Throws as generate().
[[nodiscard]] std::vector<TilingChoice> other_tilings(const Loop& loop, const ChipSpec& chip);

/// The outputs in doubles, for inputs in row-major order: the reference of every kernel.
[[nodiscard]] std::vector<std::vector<double>> evaluate(const Loop& loop,
                                                        std::span<const std::vector<double>> inputs);

}  // namespace ascendsim::networks::loops
