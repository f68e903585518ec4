// SPDX-License-Identifier: Apache-2.0
// Operators that only arrange elements anew, as runs of kernels/ops/movement/rearrange/rearrange.cpp.
#include <algorithm>

#include "app/validation/rows/operator_rows.hpp"

namespace ascendsim::validation {
namespace {

using Numbers = std::vector<std::int64_t>;

/// The first of these attributes that the row states.
Numbers stated(const Row& row, std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
        if (Numbers list = row.list(key); !list.empty()) {
            return list;
        }
    }
    return {};
}

Case one(const Row& row, const Context& context, KernelRun run, std::string assumed = {}) {
    if (context.source.which == SourceClass::black_box) {
        set_without_pipe(run);
    }
    run.knob("dtype", first_type(row));
    Case result;
    result.runs.push_back(std::move(run));
    result.assumed = std::move(assumed);
    return result;
}

/// The only axis along which these differ; nothing if there is none, or several.
std::optional<std::size_t> differing_axis(const Extents& a, const Extents& b) {
    std::optional<std::size_t> axis;
    for (std::size_t i = 0; i < a.size() && a.size() == b.size(); ++i) {
        if (a[i] != b[i]) {
            if (axis) {
                return std::nullopt;
            }
            axis = i;
        }
    }
    return axis;
}

std::vector<Extents> inputs_of(const Row& row) {
    std::vector<Extents> tensors;
    for (const std::vector<TensorShape>& argument : row.shape.arguments) {
        for (const TensorShape& tensor : argument) {
            if (tensor.given && !tensor.extents.empty()) {
                tensors.push_back(tensor.extents);
            }
        }
    }
    return tensors;
}

/// Along which axis tensors are joined or split: as stated, or as the extents show.
std::optional<std::size_t> joint_axis(const Row& row,
                                      const std::vector<Extents>& parts,
                                      const Extents* whole) {
    const std::size_t rank = parts.front().size();
    const Numbers said = stated(row, {"concat_dim", "split_dim", "dim", "axis"});
    if (!said.empty()) {
        return axis_of(said.front(), rank);
    }
    if (whole != nullptr && whole->size() == rank) {
        if (const auto axis = differing_axis(parts.front(), *whole)) {
            return axis;
        }
    }
    for (const Extents& part : parts) {
        if (const auto axis = differing_axis(part, parts.front())) {
            return axis;
        }
    }
    return std::nullopt;
}

Adapted parts_case(const Row& row,
                   const Context& context,
                   const std::vector<Extents>& parts,
                   const Extents* whole,
                   bool join) {
    const std::optional<std::size_t> known = joint_axis(row, parts, whole);
    const std::size_t axis = known.value_or(0);
    Extents all = parts.front();
    Extents widths;
    all[axis] = 0;
    for (const Extents& part : parts) {
        if (part.size() != all.size()) {
            return WhyNot{"the tensors that are joined have different ranks"};
        }
        widths.push_back(part[axis]);
        all[axis] += part[axis];
    }
    KernelRun run = kernel_of(row, context, "rearrange");
    run.knob("kind", join ? "concat" : "split").knob("shape", all).knob("axis", axis).knob("parts", widths);
    return one(row,
               context,
               std::move(run),
               known ? "" : "along the first axis, as torch does unless told otherwise");
}

Adapted concat_case(const Row& row, const Context& context, bool stacks) {
    std::vector<Extents> parts = inputs_of(row);
    if (parts.size() < 2) {
        return WhyNot{"the row does not state the tensors that are joined"};
    }
    if (stacks) {
        const Numbers said = stated(row, {"dim", "axis"});
        for (Extents& part : parts) {
            const std::size_t axis = said.empty() ? 0 : axis_of(said.front(), part.size() + 1);
            part.insert(part.begin() + static_cast<std::ptrdiff_t>(axis), 1);
        }
    }
    return parts_case(
        row, context, parts, row.shape.outputs.empty() ? nullptr : &row.shape.outputs.front(), true);
}

Adapted split_case(const Row& row, const Context& context, const Extents& shape) {
    if (row.shape.outputs.size() > 1) {
        return parts_case(row, context, row.shape.outputs, &shape, false);
    }
    const Numbers said = stated(row, {"split_dim", "dim", "axis"});
    const std::size_t axis = said.empty() ? 0 : axis_of(said.front(), shape.size());
    Numbers sizes = stated(row, {"size_splits", "split_sizes", "split_size_or_sections", "split_size"});
    const Numbers count = stated(row, {"num_split", "num_splits", "chunks", "sections", "num"});
    if (sizes.empty() && !count.empty() && count.front() > 0) {
        sizes = {static_cast<std::int64_t>(shape[axis]) / count.front()};
    }
    if (sizes.empty() || sizes.front() <= 0) {
        return WhyNot{"the row does not say into what the tensor is split"};
    }
    Extents widths;
    for (std::uint64_t left = shape[axis]; left > 0;) {
        const std::size_t i = std::min(widths.size(), sizes.size() - 1);
        const auto width = static_cast<std::uint64_t>(std::max<std::int64_t>(sizes[i], 1));
        widths.push_back(std::min(left, width));
        left -= widths.back();
    }
    KernelRun run = kernel_of(row, context, "rearrange");
    run.knob("kind", "split").knob("shape", shape).knob("axis", axis).knob("parts", widths);
    return one(row, context, std::move(run), said.empty() ? "along the first axis" : "");
}

/// What a slice keeps of one axis.
struct KeptAxis {
    std::int64_t from = 0;
    std::int64_t count = 0;
    std::int64_t apart = 1;
    bool back = false;  // the last first
};

/// begin:end:strides as TensorFlow and torch state them, masks included.
class StatedSlice {
public:
    explicit StatedSlice(const Row& row)
        : row_{row},
          begin_{stated(row, {"begin", "begins", "start", "offsets"})},
          end_{stated(row, {"end", "ends"})},
          size_{stated(row, {"size", "sizes"})},
          strides_{stated(row, {"strides", "stride", "steps", "step"})} {}

