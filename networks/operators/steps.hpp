// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "networks/loops/loops.hpp"
#include "networks/operators/operators.hpp"
#include "networks/operators/windows.hpp"

namespace ascendsim::networks {

/// A tensor within the lowering of a node: one of its values, perhaps seen in another shape, or a table that
/// is known.
struct Part {
    Tensor tensor;
    std::optional<std::size_t> value;
    std::uint64_t begin = 0;  // of the value, the element that the part starts with

    [[nodiscard]] bool known() const { return tensor.known(); }
};

/// Extents of a product: `groups` times (m, k) by (k, n).
struct Matrices {
    std::uint64_t m = 1;
    std::uint64_t n = 1;
    std::uint64_t k = 1;
    std::uint64_t groups = 1;
    bool turned_a = false;  // (k, m) in memory
    bool turned_b = false;  // (n, k)
};

/// An activation as cube kernels take it: an operator of loops with its constants. `copy`: none.
struct Activation {
    loops::Op op = loops::Op::copy;
    std::vector<double> constants{};
};

/// What a cube kernel does to its sums before they leave it.
struct Finish {
    std::optional<Part> bias{};  // a row, of each column
    Activation activation{};
};

/// The steps of a node's lowering. Each takes parts and makes parts; of known parts the result is computed
/// here, and no kernel runs.
class Steps {
public:
    explicit Steps(const Operator& with) : with_{with}, values_{with.inputs.size()} {}

    [[nodiscard]] const Operator& with() const { return with_; }

    [[nodiscard]] Part operand(std::size_t index) const;
    /// Elements that the kernels read from a table in memory.
    [[nodiscard]] static Part table(isa::DataType type, host::Shape shape, std::vector<double> values);
    /// The same elements in another shape. Throws Refused if they do not fit it.
    [[nodiscard]] static Part seen(const Part& part, host::Shape shape);

    /// A kernel of kernels/ops.
    std::vector<Part> run(Task task, const std::vector<Part>& reads, std::vector<Tensor> makes);
    /// The elements from `begin` on, as a tensor of this shape: what lies there is read where it lies.
    [[nodiscard]] static Part section(const Part& part, std::uint64_t begin, host::Shape shape);

    /// A generated kernel; folded if all that it reads is known. What no vector unit computes with runs on
    /// the AI CPU. Throws CannotGenerate, a UserError, for other reasons.
    std::vector<Part> run(const loops::Loop& loop, const std::vector<Part>& reads);

    /// A program of the AI CPU, which takes no time here; folded if all that it reads is known.
    std::vector<Part> on_host(HostFunction function,
                              const std::vector<Part>& reads,
                              std::vector<Tensor> makes);

    /// An operator, element by element: each part is spread. The type is that of the last operand unless it
    /// is given.
    Part element(loops::Op op,
                 const std::vector<Part>& parts,
                 std::vector<double> constants = {},
                 std::optional<isa::DataType> type = {});
    Part cast(const Part& part, isa::DataType type);
    /// Over `axes`, which stay with an extent of 1.
    Part reduce(loops::Op op, const Part& part, std::vector<std::size_t> axes);
    /// The largest table that a core gathers from: it lies beside index and result in the unified buffer.
    static constexpr std::uint64_t most_table_bytes = 96 * 1024;
    /// Element i of the result is element from[i] of the part; a place of -1 holds zero.
    Part moved(const Part& part, const host::Shape& shape, const std::vector<std::int64_t>& from);
    Part transposed(const Part& part, const host::Shape& order);
    /// To the shape, as NumPy spreads.
    Part spread(const Part& part, const host::Shape& shape);
    /// [.., m, k] by [.., k, n]: one product for each of the leading extents, or one in all.
    Part product(const Part& a, const Part& b);
    /// The same of matrices that may lie turned, with their extents; the result has this shape.
    Part product_of(
        const Part& a, const Part& b, const Matrices& extents, host::Shape shape, const Finish& finish = {});
    /// One beside the other along an axis.
    Part beside(const std::vector<Part>& parts, std::size_t axis);

    /// True if the chip copies rows of any bytes; others copy whole blocks of 32 B.
    [[nodiscard]] bool copies_bytes() const { return with_.chip->arch == "2201"; }

    /// For chips that copy whole blocks: a copy of all elements of the parts, one behind the other, which
    /// puts them into an order. The order itself takes no time.
    Part copied(const std::vector<Part>& parts, const host::Shape& shape, Arrange order);
    /// For chips that copy whole blocks: the sum (add) or the largest (maximum) of each window along the last
    /// one or two axes, of images in blocks of channels.
    Part over_windows(loops::Op op, const Part& part, const std::vector<WindowAxis>& axes);

    [[nodiscard]] Lowered done(const std::vector<Part>& results, std::string note = {});

private:
    [[nodiscard]] bool shipped(loops::Op op,
                               const std::vector<Part>& parts,
                               const host::Shape& shape,
                               isa::DataType type) const;
    Part gathered(const Part& part, const host::Shape& shape, const std::vector<std::int64_t>& from);
    Part transposed_in_blocks(const Part& part, const host::Shape& order, const host::Shape& shape);
    std::vector<Part> run_in_blocks(const loops::Loop& loop, const std::vector<Part>& reads);

    const Operator& with_;
    std::size_t values_;
    std::vector<Task> tasks_;
    std::string note_;  // of what steps leave out
};

/// A loop under construction from parts.
class LoopOf {
public:
    explicit LoopOf(const std::vector<Part>& parts);

    std::size_t step(loops::Op op,
                     std::vector<std::size_t> inputs,
                     host::Shape shape,
                     isa::DataType type,
                     std::vector<double> constants = {},
                     std::vector<std::size_t> axes = {});

    /// The loop with these results.
    [[nodiscard]] const loops::Loop& outputs(std::vector<std::size_t> values);

private:
    loops::Loop loop_;
};

/// Results of the AI CPU, whose extents follow from the elements that it takes; null: an operand left out.
using DataFunction = std::function<std::vector<Tensor>(const std::vector<const std::vector<double>*>&)>;

/// An operator whose results are as large as data decides: folded where all operands are known, else the AI
/// CPU's. For timing only it makes `most`, the most that it can; otherwise it waits for its operands
/// (Steered).
[[nodiscard]] Lowered decided_by_data(const Operator& with,
                                      const DataFunction& function,
                                      const std::vector<Tensor>& most);

/// True for half, bfloat16, float and double.
[[nodiscard]] bool is_real(isa::DataType type);

/// The type to sum elements of `type` in: float32, and float64 of itself.
[[nodiscard]] inline isa::DataType wide_type(isa::DataType type) {
    return type == isa::DataType::float64 ? type : isa::DataType::float32;
}

/// For each element of `shape`, its place in a tensor whose axes have these strides, from `begin` on.
[[nodiscard]] std::vector<std::int64_t> places(const host::Shape& shape,
                                               const std::vector<std::int64_t>& strides,
                                               std::int64_t begin = 0);

/// Elements from one index to the next of each axis, in row-major order.
[[nodiscard]] std::vector<std::int64_t> strides_of(const host::Shape& shape);

}  // namespace ascendsim::networks
