// SPDX-License-Identifier: Apache-2.0
#include "networks/loops/axis_classes.hpp"

#include <algorithm>
#include <ranges>

#include "networks/loops/reasons.hpp"

namespace ascendsim::networks::loops {
namespace {

using host::Shape;

std::string of_step_text(const Step& step) {
    return step.label.empty() ? std::string{name(step.op)}
                              : fmt::format("{} ({})", step.label, name(step.op));
}

[[noreturn]] void refuse(Reason reason, const Step& step, const std::string& what) {
    throw CannotGenerate{reason, fmt::format("{}: {}", of_step_text(step), what)};
}

std::vector<std::uint64_t> strides_of(const Shape& shape) {
    std::vector<std::uint64_t> strides(shape.size(), 1);
    for (std::size_t d = shape.size(); d-- > 1;) {
        strides[d - 1] = strides[d] * shape[d];
    }
    return strides;
}

Shape without_ones(const Shape& shape) {
    Shape rest;
    std::ranges::copy_if(shape, std::back_inserter(rest), [](std::uint64_t extent) { return extent != 1; });
    return rest;
}

bool is_whole(const View& view, const Shape& shape) {
    const std::vector<std::uint64_t> strides = strides_of(shape);
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] != 1 && view.strides[d] != strides[d]) {
            return false;
        }
    }
    return true;
}

std::size_t operands_of(Op op) {
    return op == Op::constant ? 0 : op == Op::where ? 3 : op >= Op::add && op <= Op::bit_xor ? 2 : 1;
}

void check_step(const Loop& loop, const Step& step, std::size_t known) {
    if (step.inputs.size() != operands_of(step.op)) {
        refuse(Reason::malformed,
               step,
               fmt::format("{} operands instead of {}", step.inputs.size(), operands_of(step.op)));
    }
    for (const std::size_t input : step.inputs) {
        if (input >= known) {
            refuse(Reason::malformed, step, fmt::format("operand {} does not come before it", input));
        }
    }
    static_cast<void>(loop);
    if (host::elements(step.result.shape) == 0) {
        refuse(
            Reason::empty, step, fmt::format("its result {} has no elements", host::text(step.result.shape)));
    }
}

}  // namespace

const Value& value_of(const Loop& loop, std::size_t value) {
    return value < loop.inputs.size() ? loop.inputs[value] : loop.steps[value - loop.inputs.size()].result;
}

AxisClasses::AxisClasses(const Loop& loop) : loop_{loop} {
    for (std::size_t i = 0; i < loop.inputs.size(); ++i) {
        if (host::elements(loop.inputs[i].shape) == 0) {
            throw CannotGenerate{Reason::empty, fmt::format("input {} has no elements", i)};
        }
        values_.push_back(whole_input(i));
    }
    for (std::size_t i = 0; i < loop.steps.size(); ++i) {
        check_step(loop, loop.steps[i], values_.size());
        values_.push_back(of_step(i));
    }
    join_outputs();
    check_reductions();
}

/// Outputs of one shape that have nothing to do with each other share the loop all the same.
void AxisClasses::join_outputs() {
    const std::vector<std::optional<AxisId>>& first = values_.at(loop_.outputs.at(0)).axes;
    for (const std::size_t output : loop_.outputs) {
        const std::vector<std::optional<AxisId>>& axes = values_.at(output).axes;
        if (loop_.inputs.empty() ||
            value_of(loop_, output).shape != value_of(loop_, loop_.outputs[0]).shape ||
            axes.size() != first.size()) {
            continue;
        }
        bool apart = true;
        for (std::size_t d = 0; d < axes.size(); ++d) {
            const auto known = [&](const std::optional<AxisId>& axis) {
                return axis && axes[d] && find(*axis) == find(*axes[d]);
            };
            const bool alike = axes[d].has_value() == first[d].has_value() &&
                               (!axes[d] || extents_[*axes[d]] == extents_[*first[d]]);
            apart = apart && alike && std::ranges::none_of(first, known);
        }
        for (std::size_t d = 0; apart && d < axes.size(); ++d) {
            if (axes[d]) {
                unite(*first[d], *axes[d]);
            }
        }
    }
}

AxisId AxisClasses::fresh(std::uint64_t extent) {
    parents_.push_back(parents_.size());
    extents_.push_back(extent);
    return parents_.back();
}