    [[nodiscard]] bool known() const { return !begin_.empty() && !(end_.empty() && size_.empty()); }

    [[nodiscard]] KeptAxis of(std::size_t axis, std::int64_t extent) const {
        const auto within = [extent](std::int64_t value, std::int64_t low, std::int64_t high) {
            return std::clamp(value < 0 ? value + extent : value, low, high);
        };
        const std::int64_t stride = axis < strides_.size() && strides_[axis] != 0 ? strides_[axis] : 1;
        KeptAxis kept{.apart = std::abs(stride), .back = stride < 0};
        const bool whole = masked("begin_mask", axis) || axis >= begin_.size();
        kept.from = whole ? (kept.back ? extent - 1 : 0) : within(begin_[axis], 0, extent - 1);
        std::int64_t to = kept.back ? -1 : extent;
        if (axis < end_.size() && !masked("end_mask", axis)) {
            to = within(end_[axis], kept.back ? -1 : 0, extent);
        } else if (axis < size_.size() && size_[axis] >= 0) {
            to = std::min(kept.from + size_[axis], extent);
        }
        if (masked("shrink_axis_mask", axis)) {
            to = kept.from + (kept.back ? -1 : 1);
        }
        kept.count = ((kept.back ? kept.from - to : to - kept.from) + kept.apart - 1) / kept.apart;
        return kept;
    }

private:
    [[nodiscard]] bool masked(const char* mask, std::size_t axis) const {
        return ((row_.integer(mask).value_or(0) >> axis) & 1) != 0;
    }

    const Row& row_;
    Numbers begin_;
    Numbers end_;
    Numbers size_;
    Numbers strides_;
};

std::optional<Adapted> slice_case(const Row& row, const Context& context, const Extents& shape) {
    const StatedSlice slice{row};
    if (!slice.known()) {
        return std::nullopt;
    }
    if (row.integer("ellipsis_mask").value_or(0) != 0 || row.integer("new_axis_mask").value_or(0) != 0) {
        return WhyNot{"slices that leave out or add axes are not read yet"};
    }
    Extents first;
    Extents out;
    Extents step;
    Extents flip;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const KeptAxis kept = slice.of(axis, static_cast<std::int64_t>(shape[axis]));
        if (kept.count <= 0) {
            return WhyNot{"nothing is kept of the tensor"};
        }
        first.push_back(static_cast<std::uint64_t>(kept.from));
        out.push_back(static_cast<std::uint64_t>(kept.count));
        step.push_back(static_cast<std::uint64_t>(kept.apart));
        if (kept.back) {
            flip.push_back(axis);
        }
    }
    KernelRun run = kernel_of(row, context, "rearrange");
    run.knob("kind", "slice")
        .knob("shape", shape)
        .knob("begin", first)
        .knob("out", out)
        .knob("step", step)
        .knob("flip", flip);
    return one(row, context, std::move(run));
}

Adapted pad_case(const Row& row, const Context& context, const Extents& shape) {
    const Numbers pads = stated(row, {"paddings", "padding", "pads", "pad"});
    Extents begin(shape.size(), 0);
    Extents out = shape;
    std::string assumed;
    if (pads.size() == 2 * shape.size() ||
        (pads.size() % 2 == 0 && !pads.empty() && pads.size() < 2 * shape.size())) {
        // Pairs for each axis; fewer are torch's, from the last axis on.
        for (std::size_t pair = 0; pair < pads.size() / 2; ++pair) {
            const std::size_t axis = pads.size() == 2 * shape.size() ? pair : shape.size() - 1 - pair;
            begin[axis] = static_cast<std::uint64_t>(std::max<std::int64_t>(pads[2 * pair], 0));
            out[axis] +=
                begin[axis] + static_cast<std::uint64_t>(std::max<std::int64_t>(pads[2 * pair + 1], 0));
        }
    } else if (!row.shape.outputs.empty() && row.shape.outputs.front().size() == shape.size()) {
        out = row.shape.outputs.front();
        for (std::size_t i = 0; i < shape.size(); ++i) {
            if (out[i] < shape[i]) {
                return WhyNot{"the padded tensor is smaller than the tensor"};
            }
            begin[i] = (out[i] - shape[i]) / 2;
        }
        assumed = "as much before as behind";
    } else {
        return WhyNot{"the row does not say how much is padded"};
    }
    KernelRun run = kernel_of(row, context, "rearrange");
    run.knob("kind", "pad").knob("shape", shape).knob("begin", begin).knob("out", out);
    return one(row, context, std::move(run), assumed);
}

