// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "networks/loops/space.hpp"

namespace ascendsim::networks::loops {

/// What a node of the kernel's program does; most are one vector instruction.
enum class Code : std::uint8_t {
    load,   // a tensor's tile as it lies in memory
    store,  // a tile of an output
    duplicate,
    convert,  // to the node's type
    round,
    exp,
    ln,
    sqrt,
    abs,
    relu,
    bit_not,
    add,
    sub,
    mul,
    div,
    max,
    min,
    bit_and,
    bit_or,
    adds,
    muls,
    maxs,
    mins,
    multiply_add,  // operand 0 by operand 1, or by `scalar`, plus `addend`
    shift_left,
    shift_right,
    compare,
    compare_scalar,
    select,
    select_scalar,
    spread,      // a value for each row, or one, to blocks of eight
    expand,      // to the node's form
    reduce_sum,  // along the reduced axes of a tile
    reduce_max,
    reduce_min
};

enum class Rounding : std::uint8_t { none, rint, floor, ceil, trunc };
enum class Comparison : std::uint8_t { lt, gt, eq, le, ge, ne };

/// A value of the program, which one node makes. Bit masks have the type `boolean`.
struct Node {
    Code code = Code::load;
    std::vector<std::size_t> operands;
    double scalar = 0;
    double addend = 0;
    std::uint8_t mode = 0;   // Rounding or Comparison
    std::size_t tensor = 0;  // of a load or store: number of the access
    isa::DataType type = isa::DataType::float32;
    Form form;
    bool kept = true;       // the same for all tiles of a reduction
    std::size_t phase = 0;  // reductions that must be complete before it can be computed
    std::optional<std::size_t> step;
};

/// The scalar that stands for one over the number of elements that a reduction takes together, known at run
/// time.
inline constexpr double mean_factor = 1e-300;

/// The instructions of a kernel on one tile, in order; each value is made once.
struct Program {
    std::vector<Node> nodes;
    std::vector<double> constants{};  // that instructions take from the unified buffer

    [[nodiscard]] std::size_t phases() const;
};

/// An operand: a node's value, or a number that is known.
struct Number {
    std::size_t node = 0;
    std::optional<double> literal;
};

/// Appends instructions to a program. Equal instructions are made once.
class Builder {
public:
    explicit Builder(const Space& space) : space_{space} {}

    /// Instructions from here on belong to this step of the loop.
    void set_step(std::size_t step) { step_ = step; }

    [[nodiscard]] Number load(std::size_t read, isa::DataType type, Form form, bool kept);
    void store(std::size_t output, Number value, isa::DataType type, Form form, bool kept);

    [[nodiscard]] Number unary(Code code, Number x);
    [[nodiscard]] Number rounded(Number x, Rounding how);
    [[nodiscard]] Number converted(Number x, isa::DataType type, Rounding how);
    [[nodiscard]] Number with_scalar(Code code, Number x, double scalar);
    [[nodiscard]] Number binary(Code code, Number a, Number b);
    [[nodiscard]] Number reduced(Code code, Number x);

    [[nodiscard]] Number add(Number a, Number b);
    [[nodiscard]] Number sub(Number a, Number b);
    [[nodiscard]] Number mul(Number a, Number b);
    [[nodiscard]] Number div(Number a, Number b);
    [[nodiscard]] Number max(Number a, Number b);
    [[nodiscard]] Number min(Number a, Number b);

    /// A bit mask.
    [[nodiscard]] Number compare(Comparison how, Number a, Number b);
    /// a where the mask's bit is set, else b.
    [[nodiscard]] Number choose(Number mask, Number a, Number b);
    /// 1 where the mask's bit is set, else 0.
    [[nodiscard]] Number truth(Number mask);
    /// The mask that a truth value was made of, or x != 0.
    [[nodiscard]] Number mask_of(Number x);

    /// The number as a value of the same form as `like`.
    [[nodiscard]] Number filled(Number number, Number like);
    /// The value in a form that also varies along the axes of `form`.
    [[nodiscard]] Number expanded(Number x, Form form);

    [[nodiscard]] const Node& at(Number x) const { return program_.nodes[x.node]; }

    [[nodiscard]] Program result() && { return std::move(program_); }

private:
    [[nodiscard]] Number append(Node node);
    [[nodiscard]] std::size_t beside(Number x, Form form);
    [[nodiscard]] Number with_literal(Code code, Number a, Number b);

    using Key = std::tuple<Code,
                           std::vector<std::size_t>,
                           double,
                           std::uint8_t,
                           std::size_t,
                           isa::DataType,
                           bool,
                           bool,
                           bool>;

    const Space& space_;
    Program program_;
    std::map<Key, std::size_t> known_;
    std::map<std::size_t, std::size_t> masks_;  // of truth values
    std::optional<std::size_t> step_;
};

}  // namespace ascendsim::networks::loops