AxisId AxisClasses::find(AxisId axis) const {
    while (parents_[axis] != axis) {
        axis = parents_[axis];
    }
    return axis;
}

void AxisClasses::unite(AxisId a, AxisId b) {
    parents_[find(b)] = find(a);
}

AxedValue AxisClasses::whole_input(std::size_t input) {
    const Shape& shape = loop_.inputs[input].shape;
    AxedValue value{.axes = {}, .varies = {}, .view = View{input, 0, strides_of(shape)}, .same = {}};
    for (const std::uint64_t extent : shape) {
        value.axes.push_back(extent == 1 ? std::nullopt : std::optional{fresh(extent)});
        if (value.axes.back()) {
            value.varies.insert(*value.axes.back());
        }
    }
    return value;
}

AxedValue AxisClasses::of_step(std::size_t i) {
    const Step& step = loop_.steps[i];
    switch (step.op) {
        case Op::transpose:
            return transposed(step);
        case Op::slice:
            return sliced(step);
        case Op::reshape:
            return reshaped(step, loop_.inputs.size() + i);
        case Op::broadcast:
            return broadcast(step);
        default:
            return is_reduction(step.op) ? reduced_value(step) : element_wise(step);
    }
}

AxedValue AxisClasses::transposed(const Step& step) {
    const AxedValue& from = values_[step.inputs[0]];
    AxedValue value = from;
    if (step.axes.size() != from.axes.size()) {
        refuse(Reason::malformed, step, "as many axes are wanted as its operand has");
    }
    if (!from.view) {
        value.same = from.same.value_or(step.inputs[0]);
    }
    for (std::size_t d = 0; d < step.axes.size(); ++d) {
        value.axes[d] = from.axes.at(step.axes[d]);
        if (value.view) {
            value.view->strides[d] = from.view->strides[step.axes[d]];
        }
    }
    return value;
}

AxedValue AxisClasses::sliced(const Step& step) {
    const AxedValue& from = values_[step.inputs[0]];
    if (!from.view) {
        refuse(Reason::view_of_result, step, "it takes a part of an intermediate");
    }
    AxedValue value = from;
    for (std::size_t d = 0; d < value.axes.size(); ++d) {
        const auto start = static_cast<std::uint64_t>(step.constants.at(2 * d));
        const auto pace = static_cast<std::uint64_t>(step.constants.at(2 * d + 1));
        value.view->offset += start * from.view->strides[d];
        value.view->strides[d] *= pace;
        const std::uint64_t extent = step.result.shape[d];
        if (from.axes[d] && extent != extents_[find(*from.axes[d])]) {
            const bool varied = value.varies.erase(*from.axes[d]) != 0;
            value.axes[d] = extent == 1 ? std::nullopt : std::optional{fresh(extent)};
            if (varied && value.axes[d]) {
                value.varies.insert(*value.axes[d]);
            }
        }
    }
    return value;
}

bool AxisClasses::only_an_output(std::size_t value) const {
    return std::ranges::none_of(loop_.steps, [value](const Step& step) {
        return std::ranges::find(step.inputs, value) != step.inputs.end();
    });
}

AxedValue AxisClasses::reshaped(const Step& step, std::size_t at) {
    const AxedValue& from = values_[step.inputs[0]];
    const Shape& old = value_of(loop_, step.inputs[0]).shape;
    if (host::elements(old) != host::elements(step.result.shape)) {
        refuse(Reason::malformed, step, "the shapes have different numbers of elements");
    }
    AxedValue value{.axes = {}, .varies = from.varies, .view = from.view, .same = {}};
    if (without_ones(old) == without_ones(step.result.shape)) {
        std::vector<std::size_t> taken;
        for (std::size_t d = 0; d < old.size(); ++d) {
            if (old[d] != 1) {
                taken.push_back(d);
            }
        }
        std::size_t next = 0;
        std::vector<std::uint64_t> strides;
        for (const std::uint64_t extent : step.result.shape) {
            value.axes.push_back(extent == 1 ? std::nullopt : from.axes[taken[next]]);
            strides.push_back(extent == 1 || !from.view ? 0 : from.view->strides[taken[next]]);
            next += extent == 1 ? 0 : 1;
        }
        if (value.view) {
            value.view->strides = strides;
        } else {
            value.same = from.same.value_or(step.inputs[0]);
        }
        return value;
    }
    if (from.view && is_whole(*from.view, old)) {
        AxedValue anew{.axes = {}, .varies = {}, .view = from.view, .same = {}};
        anew.view->strides = strides_of(step.result.shape);
        for (const std::uint64_t extent : step.result.shape) {
            anew.axes.push_back(extent == 1 ? std::nullopt : std::optional{fresh(extent)});
            if (anew.axes.back()) {
                anew.varies.insert(*anew.axes.back());
            }
        }
        return anew;
    }
    if (!from.view && only_an_output(at)) {  // stored as it is
        value.axes = from.axes;
        value.same = from.same.value_or(step.inputs[0]);
        return value;
    }
    refuse(Reason::overlapping_reshape,
           step,
           fmt::format("{} to {}", host::text(old), host::text(step.result.shape)));
}

