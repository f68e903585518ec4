// SPDX-License-Identifier: Apache-2.0
// Steps on chips that copy whole blocks of 32 B alone. They hold tensors filled up to blocks, as their own
// library does; who fills them up, and puts elements into another order on the way, is not simulated.
#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "networks/operators/image_convolution.hpp"
#include "networks/operators/steps.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;
using loops::Op;

constexpr const char* note = "filled up to blocks of 32 B, and put in order, which takes no time here";

double lowest(DataType type) {
    return type == DataType::half ? -65504 : -3e38;
}

/// Rows of `from` elements as rows of `to`, with `fill` behind what is there.
Arrange rows_of(std::uint64_t rows, std::uint64_t from, std::uint64_t to, double fill) {
    return [=](const std::vector<double>& plain) {
        std::vector<double> result(rows * to, fill);
        for (std::uint64_t row = 0; row < rows; ++row) {
            for (std::uint64_t i = 0; i < std::min(from, to); ++i) {
                result[row * to + i] = plain[row * from + i];
            }
        }
        return result;
    };
}

/// A loop whose last axis is filled up.
class FilledLoop {
public:
    FilledLoop(const loops::Loop& loop, std::uint64_t width)
        : loop_{loop}, width_{width}, filled_{round_up<std::uint64_t>(width, 32)} {
        const bool spreads = std::ranges::none_of(
            loop.steps, [](const loops::Step& step) { return loops::is_reduction(step.op); });
        for (loops::Value& value : loop_.inputs) {
            fill_up(value, spreads);
        }
        for (loops::Step& step : loop_.steps) {
            fill_up(step.result, spreads);
        }
    }

    [[nodiscard]] const loops::Loop& loop() const { return loop_; }

    [[nodiscard]] std::uint64_t filled() const { return filled_; }

    /// What must stand behind the elements so that results stay as they are; nothing if no number does.
    [[nodiscard]] std::optional<double> neutral() {
        std::optional<double> fill;
        for (std::size_t i = 0; i < loop_.steps.size(); ++i) {
            loops::Step& step = loop_.steps[i];
            if (loops::is_view(step.op) && step.op != Op::broadcast) {
                return std::nullopt;
            }
            if (!loops::is_reduction(step.op) || !along_width(step)) {
                continue;
            }
            const std::optional<double> wanted = neutral_of(step);
            if (!wanted || (fill && *fill != *wanted)) {
                return std::nullopt;
            }
            fill = wanted;
        }
        return fill.value_or(0);
    }

private:
    /// Columns become rows that hold one number: these chips have no strided copies of elements.
    void fill_up(loops::Value& value, bool spreads) const {
        const bool column = spreads && host::elements(value.shape) != 1 && value.shape.back() == 1;
        if (!value.shape.empty() && (column || value.shape.back() == width_)) {
            value.shape.back() = filled_;
        }
    }

    [[nodiscard]] const loops::Value& value(std::size_t index) const {
        return index < loop_.inputs.size() ? loop_.inputs[index]
                                           : loop_.steps[index - loop_.inputs.size()].result;
    }

    [[nodiscard]] bool along_width(const loops::Step& step) const {
        const host::Shape& of = value(step.inputs[0]).shape;
        return !of.empty() &&
               (step.axes.empty() || std::ranges::find(step.axes, of.size() - 1) != step.axes.end());
    }

    /// Extremes of inputs, sums of them, and sums of exp(x - the largest), which is 0 for the lowest x.
    [[nodiscard]] std::optional<double> neutral_of(const loops::Step& step) const {
        const std::size_t of = step.inputs[0];
        if (of < loop_.inputs.size()) {
            switch (step.op) {
                case Op::reduce_max:
                    return lowest(loop_.inputs[of].type);
                case Op::reduce_min:
                    return -lowest(loop_.inputs[of].type);
                case Op::reduce_sum:
                    return 0;
                default:
                    return std::nullopt;
            }
        }
        const loops::Step& made = loop_.steps[of - loop_.inputs.size()];
        if (step.op != Op::reduce_sum) {
            return std::nullopt;
        }
        return made.op == Op::exp ? std::optional{lowest(made.result.type)}
               : stays_zero(of)   ? std::optional{0.0}
                                  : std::nullopt;
    }

    /// True if zeros behind the rows of all operands make zeros of this value there.
    [[nodiscard]] bool stays_zero(std::size_t index) const {
        const host::Shape& shape = value(index).shape;
        if (shape.empty() || shape.back() != filled_) {
            return false;
        }
        if (index < loop_.inputs.size()) {
            return true;
        }
        const loops::Step& step = loop_.steps[index - loop_.inputs.size()];
        const auto zero = [this](std::size_t of) { return stays_zero(of); };
        switch (step.op) {
            case Op::mul:  // by what is finite there
                return std::ranges::any_of(step.inputs, zero) &&
                       std::ranges::all_of(step.inputs, [&](std::size_t of) {
                           return of < loop_.inputs.size() || stays_zero(of);
                       });
            case Op::add:
            case Op::sub:
            case Op::neg:
            case Op::abs:
            case Op::relu:
            case Op::cast:
                return std::ranges::all_of(step.inputs, zero);
            default:
                return false;
        }
    }

