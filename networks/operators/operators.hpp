// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/plan/knob.hpp"
#include "models/spec/chip_spec.hpp"
#include "networks/graph/graph.hpp"
#include "networks/graph/tensor.hpp"
#include "networks/loops/loops.hpp"

namespace ascendsim::networks {

/// An operand of a task: a value of its node, or a table that is known.
struct Read {
    std::optional<std::size_t> value;  // the node's operands first, then what its tasks make, in order
    Tensor tensor;
    std::uint64_t begin = 0;  // of the value, the element that the operand starts with
};

/// What the AI CPU computes: the results, each row by row, of the operands.
using HostFunction = std::function<std::vector<std::vector<double>>(const std::vector<std::vector<double>>&)>;

/// Elements in another order, or with others between them, as a kernel's layout has them.
using Arrange = std::function<std::vector<double>(const std::vector<double>&)>;

/// A tensor [batch, channels, image] as kernels of the cube take it, NC1HWC0: blocks of c0 channels, of which
/// the last may hold zeros.
struct ChannelBlocks {
    std::uint64_t batch = 1;
    std::uint64_t channels = 1;
    std::uint64_t image = 1;   // positions
    std::uint64_t blocks = 1;  // of channels
    std::uint64_t c0 = 16;
    Arrange beside{};  // the order between the tensor and the channels, if it is another

    [[nodiscard]] host::Shape shape() const { return {batch, blocks, image, c0}; }

    /// True if no block holds zeros, and nothing else is moved: element by element the two are alike.
    [[nodiscard]] bool whole() const { return !beside && channels == blocks * c0; }
};

/// One run of a kernel of kernels/ops, of one that is generated of a loop, or of a program of the AI CPU.
struct Task {
    std::string kernel;                                          // empty: of `loop`
    std::vector<std::pair<std::string, host::KnobValue>> knobs;  // set, the others at their defaults
    std::shared_ptr<const loops::Loop> loop{};
    loops::TilingChoice tiling{};                // of `loop`
    std::shared_ptr<const loops::Loop> equal{};  // what `kernel` computes, where a loop can say it
    /// What fills the plan's inputs, in order, each behind the one before; empty: numbers are not computed.
    std::vector<Read> reads{};
    std::vector<Arrange> arranged{};  // of reads, where their layout is another; shorter: as it is
    std::vector<Tensor> makes{};      // what the plan's outputs hold, each behind the one before
    Arrange taken{};                  // of the first that it makes, if its layout is another
    /// Layouts of the first operand and the first result, if they are blocks of channels. Until a conversion
    /// stands before and behind the task (networks/run/layouts), `arranged` and `taken` do it.
    std::optional<ChannelBlocks> blocks_read{};
    std::optional<ChannelBlocks> blocks_made{};
    bool timed = true;       // false: for the numbers alone; takes no time in a unit that works anyway
    HostFunction on_host{};  // no kernel: the AI CPU does this
    /// Of the lines that other kernels left in L2, one in so many is dirty; 0: as L2State::chained has them.
    std::uint64_t lines_a_dirty_one = 0;
};

/// The kernel's name, as reports show it.
[[nodiscard]] std::string kernel_name(const Task& task);

/// A whole node as one loop: what fusion joins with its neighbours.
struct LoopForm {
    loops::Loop loop;         // makes the node's results, in order
    std::vector<Read> reads;  // its inputs: operands of the node, or tables
};

/// What an operator comes to.
struct Lowered {
    std::vector<Tensor> outputs;
    std::vector<Task> tasks;          // one after the other; none: nothing runs
    std::string note;                 // of what the tasks leave out, or how they stand for the operator
    std::vector<std::size_t> made{};  // the value that each output is, where it is not known
    bool on_host = false;             // on the AI CPU: computed by the reference, not timed
    bool keeps_types = false;         // results are held as they are, float32 too
    bool in_place = false;            // results take the memory of operands
    std::shared_ptr<const LoopForm> form{};  // where the tasks are no loops, and the operator is one
};

/// An operator that cannot run, and why.
class Refused : public UserError {
public:
    template <class... Args>
    explicit Refused(fmt::format_string<Args...> text, Args&&... args)
        : UserError{"{}", fmt::format(text, std::forward<Args>(args)...)} {}
};

/// An operator that data steers: what it does, or how much it makes, is known with elements of operands that
/// are computed while the network runs.
class Steered : public Refused {
public:
    template <class... Args>
    explicit Steered(std::vector<std::size_t> operands, fmt::format_string<Args...> text, Args&&... args)
        : Refused{text, std::forward<Args>(args)...}, operands_{std::move(operands)} {}

    [[nodiscard]] const std::vector<std::size_t>& operands() const { return operands_; }

private:
    std::vector<std::size_t> operands_;
};

/// A node with what is known of its operands.
struct Operator {
    const Node& node;
    std::int64_t opset = 0;
    std::span<const Tensor* const> inputs;  // null: left out
    const ChipSpec* chip = nullptr;
    bool half = false;         // float32 is held as float16
    bool timing_only = false;  // no data will come: bounds stand for what it decides

    /// The operand, which must be there. Throws Refused if it is not.
    [[nodiscard]] const Tensor& input(std::size_t index) const;

    [[nodiscard]] bool has(std::size_t index) const {
        return index < inputs.size() && inputs[index] != nullptr;
    }

    /// `type` as the network holds it.
    [[nodiscard]] isa::DataType held(isa::DataType type) const {
        return half && type == isa::DataType::float32 ? isa::DataType::half : type;
    }

    /// The elements of an operand that steers the operator. Throws Steered if they are not known.
    [[nodiscard]] std::vector<std::int64_t> known(std::size_t index) const;

    /// Indices of elements; for timing only, where they are computed, as many that all name the first.
    [[nodiscard]] std::vector<std::int64_t> indices(std::size_t index) const;

    /// The elements of an operand that steers the operator, as they are. Throws Steered.
    [[nodiscard]] const std::vector<double>& steering(std::size_t index) const;

    /// Throws Steered, with the reason, if the elements of one of these operands are not known.
    void need(const std::vector<std::size_t>& operands, std::string_view reason) const;

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

/// The lowering of a tensor that is seen in another shape and stays where it is.
[[nodiscard]] Lowered view(const Tensor& tensor, host::Shape shape);

}  // namespace ascendsim::networks
