// SPDX-License-Identifier: Apache-2.0
// Convolutions: by the kernel conv2d where it takes the window, else windows are gathered and multiplied.
// Between convolutions tensors keep the blocks of channels that the cube takes, so that arranging them takes
// no time: one axis is an image of one row, the planes of three axes are channels, and wide images are
// strips.
#include <algorithm>
#include <functional>
#include <optional>

#include "networks/operators/activation.hpp"
#include "networks/operators/image_convolution.hpp"
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

Convolution convolution_of(const Operator& with, const Part& of, const Part& filters, bool transposed) {
    Convolution conv{.x = of, .w = filters, .axes = {}, .transposed = transposed};
    const host::Shape& x = conv.x.tensor.shape;
    const host::Shape& w = conv.w.tensor.shape;
    check_real(conv.x.tensor);
    const std::int64_t groups = with.node.integer("group", 1);
    if (groups < 1) {
        throw Refused{"{} groups of channels", groups};
    }
    conv.groups = static_cast<std::uint64_t>(groups);
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

Convolution conv_of(const Operator& with, const Part& of, const Part& filters) {
    Convolution conv = convolution_of(with, of, filters, false);
    const host::Shape& w = conv.w.tensor.shape;
    conv.axes = windows_of(
        with, {conv.x.tensor.shape.begin() + 2, conv.x.tensor.shape.end()}, {w.begin() + 2, w.end()});
    for (const WindowAxis& axis : conv.axes) {
        conv.windows *= static_cast<std::uint64_t>(axis.out);
    }
    return conv;
}

/// What the kernel conv2d does to its sums.
Finish finish_of(const Steps& steps) {
    Finish finish{.bias = {}, .activation = activation_in(steps.with().node)};
    if (steps.with().has(2)) {
        finish.bias = steps.operand(2);
    }
    return finish;
}

/// The same behind a product, by kernels of their own.
Part finished(Steps& steps, Part y) {
    const Finish finish = finish_of(steps);
    if (finish.bias) {
        host::Shape channels(y.tensor.shape.size() - 1, 1);
        channels[0] = y.tensor.shape[1];
        y = steps.element(Op::add, {y, Steps::seen(*finish.bias, channels)});
    }
    return activated(steps, y, finish.activation);
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

bool trivial(const WindowAxis& axis) {
    return axis.taps == 1 && axis.stride == 1 && axis.before == 0 && axis.behind == 0;
}

/// Two axes as one: windows that see single places of both.
WindowAxis merged(const WindowAxis& a, const WindowAxis& b) {
    return {.extent = a.extent * b.extent, .out = a.out * b.out};
}

/// The first axis of three becomes channels: each result has its own copy of the planes that it sees.
void fold_depth(ImageConvolution& image, const Convolution& conv) {
    const WindowAxis depth = conv.axes[0];
    const auto taps = static_cast<std::uint64_t>(depth.taps);
    const auto out = static_cast<std::uint64_t>(depth.out);
    const auto extent = static_cast<std::uint64_t>(depth.extent);
    const std::uint64_t channels = image.groups * image.inputs;
    const auto plane = static_cast<std::uint64_t>(conv.axes[1].extent * conv.axes[2].extent);
    const std::uint64_t batch = image.batch;
    image.of_images.push_back(
        by_places(batch * out * channels * taps * plane, [=](std::uint64_t i) -> std::int64_t {
            const std::uint64_t at = i / plane;  // [batch, out, channels, taps]
            const std::int64_t from = static_cast<std::int64_t>(at / taps / channels % out) * depth.stride -
                                      depth.before + static_cast<std::int64_t>(at % taps) * depth.dilation;
            if (from < 0 || from >= depth.extent) {
                return -1;
            }
            const std::uint64_t row = at / taps / channels / out * channels + at / taps % channels;
            return static_cast<std::int64_t>((row * extent + static_cast<std::uint64_t>(from)) * plane +
                                             i % plane);
        }));
    const std::uint64_t outputs = image.groups * image.outputs;
    const auto result = static_cast<std::uint64_t>(conv.axes[1].out * conv.axes[2].out);
    image.of_results.push_back(
        by_places(batch * outputs * out * result, [=](std::uint64_t i) -> std::int64_t {
            const std::uint64_t at = i / result;  // [batch, outputs, out]
            const std::uint64_t row = (at / out / outputs * out + at % out) * outputs + at / out % outputs;
            return static_cast<std::int64_t>(row * result + i % result);
        }));
    image.batch *= out;
    image.inputs *= taps;
}

/// The convolution over images, if the kernel takes its windows.
std::optional<ImageConvolution> as_images(const Convolution& conv, const ChipSpec& chip) {
    ImageConvolution image{.batch = conv.x.tensor.shape[0],
                           .groups = conv.groups,
                           .inputs = conv.inputs,
                           .outputs = conv.outputs};
    if (conv.axes.size() == 1) {
        image.columns = conv.axes[0];
    } else if (conv.axes.size() == 2) {
        image.rows = conv.axes[0];
        image.columns = conv.axes[1];
    } else if (conv.axes.size() == 3 && trivial(conv.axes[1]) && trivial(conv.axes[2])) {
        image.rows = conv.axes[0];
        image.columns = merged(conv.axes[1], conv.axes[2]);
    } else if (conv.axes.size() == 3) {
        fold_depth(image, conv);
        image.rows = conv.axes[1];
        image.columns = conv.axes[2];
    } else {
        return std::nullopt;
    }
    return fit(image, chip) ? std::optional{image} : std::nullopt;
}

/// One axis of a transposed convolution as windows without strides over the operand: `phases` results at a
/// time, each with every `phases`-th tap, the last one first.
struct Phases {
    WindowAxis windows;
    std::int64_t phases = 1;

    explicit Phases(const WindowAxis& axis) : phases{axis.stride} {
        const std::int64_t taps = (axis.taps + phases - 1) / phases;
        const std::int64_t dilation = phases == 1 ? axis.dilation : 1;
        const std::int64_t pad = (taps - 1) * dilation;
        windows = {.extent = axis.extent,
                   .taps = taps,
                   .stride = 1,
                   .dilation = dilation,
                   .before = pad,
                   .behind = pad,
                   .out = axis.extent + pad};
    }

    /// The original tap of a phase; -1: none.
    [[nodiscard]] std::int64_t tap(std::int64_t at, std::int64_t phase, const WindowAxis& axis) const {
        const std::int64_t tap = phase + phases * (windows.taps - 1 - at);
        return tap < axis.taps ? tap : -1;
    }
};

/// A transposed convolution of one or two axes, if the kernel takes it.
std::optional<ImageConvolution> as_phases(const Convolution& conv, const ChipSpec& chip) {
    const bool flat = conv.axes.size() == 1;
    const bool apart = std::ranges::any_of(
        conv.axes, [](const WindowAxis& axis) { return axis.stride > 1 && axis.dilation > 1; });
    if (conv.axes.size() > 2 || apart) {
        return std::nullopt;
    }
    const WindowAxis down = flat ? WindowAxis{} : conv.axes[0];
    const WindowAxis across = conv.axes.back();
    const Phases rows{down};
    const Phases columns{across};
    const std::int64_t phases = rows.phases * columns.phases;
    const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    ImageConvolution image{.batch = conv.x.tensor.shape[0],
                           .groups = conv.groups,
                           .inputs = conv.inputs,
                           .outputs = conv.outputs * number(phases),
                           .rows = rows.windows,
                           .columns = columns.windows};
    image.covered = (down.out - 1 + down.before) / rows.phases < rows.windows.out &&
                    (across.out - 1 + across.before) / columns.phases < columns.windows.out;
    const std::uint64_t inputs = conv.inputs;
    const std::uint64_t outputs = conv.outputs;
    const std::uint64_t taps = image.taps();
    // [groups, outputs, phases, inputs, taps] of [groups, inputs, outputs, all taps]
    image.of_filters.push_back(
        by_places(conv.groups * image.outputs * inputs * taps, [=](std::uint64_t i) -> std::int64_t {
            const auto at = static_cast<std::int64_t>(i % taps);
            const std::uint64_t in = i / taps % inputs;
            const auto phase = static_cast<std::int64_t>(i / taps / inputs % number(phases));
            const std::uint64_t out = i / taps / inputs / number(phases) % outputs;
            const std::uint64_t group = i / taps / inputs / number(phases) / outputs;
            const std::int64_t row = rows.tap(at / columns.windows.taps, phase / columns.phases, down);
            const std::int64_t column =
                columns.tap(at % columns.windows.taps, phase % columns.phases, across);
            const std::uint64_t filter = (group * inputs + in) * outputs + out;
            return row < 0 || column < 0 ? -1
                                         : static_cast<std::int64_t>(filter) * down.taps * across.taps +
                                               row * across.taps + column;
        }));
    image.of_bias.push_back(by_places(image.groups * image.outputs, [=](std::uint64_t i) {
        return static_cast<std::int64_t>(i / number(phases));
    }));
    const host::Shape made = image.out();
    const host::Shape result = conv.out();
    const std::uint64_t channels = result[1];
    image.of_results.push_back(by_places(host::elements(result), [=](std::uint64_t i) -> std::int64_t {
        const auto column = static_cast<std::int64_t>(i % number(across.out)) + across.before;
        const auto row = static_cast<std::int64_t>(i / number(across.out) % number(down.out)) + down.before;
        const std::uint64_t channel = i / number(across.out) / number(down.out);  // with the batch
        const std::int64_t phase = row % rows.phases * columns.phases + column % columns.phases;
        const std::uint64_t from =
            channel / channels * made[1] + channel % channels * number(phases) + number(phase);
        const std::int64_t y = row / rows.phases;
        const std::int64_t x = column / columns.phases;
        return y >= rows.windows.out || x >= columns.windows.out
                   ? -1
                   : (static_cast<std::int64_t>(from) * rows.windows.out + y) * columns.windows.out + x;
    }));
    return fit(image, chip) ? std::optional{image} : std::nullopt;
}

Lowered conv(const Operator& with) {
    Steps steps{with};
    const Convolution conv = conv_of(with, steps.operand(0), steps.operand(1));
    const std::optional<ImageConvolution> images = as_images(conv, *with.chip);
    if (!images) {
        return steps.done({finished(steps, by_product(steps, conv))}, gathered_note);
    }
    const Part y = by_conv2d(steps, *images, conv.x, conv.w, conv.out(), finish_of(steps));
    const bool folded = conv.axes.size() == 3 && images->inputs != conv.inputs;
    return steps.done(
        {y}, folded ? "planes along the first axis are read as channels, once for each that sees them" : "");
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
    Convolution conv = convolution_of(with, steps.operand(0), steps.operand(1), true);
    transposed_windows(with, conv);
    const std::optional<ImageConvolution> images = as_phases(conv, *with.chip);
    if (!images) {
        return steps.done({finished(steps, by_product(steps, conv))},
                          "windows are gathered by an index, and multiplied");
    }
    const Finish inside = images->covered ? finish_of(steps) : Finish{};
    Part y = by_conv2d(steps, *images, conv.x, conv.w, conv.out(), inside);
    y = images->covered ? y : finished(steps, y);
    return steps.done({y}, "as a convolution whose channels are the places between the operand's");
}

}  // namespace

Part convolved(Steps& steps, const Part& x, const Part& w) {
    const Convolution conv = conv_of(steps.with(), x, w);
    const std::optional<ImageConvolution> images = as_images(conv, *steps.with().chip);
    return images ? by_conv2d(steps, *images, x, w, conv.out()) : by_product(steps, conv);
}

Operators convolutions_operators() {
    return {{"Conv", conv}, {"ConvTranspose", conv_transpose}};
}

}  // namespace ascendsim::networks
