// SPDX-License-Identifier: Apache-2.0
#include "networks/run/channel_moves.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace ascendsim::networks {
namespace {

const host::KnobValue* knob_of(const Task& task, const char* name) {
    const auto found = std::ranges::find(task.knobs, name, &std::pair<std::string, host::KnobValue>::first);
    return found == task.knobs.end() ? nullptr : &found->second;
}

bool rearranges(const Task& task, const char* way) {
    const host::KnobValue* kind_of_it = knob_of(task, "kind");
    return task.kernel == "rearrange" && kind_of_it != nullptr &&
           *kind_of_it == host::KnobValue{std::string{way}};
}

bool along_channels(const Task& task) {
    const host::KnobValue* axis = knob_of(task, "axis");
    return axis != nullptr && *axis == host::KnobValue{std::int64_t{1}};
}

/// True for a kernel that cuts channels out and leaves the other axes whole.
bool slices_channels(const Task& task) {
    const auto extents = [&task](const char* name) {
        const host::KnobValue* value = knob_of(task, name);
        return value == nullptr ? host::Shape{} : std::get<host::Shape>(*value);
    };
    const host::Shape shape = extents("shape");
    const host::Shape out = extents("out");
    const host::Shape begin = extents("begin");
    if (!rearranges(task, "slice") || shape.size() < 2 || out.size() != shape.size() ||
        begin.size() != shape.size() ||
        !std::ranges::all_of(extents("step"), [](std::uint64_t step) { return step == 1; })) {
        return false;
    }
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (axis != 1 && out[axis] != shape[axis]) {
            return false;
        }
    }
    return true;
}

/// True if a loop computes each element of one shape by itself, beside numbers that are the same for all.
bool each_by_itself(const loops::Loop& loop, const host::Shape& shape) {
    const auto fits = [&shape](const loops::Value& value) {
        return value.shape == shape || host::elements(value.shape) == 1;
    };
    return std::ranges::all_of(loop.inputs, fits) &&
           std::ranges::all_of(loop.steps, [&](const loops::Step& step) {
               return !loops::is_view(step.op) && !loops::is_reduction(step.op) && fits(step.result);
           });
}

}  // namespace

bool joins_channels(const Task& task) {
    return rearranges(task, "concat") && along_channels(task);
}

bool parts_channels(const Task& task) {
    return task.reads.size() == 1 && task.reads[0].begin == 0 &&
           ((rearranges(task, "split") && along_channels(task)) || slices_channels(task));
}

bool takes_either(const Task& task) {
    return task.kernel == "pool" && !task.reads.empty() && task.reads[0].begin == 0 &&
           task.makes.size() == 1 && isa::bits(task.makes[0].type) == 16 && task.makes[0].shape.size() >= 3;
}

bool begins_with_block(const Task& task, std::uint64_t c0) {
    return !rearranges(task, "slice") || std::get<host::Shape>(*knob_of(task, "begin"))[1] % c0 == 0;
}

bool by_elements(const Task& task, const host::Shape& shape) {
    const auto& loop = task.loop != nullptr ? task.loop : task.equal;
    return loop != nullptr && each_by_itself(*loop, shape);
}

}  // namespace ascendsim::networks