AxedValue AxisClasses::broadcast(const Step& step) {
    const AxedValue& from = values_[step.inputs[0]];
    const Shape& shape = step.result.shape;
    if (from.axes.size() > shape.size()) {
        refuse(Reason::malformed, step, "the result has fewer axes than its operand");
    }
    AxedValue value{.axes = {}, .varies = from.varies, .view = from.view, .same = {}};
    if (value.view) {
        value.view->strides.assign(shape.size(), 0);
    } else {
        value.same = from.same.value_or(step.inputs[0]);
    }
    for (std::size_t d = 0; d < shape.size(); ++d) {
        const std::size_t lead = shape.size() - from.axes.size();
        std::optional<AxisId> axis = d < lead ? std::nullopt : from.axes[d - lead];
        if (axis && value.view) {
            value.view->strides[d] = from.view->strides[d - lead];
        }
        value.axes.push_back(axis || shape[d] == 1 ? axis : std::optional{fresh(shape[d])});
    }
    return value;
}

AxedValue AxisClasses::reduced_value(const Step& step) {
    const AxedValue& from = values_[step.inputs[0]];
    AxedValue value{.axes = from.axes, .varies = from.varies, .view = {}, .same = {}};
    std::set<AxisId> over;
    for (std::size_t d = 0; d < value.axes.size(); ++d) {
        if (value.axes[d] && (step.axes.empty() || std::ranges::find(step.axes, d) != step.axes.end())) {
            over.insert(*value.axes[d]);
            value.varies.erase(*value.axes[d]);
            value.axes[d].reset();
        }
    }
    if (!over.empty()) {
        reductions_.push_back(over);
    }
    return value;
}

void AxisClasses::align(AxedValue& result, const Step& step, std::size_t input) {
    const AxedValue& from = values_[input];
    if (from.axes.size() > result.axes.size()) {
        refuse(Reason::malformed, step, "an operand has more axes than the result");
    }
    for (std::size_t d = 0; d < from.axes.size(); ++d) {
        const std::size_t at = result.axes.size() - from.axes.size() + d;
        if (!from.axes[d]) {
            continue;
        }
        if (extents_[*from.axes[d]] != step.result.shape[at]) {
            refuse(Reason::malformed,
                   step,
                   fmt::format("an operand's extent {} lies along one of {}",
                               extents_[*from.axes[d]],
                               step.result.shape[at]));
        }
        if (!result.axes[at]) {
            result.axes[at] = from.axes[d];
        } else {
            unite(*result.axes[at], *from.axes[d]);
        }
    }
    result.varies.insert(from.varies.begin(), from.varies.end());
}

AxedValue AxisClasses::element_wise(const Step& step) {
    AxedValue value;
    value.axes.resize(step.result.shape.size());
    for (const std::size_t input : step.inputs) {
        align(value, step, input);
    }
    for (std::size_t d = 0; d < value.axes.size(); ++d) {
        if (!value.axes[d] && step.result.shape[d] != 1) {
            value.axes[d] = fresh(step.result.shape[d]);
        }
    }
    return value;
}

void AxisClasses::check_reductions() {
    std::set<AxisId> first;
    for (const std::set<AxisId>& over : reductions_) {
        std::set<AxisId> classes;
        std::ranges::transform(
            over, std::inserter(classes, classes.end()), [this](AxisId axis) { return find(axis); });
        if (!first.empty() && first != classes) {
            throw CannotGenerate{
                Reason::reduced_axes,
                fmt::format("one reduction runs over {} axes, another over {} that are not the same",
                            first.size(),
                            classes.size())};
        }
        first = classes;
    }
    reduced_ = first;
}

}  // namespace ascendsim::networks::loops