    loops::Loop loop_;
    std::uint64_t width_;
    std::uint64_t filled_;
};

/// Images [batch, channels, rows, columns] as blocks of channels around which `fill` stands.
Arrange framed(
    const host::Shape& in, std::uint64_t c0, const WindowAxis& rows, const WindowAxis& columns, double fill) {
    const auto reach = [](const WindowAxis& axis) {
        return static_cast<std::uint64_t>((axis.out - 1) * axis.stride + (axis.taps - 1) * axis.dilation + 1);
    };
    const std::uint64_t blocks = (in[1] + c0 - 1) / c0;
    const std::uint64_t height = reach(rows);
    const std::uint64_t width = reach(columns);
    return [=](const std::vector<double>& plain) {
        std::vector<double> result(in[0] * blocks * height * width * c0, fill);
        for (std::uint64_t i = 0; i < result.size(); ++i) {
            const std::uint64_t channel = i / c0 / width / height % blocks * c0 + i % c0;
            const auto row = static_cast<std::int64_t>(i / c0 / width % height) - rows.before;
            const auto column = static_cast<std::int64_t>(i / c0 % width) - columns.before;
            const std::uint64_t image = i / c0 / width / height / blocks;
            if (channel < in[1] && row >= 0 && row < rows.extent && column >= 0 && column < columns.extent) {
                const std::uint64_t plane =
                    (image * in[1] + channel) * in[2] + static_cast<std::uint64_t>(row);
                result[i] = plain[plane * in[3] + static_cast<std::uint64_t>(column)];
            }
        }
        return result;
    };
}

/// Blocks of channels [batch, blocks, image, c0] as [batch, channels, image].
Arrange unblocked(std::uint64_t batch, std::uint64_t channels, std::uint64_t image, std::uint64_t c0) {
    const std::uint64_t blocks = (channels + c0 - 1) / c0;
    return by_places(batch * channels * image, [=](std::uint64_t i) {
        const std::uint64_t channel = i / image % channels;
        const std::uint64_t block = i / image / channels * blocks + channel / c0;
        return static_cast<std::int64_t>((block * image + i % image) * c0 + channel % c0);
    });
}

/// The steps of one axis of windows: a reduction where one window sees all, else an operator of each tap.
std::size_t along_axis(
    LoopOf& loop, Op op, host::Shape& shape, std::size_t axis, const WindowAxis& window, DataType type) {
    const bool whole = window.out == 1;
    shape[axis] = static_cast<std::uint64_t>(window.out);
    if (whole && window.dilation == 1) {
        return loop.step(op == Op::maximum ? Op::reduce_max : Op::reduce_sum, {0}, shape, type, {}, {axis});
    }
    std::size_t all = 0;
    for (std::int64_t tap = 0; tap < window.taps; ++tap) {
        std::vector<double> places;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            places.push_back(d == axis ? static_cast<double>(tap * window.dilation) : 0);
            places.push_back(d == axis ? static_cast<double>(window.stride) : 1);
        }
        const std::size_t taken = loop.step(Op::slice, {0}, shape, type, std::move(places));
        all = tap == 0 ? taken : loop.step(op, {all, taken}, shape, type);
    }
    return window.taps == 1 ? loop.step(Op::copy, {all}, shape, type) : all;
}

}  // namespace

Part Steps::copied(const std::vector<Part>& parts, const host::Shape& shape, Arrange order) {
    const DataType type = parts[0].tensor.type;
    const Tensor made{.type = type, .shape = shape};
    if (isa::bits(type) == 64 || made.count() == 0) {
        return on_host(
            [order](const std::vector<std::vector<double>>& operands) {
                std::vector<double> all;
                for (const std::vector<double>& operand : operands) {
                    all.insert(all.end(), operand.begin(), operand.end());
                }
                return std::vector<std::vector<double>>{order(all)};
            },
            parts,
            {made})[0];
    }
    const host::Shape flat{made.count()};
    LoopOf loop{std::vector<Part>{{.tensor = {.type = type, .shape = flat}}}};
    Task task{.kernel = {}, .knobs = {}};
    task.loop = std::make_shared<const loops::Loop>(loop.outputs({loop.step(Op::copy, {0}, flat, type)}));
    if (parts.size() == 1) {
        task.arranged = {std::move(order)};
    } else {
        task.taken = std::move(order);
    }
    note_ = note;
    return run(std::move(task), parts, {made})[0];
}

