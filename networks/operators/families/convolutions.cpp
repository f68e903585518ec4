// SPDX-License-Identifier: Apache-2.0
// Convolutions: by the kernel conv2d where it takes the window, else windows are gathered and multiplied.
#include <algorithm>
#include <numeric>

#include "networks/operators/steps.hpp"
#include "networks/operators/windows.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;
using loops::Op;
using Indices = std::vector<std::int64_t>;

struct Convolution {
    Part x;
    Part w;
    std::vector<WindowAxis> axes;
    std::uint64_t groups = 1;
    std::uint64_t inputs = 1;   // channels of a group
    std::uint64_t outputs = 1;  // channels of a group
    std::uint64_t image = 1;    // elements of a channel
    std::uint64_t windows = 1;
    std::uint64_t taps = 1;
    bool transposed = false;

    [[nodiscard]] host::Shape out() const {
        host::Shape shape{x.tensor.shape[0], groups * outputs};
        for (const WindowAxis& axis : axes) {
            shape.push_back(static_cast<std::uint64_t>(axis.out));
        }
        return shape;
    }
};

void check_real(const Tensor& tensor) {
    if (!is_real(tensor.type) || tensor.type == DataType::float64) {
        throw Refused{"the cube multiplies float16, bfloat16 and float32 here, not {}",
                      isa::name(tensor.type)};
    }
}

Convolution convolution_of(const Operator& with, const Steps& steps, bool transposed) {
    Convolution conv{.x = steps.operand(0), .w = steps.operand(1), .axes = {}, .transposed = transposed};
    const host::Shape& x = conv.x.tensor.shape;
    const host::Shape& w = conv.w.tensor.shape;
    check_real(conv.x.tensor);
    conv.groups = static_cast<std::uint64_t>(std::max<std::int64_t>(with.node.integer("group", 1), 1));
    if (x.size() < 3 || w.size() != x.size() || w[0] % conv.groups != 0 ||
        (transposed ? w[0] : w[1] * conv.groups) != x[1]) {
        throw Refused{
            "filters {} on {} in {} groups", conv.w.tensor.text(), conv.x.tensor.text(), conv.groups};
    }
    conv.inputs = x[1] / conv.groups;
    conv.outputs = transposed ? w[1] : w[0] / conv.groups;
    conv.image = host::elements({x.begin() + 2, x.end()});
    conv.taps = host::elements({w.begin() + 2, w.end()});
    return conv;
}

Convolution conv_of(const Operator& with, const Steps& steps) {
    Convolution conv = convolution_of(with, steps, false);
    const host::Shape& w = conv.w.tensor.shape;
    conv.axes = windows_of(
        with, {conv.x.tensor.shape.begin() + 2, conv.x.tensor.shape.end()}, {w.begin() + 2, w.end()});
    for (const WindowAxis& axis : conv.axes) {
        conv.windows *= static_cast<std::uint64_t>(axis.out);
    }
    return conv;
}

/// A bias for each channel, behind the product.
Part with_bias(Steps& steps, const Part& y) {
    if (!steps.with().has(2)) {
        return y;
    }
    host::Shape channels(y.tensor.shape.size() - 1, 1);
    channels[0] = y.tensor.shape[1];
    return steps.element(Op::add, {y, Steps::seen(steps.operand(2), channels)});
}

constexpr const char* gathered_note =
    "windows are gathered by an index, and multiplied: the kernel conv2d does not take this window";

/// Rows of windows by columns of filters, for each group.
Part by_product(Steps& steps, const Convolution& conv) {
    const std::uint64_t batch = conv.x.tensor.shape[0];
    const Indices places = window_places(conv.axes, conv.transposed);
    constexpr std::uint64_t most = 1U << 22U;
    if (batch * conv.groups * conv.inputs * places.size() > most) {
        throw Refused{
            "the kernel conv2d does not take this window, and gathered windows have more than {} elements",
            most};
    }
    Indices from;  // [groups, batch, windows, inputs, taps]
    for (std::uint64_t group = 0; group < conv.groups; ++group) {
        for (std::uint64_t image = 0; image < batch; ++image) {
            for (std::uint64_t window = 0; window < conv.windows; ++window) {
                for (std::uint64_t channel = 0; channel < conv.inputs; ++channel) {
                    const std::uint64_t base =
                        ((image * conv.groups + group) * conv.inputs + channel) * conv.image;
                    for (std::uint64_t tap = 0; tap < conv.taps; ++tap) {
                        const std::int64_t place = places[window * conv.taps + tap];
                        from.push_back(place < 0 ? -1 : place + static_cast<std::int64_t>(base));
                    }
                }
            }
        }
    }
    const std::uint64_t depth = conv.inputs * conv.taps;
    const Part rows = steps.moved(conv.x, {conv.groups, batch * conv.windows, depth}, from);
    const Part filters =
        conv.transposed
            ? steps.transposed(Steps::seen(conv.w, {conv.groups, conv.inputs, conv.outputs, conv.taps}),
                               {0, 1, 3, 2})
            : steps.transposed(Steps::seen(conv.w, {conv.groups, conv.outputs, depth}), {0, 2, 1});
    const Part columns = Steps::seen(filters, {conv.groups, depth, conv.outputs});
    const Part product = steps.product(rows, columns);
    const Part apart = Steps::seen(product, {conv.groups, batch, conv.windows, conv.outputs});
    return Steps::seen(steps.transposed(apart, {1, 0, 3, 2}), conv.out());
}

