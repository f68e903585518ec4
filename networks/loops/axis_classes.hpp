// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "networks/loops/loops.hpp"

namespace ascendsim::networks::loops {

/// An axis before it is known which axes of other tensors it runs together with.
using AxisId = std::size_t;

/// An input, or a view of one: where its elements lie along its axes.
struct View {
    std::size_t input = 0;
    std::uint64_t offset = 0;
    std::vector<std::uint64_t> strides;  // of each axis of the value
};

/// A value of the loop by its axes.
struct AxedValue {
    std::vector<std::optional<AxisId>> axes;  // of each extent of its shape; none where that is 1
    std::set<AxisId> varies;                  // those along which its elements differ
    std::optional<View> view;
    std::optional<std::size_t> same;  // the value that this one is by another shape
};

/// Finds the axes that values of a loop have in common: operands of one operator run along the same.
class AxisClasses {
public:
    /// Throws CannotGenerate for loops whose values have no common axes.
    explicit AxisClasses(const Loop& loop);

    [[nodiscard]] AxisId find(AxisId axis) const;

    [[nodiscard]] std::uint64_t extent(AxisId axis) const { return extents_[axis]; }

    [[nodiscard]] const std::vector<AxedValue>& values() const { return values_; }

    /// Axes that reductions run over, as classes.
    [[nodiscard]] const std::set<AxisId>& reduced() const { return reduced_; }

private:
    [[nodiscard]] AxisId fresh(std::uint64_t extent);
    void unite(AxisId a, AxisId b);
    [[nodiscard]] AxedValue whole_input(std::size_t input);
    [[nodiscard]] AxedValue of_step(std::size_t step);
    [[nodiscard]] AxedValue transposed(const Step& step);
    [[nodiscard]] AxedValue sliced(const Step& step);
    [[nodiscard]] AxedValue reshaped(const Step& step, std::size_t at);
    [[nodiscard]] AxedValue broadcast(const Step& step);
    [[nodiscard]] AxedValue reduced_value(const Step& step);
    [[nodiscard]] AxedValue element_wise(const Step& step);
    void align(AxedValue& result, const Step& step, std::size_t input);
    [[nodiscard]] bool only_an_output(std::size_t value) const;
    void join_outputs();
    void check_reductions();

    const Loop& loop_;
    std::vector<AxisId> parents_;
    std::vector<std::uint64_t> extents_;
    std::vector<AxedValue> values_;
    std::vector<std::set<AxisId>> reductions_;
    std::set<AxisId> reduced_;
};

/// The shape of one of the loop's values.
[[nodiscard]] const Value& value_of(const Loop& loop, std::size_t value);

}  // namespace ascendsim::networks::loops
