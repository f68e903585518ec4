// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/plan/knob.hpp"
#include "networks/graph/graph.hpp"
#include "networks/graph/tensor.hpp"

namespace ascendsim::networks {

/// One run of a kernel of kernels/ops.
struct Task {
    std::string kernel;
    std::vector<std::pair<std::string, host::KnobValue>> knobs;  // set, the others at their defaults
};

/// What an operator comes to.
struct Lowered {
    std::vector<Tensor> outputs;
    std::vector<Task> tasks;  // one after the other; none: nothing runs
    std::string note;         // of what the tasks leave out, or how they stand for the operator
};

/// An operator that cannot run, and why.
class Refused : public UserError {
public:
    template <class... Args>
    explicit Refused(fmt::format_string<Args...> text, Args&&... args)
        : UserError{"{}", fmt::format(text, std::forward<Args>(args)...)} {}
};

/// A node with what is known of its operands.
struct Operator {
    const Node& node;
    std::int64_t opset = 0;
    std::span<const Tensor* const> inputs;  // null: left out

    /// The operand, which must be there. Throws Refused if it is not.
    [[nodiscard]] const Tensor& input(std::size_t index) const;

    [[nodiscard]] bool has(std::size_t index) const {
        return index < inputs.size() && inputs[index] != nullptr;
    }

    /// The elements of an operand that steers the operator. Throws Refused if they are not known.
    [[nodiscard]] std::vector<std::int64_t> known(std::size_t index) const;

    /// The list that is attribute `name` in older opsets and operand `index` in newer ones; `otherwise` if it
    /// is neither.
    [[nodiscard]] std::vector<std::int64_t> list(std::string_view name,
                                                 std::size_t index,
                                                 std::vector<std::int64_t> otherwise) const;

    /// `axis` of a tensor of `rank` axes, counted from the first. Throws Refused if there is none.
    [[nodiscard]] std::size_t axis(std::int64_t axis, std::size_t rank) const;
};

/// What an operator is lowered by. Where every operand is known, tasks need not be: `outputs` with their
/// elements are enough.
using Lower = std::function<Lowered(const Operator&)>;
using Operators = std::map<std::string, Lower, std::less<>>;

/// All operators by their names, gathered while building.
[[nodiscard]] Operators all_operators();

/// The element type as a kernel's knob takes it. Throws Refused for one that the vector units do not compute
/// with; `moves` if it is only moved.
[[nodiscard]] std::string type_word(isa::DataType type, bool moves = false);

/// y = `op` of operands of which each is spread to `shape`, by the kernel `elementwise`. That spreads rows or
/// columns; an operand that is spread otherwise is repeated in memory first.
[[nodiscard]] std::vector<Task> elementwise_tasks(std::string_view op,
                                                  const host::Shape& shape,
                                                  std::span<const Tensor* const> operands,
                                                  isa::DataType out);

/// The same where every operand has the extents of the result.
[[nodiscard]] Task elementwise_task(std::string_view op,
                                    const host::Shape& shape,
                                    std::span<const Tensor* const> operands,
                                    isa::DataType out);

/// The lowering of a tensor that is seen in another shape and stays where it is.
[[nodiscard]] Lowered view(const Tensor& tensor, host::Shape shape);

}  // namespace ascendsim::networks