/// True if the repeated axes lie all before or all behind the others, as the element-wise kernel spreads
/// them.
bool spreads_one_way(const Extents& shape, const Extents& repeats) {
    std::size_t changes = 0;
    int before = -1;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] == 1 && repeats[i] == 1) {
            continue;
        }
        const int repeated = repeats[i] > 1 ? 1 : 0;
        if (repeated == 1 && shape[i] != 1) {
            return false;
        }
        changes += before >= 0 && before != repeated ? 1 : 0;
        before = repeated;
    }
    return changes <= 2;
}

Adapted tile_case(const Row& row, const Context& context, Extents shape) {
    Extents repeats;
    for (const std::int64_t times : stated(row, {"multiples", "repeats", "dims", "repeat", "reps"})) {
        repeats.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(times, 1)));
    }
    Numbers size = stated(row, {"shape", "size", "sizes"});
    Extents out = row.shape.outputs.empty() ? Extents{} : row.shape.outputs.front();
    if (out.empty() && repeats.empty()) {
        for (std::size_t i = 0; i < size.size(); ++i) {
            const std::size_t at = i + shape.size() - size.size();
            out.push_back(size[i] > 0         ? static_cast<std::uint64_t>(size[i])
                          : at < shape.size() ? shape[at]
                                              : 1);
        }
    }
    shape.insert(shape.begin(), std::max({out.size(), repeats.size(), shape.size()}) - shape.size(), 1);
    repeats.insert(repeats.begin(), shape.size() - std::min(repeats.size(), shape.size()), 1);
    if (!out.empty()) {
        for (std::size_t i = 0; i < shape.size() && out.size() == shape.size(); ++i) {
            repeats[i] = out[i] / std::max<std::uint64_t>(shape[i], 1);
        }
    }
    if (std::ranges::all_of(repeats, [](std::uint64_t times) { return times == 1; }) && out.empty()) {
        return WhyNot{"the row does not say how often the tensor is repeated"};
    }
    if (std::ranges::any_of(repeats, [](std::uint64_t times) { return times == 0; })) {
        return WhyNot{"the result's extents are not multiples of the tensor's"};
    }
    KernelRun run = kernel_of(row, context, "rearrange");
    if (spreads_one_way(shape, repeats)) {
        Extents whole;
        for (std::size_t i = 0; i < shape.size(); ++i) {
            whole.push_back(shape[i] * repeats[i]);
        }
        run = kernel_of(row, context, "elementwise");
        run.knob("op", "copy").knob("shape", whole).knob("shape0", shape);
        return one(row, context, std::move(run));
    }
    run.knob("kind", "tile").knob("shape", shape).knob("repeats", repeats);
    return one(row, context, std::move(run));
}

Adapted flip_case(const Row& row, const Context& context, const Extents& shape) {
    Extents axes;
    for (const std::int64_t axis : stated(row, {"dims", "dim", "axis", "axes"})) {
        axes.push_back(axis_of(axis, shape.size()));
    }
    KernelRun run = kernel_of(row, context, "rearrange");
    run.knob("kind", "flip").knob("shape", shape).knob("flip", axes);
    return one(row, context, std::move(run), axes.empty() ? "along the last axis" : "");
}

}  // namespace

std::optional<Adapted> arranged_case(const Row& row, const Context& context) {
    const std::optional<Extents> shape = first_shape(row);
    if (!shape || shape->empty()) {
        return std::nullopt;
    }
    if (operator_is(row, {"concat", "cat", "concatenate"})) {
        return concat_case(row, context, false);
    }
    if (operator_is(row, {"stack", "pack"})) {
        return concat_case(row, context, true);
    }
    if (operator_is(row, {"split", "splitv", "chunk", "splitwithsize", "tensorsplit"})) {
        return split_case(row, context, *shape);
    }
    if (operator_is(row, {"slice", "stridedslice"})) {
        return slice_case(row, context, *shape);
    }
    if (operator_is(row, {"pad", "constantpadnd", "constantpad"})) {
        return pad_case(row, context, *shape);
    }
    if (operator_is(row, {"tile", "repeat", "expand", "broadcastto", "broadcast"})) {
        return tile_case(row, context, *shape);
    }
    if (operator_is(row, {"flip", "reverse"})) {
        return flip_case(row, context, *shape);
    }
    return std::nullopt;
}

}  // namespace ascendsim::validation