Part Steps::transposed_in_blocks(const Part& part, const host::Shape& order, const host::Shape& shape) {
    const std::vector<std::int64_t> own = strides_of(part.tensor.shape);
    const std::vector<std::int64_t> made = strides_of(shape);
    return copied({part}, shape, by_places(part.tensor.count(), [=](std::uint64_t i) {
                      std::int64_t place = 0;
                      for (std::size_t d = 0; d < order.size(); ++d) {
                          place += static_cast<std::int64_t>(i) / made[d] %
                                   static_cast<std::int64_t>(shape[d]) * own[order[d]];
                      }
                      return place;
                  }));
}

std::vector<Part> Steps::run_in_blocks(const loops::Loop& loop, const std::vector<Part>& reads) {
    std::uint64_t width = 1;
    for (const loops::Value& value : loop.inputs) {
        width = std::max(width, value.shape.empty() ? 1 : value.shape.back());
    }
    FilledLoop filled{loop, width};
    const std::optional<double> fill = filled.neutral();
    const std::size_t output = loop.outputs.at(0);
    if (!fill || loop.outputs.size() != 1 || output < loop.inputs.size()) {
        throw Refused{"rows of {} elements, on a chip that copies whole blocks of 32 B", width};
    }
    static_cast<void>(loops::generate(filled.loop(), *with_.chip));
    Task task{.kernel = {}, .knobs = {}, .loop = std::make_shared<const loops::Loop>(filled.loop())};
    for (std::size_t i = 0; i < loop.inputs.size(); ++i) {
        const host::Shape& own = loop.inputs[i].shape;
        const host::Shape& wanted = filled.loop().inputs[i].shape;
        const std::uint64_t last = own.empty() ? 1 : own.back();
        const std::uint64_t rows = host::elements(own) / std::max<std::uint64_t>(last, 1);
        const std::uint64_t each = filled.filled();
        if (own == wanted) {
            task.arranged.emplace_back();
        } else if (last == 1) {
            task.arranged.push_back(by_places(
                rows * each, [each](std::uint64_t at) { return static_cast<std::int64_t>(at / each); }));
        } else {
            task.arranged.push_back(rows_of(rows, width, each, *fill));
        }
    }
    const loops::Value& result = loop.steps.at(output - loop.inputs.size()).result;
    if (!result.shape.empty() && result.shape.back() == width) {
        task.taken = rows_of(host::elements(result.shape) / width, filled.filled(), width, 0);
    }
    note_ = note;
    return run(std::move(task), reads, {{.type = result.type, .shape = result.shape}});
}

Part Steps::over_windows(Op op, const Part& part, const std::vector<WindowAxis>& axes) {
    const host::Shape& shape = part.tensor.shape;
    if (axes.empty() || axes.size() > 2 || shape.size() != axes.size() + 2 || !is_real(part.tensor.type) ||
        part.tensor.type == DataType::float64) {
        throw Refused{"windows over {}, on a chip that copies whole blocks of 32 B", part.tensor.text()};
    }
    const DataType type = part.tensor.type;
    const double outside = op == Op::maximum ? lowest(type) : 0;
    const std::uint64_t c0 = 256 / isa::bits(type);  // of 32 bytes
    const WindowAxis rows = axes.size() == 2 ? axes[0] : WindowAxis{};
    const WindowAxis columns = axes.back();
    const host::Shape in{shape[0],
                         shape[1],
                         static_cast<std::uint64_t>(rows.extent),
                         static_cast<std::uint64_t>(columns.extent)};
    const auto reach = [](const WindowAxis& axis) {
        return static_cast<std::uint64_t>((axis.out - 1) * axis.stride + (axis.taps - 1) * axis.dilation + 1);
    };
    host::Shape now{in[0] * ((in[1] + c0 - 1) / c0), reach(rows), reach(columns), c0};
    Part y = part;
    for (const bool second : {false, true}) {
        const Tensor from{.type = type, .shape = now};
        LoopOf loop{std::vector<Part>{{.tensor = from}}};
        const std::size_t made = along_axis(loop, op, now, second ? 1 : 2, second ? rows : columns, type);
        Task task{
            .kernel = {}, .knobs = {}, .loop = std::make_shared<const loops::Loop>(loop.outputs({made}))};
        Tensor result{.type = type, .shape = now};
        if (second) {
            result.shape = {in[0], in[1], now[1], now[2]};
            task.taken = unblocked(in[0], in[1], now[1] * now[2], c0);
        } else {
            task.arranged = {framed(in, c0, rows, columns, outside)};
        }
        y = run(std::move(task), {y}, {result})[0];
    }
    note_ = note;
    host::Shape out{shape[0], shape[1]};
    for (const WindowAxis& axis : axes) {
        out.push_back(static_cast<std::uint64_t>(axis.out));
    }
    return seen(y, out);
}

}  // namespace ascendsim::networks