constexpr std::uint64_t fractal = 16;  // channels

std::uint64_t round_up_to(std::uint64_t value, std::uint64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

/// NCHW as NC1HWC0, with so many blocks of channels.
Arrange in_blocks(const host::Shape& shape, std::uint64_t c0, std::uint64_t blocks) {
    return [shape, c0, blocks](const std::vector<double>& plain) {
        const std::uint64_t image = shape[2] * shape[3];
        std::vector<double> result(shape[0] * blocks * image * c0, 0);
        for (std::uint64_t i = 0; i < plain.size(); ++i) {
            const std::uint64_t channel = i / image % shape[1];
            const std::uint64_t batch = i / image / shape[1];
            result[((batch * blocks + channel / c0) * image + i % image) * c0 + channel % c0] = plain[i];
        }
        return result;
    };
}

/// NC1HWC0 as NCHW.
Arrange out_of_blocks(const host::Shape& shape, std::uint64_t c0) {
    return [shape, c0](const std::vector<double>& blocked) {
        const std::uint64_t image = shape[2] * shape[3];
        const std::uint64_t blocks = blocked.size() / std::max<std::uint64_t>(shape[0] * image * c0, 1);
        std::vector<double> result(host::elements(shape));
        for (std::uint64_t i = 0; i < result.size(); ++i) {
            const std::uint64_t channel = i / image % shape[1];
            const std::uint64_t batch = i / image / shape[1];
            result[i] = blocked[((batch * blocks + channel / c0) * image + i % image) * c0 + channel % c0];
        }
        return result;
    };
}

/// Filters [outputs, inputs, taps] as the cube takes them: [inputs by c0 and taps, outputs by 16, 16, c0]. A
/// depthwise filter stands on the diagonal of its block.
Arrange as_fractals(const Convolution& conv, std::uint64_t c0, bool depthwise) {
    const std::uint64_t channels = round_up_to(conv.groups * conv.inputs, depthwise ? fractal : c0);
    const std::uint64_t all = conv.groups * conv.outputs;
    const std::uint64_t of_group = depthwise ? fractal : round_up_to(conv.outputs, fractal);
    return [=, inputs = conv.inputs, outputs = conv.outputs, taps = conv.taps](
               const std::vector<double>& plain) {
        std::vector<double> result(channels * taps * of_group, 0);
        for (std::uint64_t out = 0; out < all; ++out) {
            for (std::uint64_t in = 0; in < inputs; ++in) {
                const std::uint64_t channel = out / outputs * inputs + in;
                const std::uint64_t row = depthwise ? out % fractal : out % outputs;
                for (std::uint64_t tap = 0; tap < taps; ++tap) {
                    const std::uint64_t place = (channel / c0 * taps + tap) * of_group + row;
                    result[place * c0 + channel % c0] = plain[(out * inputs + in) * taps + tap];
                }
            }
        }
        return result;
    };
}

/// True if the kernel conv2d takes the window and the groups.
bool by_conv2d(const Convolution& conv, bool depthwise) {
    const WindowAxis& first = conv.axes[0];
    const bool alike = conv.axes.size() == 2 && std::ranges::all_of(conv.axes, [&](const WindowAxis& axis) {
                           return axis.taps == first.taps && axis.stride == first.stride &&
                                  axis.dilation == first.dilation && axis.before == first.before &&
                                  axis.behind == first.before;
                       });
    constexpr std::int64_t most_taps = 15;
    constexpr std::int64_t most_pad = 255;
    return alike && first.taps <= most_taps && first.before <= most_pad &&
           (conv.groups == 1 || depthwise || (conv.inputs % fractal == 0 && conv.outputs % fractal == 0));
}

/// CANN hands the bias to the cube's accumulator; the kernel conv2d has none.
constexpr const char* bias_note = "the bias is added while the cube accumulates, and takes no time here";

Part by_kernel(Steps& steps, const Convolution& conv, bool depthwise) {
    const DataType type = conv.x.tensor.type;
    const std::uint64_t c0 = type == DataType::float32 ? fractal / 2 : fractal;  // of 32 bytes
    const host::Shape& in = conv.x.tensor.shape;
    const WindowAxis& axis = conv.axes[0];
    const auto blocks = [](std::uint64_t channels, std::uint64_t each) {
        return static_cast<std::int64_t>(round_up_to(channels, each) / each);
    };
    const std::uint64_t outputs = conv.groups * conv.outputs;
    const std::uint64_t whole = depthwise ? round_up_to(in[1], fractal) : in[1];  // channels that are held
    Task task{
        .kernel = "conv2d",
        .knobs = {{"batch", static_cast<std::int64_t>(in[0])},
                  {"c1", blocks(whole, c0)},
                  {"height", static_cast<std::int64_t>(in[2])},
                  {"width", static_cast<std::int64_t>(in[3])},
                  {"n1", blocks(outputs, fractal)},
                  {"groups", depthwise ? blocks(outputs, fractal) : static_cast<std::int64_t>(conv.groups)},
                  {"filter", axis.taps},
                  {"stride", axis.stride},
                  {"dilation", axis.dilation},
                  {"pad", axis.before},
                  {"dtype", std::string{isa::name(type)}},
                  {"base_m", std::int64_t{0}}}};
    task.arranged = {in_blocks(in, c0, static_cast<std::uint64_t>(blocks(whole, c0))),
                     as_fractals(conv, c0, depthwise)};
    const host::Shape out = conv.out();
    task.taken = out_of_blocks(out, c0);
    return steps.run(std::move(task), {conv.x, conv.w}, {{.type = type, .shape = out, .values = {}}})[0];
}

Lowered conv(const Operator& with) {
    Steps steps{with};
    const Convolution conv = conv_of(with, steps);
    const bool depthwise = conv.groups > 1 && conv.inputs == 1 && conv.outputs == 1;
    if (!by_conv2d(conv, depthwise)) {
        return steps.done({with_bias(steps, by_product(steps, conv))}, gathered_note);
    }
    const Part y = by_kernel(steps, conv, depthwise);
    Lowered lowered = steps.done({with_bias(steps, y)}, with.has(2) ? bias_note : "");
    for (std::size_t i = 1; i < lowered.tasks.size(); ++i) {
        lowered.tasks[i].timed = false;
    }
    return lowered;
}

/// The padding of a transposed convolution: as stated, or what leaves `output_shape`.
void transposed_windows(const Operator& with, Convolution& conv) {
    const std::size_t rank = conv.x.tensor.shape.size() - 2;
    const auto list = [&](std::string_view name, std::size_t count, std::int64_t otherwise) {
        const Indices values = with.node.integers(name, Indices(count, otherwise));
        if (values.size() != count ||
            std::ranges::any_of(values, [](std::int64_t value) { return value < 0 || value > (1 << 20); })) {
            throw Refused{"'{}' must be {} numbers from 0 on", name, count};
        }
        return values;
    };
    const Indices strides = list("strides", rank, 1);
    const Indices dilations = list("dilations", rank, 1);
    const Indices added = list("output_padding", rank, 0);
    const Indices pads = list("pads", 2 * rank, 0);
    const std::string automatic = with.node.word("auto_pad", "NOTSET");
    const bool stated = with.node.has("output_shape");
    const Indices shape = stated ? list("output_shape", rank, 1) : Indices(rank, 0);
    for (std::size_t i = 0; i < rank; ++i) {
        WindowAxis axis{.extent = static_cast<std::int64_t>(conv.x.tensor.shape[2 + i]),
                        .taps = static_cast<std::int64_t>(conv.w.tensor.shape[2 + i]),
                        .stride = std::max<std::int64_t>(strides[i], 1),
                        .dilation = std::max<std::int64_t>(dilations[i], 1),
                        .before = pads[i],
                        .behind = pads[rank + i]};
        const std::int64_t full =
            axis.stride * (axis.extent - 1) + added[i] + (axis.taps - 1) * axis.dilation + 1;
        const bool alike = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
        if (stated || alike) {
            axis.out = stated ? shape[i] : axis.extent * axis.stride;
            const std::int64_t all = std::max<std::int64_t>(full - axis.out, 0);
            axis.before = automatic == "SAME_UPPER" ? all / 2 : all - all / 2;
        } else {
            axis.out = full - axis.before - axis.behind;
        }
        if (axis.out < 1) {
            throw Refused{"a transposed convolution of {} without results", conv.x.tensor.text()};
        }
        conv.windows *= static_cast<std::uint64_t>(axis.out);
        conv.axes.push_back(axis);
    }
}

Lowered conv_transpose(const Operator& with) {
    Steps steps{with};
    Convolution conv = convolution_of(with, steps, true);
    transposed_windows(with, conv);
    return steps.done({with_bias(steps, by_product(steps, conv))},
                      "windows are gathered by an index, and multiplied");
}

}  // namespace

Operators convolutions_operators() {
    return {{"Conv", conv}, {"ConvTranspose", conv_transpose}};
}

}  // namespace ascendsim::networks
