// SPDX-License-Identifier: Apache-2.0
#include "networks/operators/image_convolution.hpp"

#include <algorithm>
#include <utility>

#include "networks/operators/activation.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;

constexpr std::uint64_t fractal = 16;  // channels

std::int64_t reach(const WindowAxis& axis) {
    return (axis.taps - 1) * axis.dilation + 1;
}

/// One arrangement behind the other.
Arrange chained(const std::vector<Arrange>& arrangements) {
    return [arrangements](const std::vector<double>& plain) {
        std::vector<double> values = plain;
        for (const Arrange& arrange : arrangements) {
            values = arrange(values);
        }
        return values;
    };
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

/// Groups of channels as the cube takes them: as many joined as fill whole blocks of 16.
struct Blocked {
    std::uint64_t joined = 1;  // groups that are one to the kernel
    std::uint64_t groups = 1;  // to the kernel
    std::uint64_t inputs = 1;  // channels of such a group, whole blocks
    std::uint64_t outputs = 1;
};

Blocked blocked(const ImageConvolution& conv, std::uint64_t c0) {
    Blocked result;
    while (result.joined < conv.groups &&
           (result.joined * conv.inputs % fractal != 0 || result.joined * conv.outputs % fractal != 0)) {
        ++result.joined;
    }
    result.groups = (conv.groups + result.joined - 1) / result.joined;
    result.inputs = round_up(result.joined * conv.inputs, c0);
    result.outputs = round_up(result.joined * conv.outputs, fractal);
    return result;
}

/// Filters [groups * outputs, inputs, taps] as the cube takes them: [inputs by c0 and taps, outputs by 16,
/// 16, c0]. Filters of joined groups stand on the diagonal of their block.
Arrange as_fractals(const ImageConvolution& conv, const Blocked& to, std::uint64_t c0) {
    return [=, groups = conv.groups, inputs = conv.inputs, outputs = conv.outputs, taps = conv.taps()](
               const std::vector<double>& plain) {
        std::vector<double> result(to.groups * to.inputs * taps * to.outputs, 0);
        for (std::uint64_t out = 0; out < groups * outputs; ++out) {
            for (std::uint64_t in = 0; in < inputs; ++in) {
                const std::uint64_t channel = out / outputs * inputs + in;
                const std::uint64_t row = out % (to.joined * outputs);
                for (std::uint64_t tap = 0; tap < taps; ++tap) {
                    const std::uint64_t place = (channel / c0 * taps + tap) * to.outputs + row;
                    result[place * c0 + channel % c0] = plain[(out * inputs + in) * taps + tap];
                }
            }
        }
        return result;
    };
}

/// Zeros behind the channels: groups that are several to the kernel are whole blocks, one may be filled up.
Arrange filled_up(std::uint64_t channels) {
    return [channels](const std::vector<double>& plain) {
        std::vector<double> result = plain;
        result.resize(channels, 0);
        return result;
    };
}

constexpr std::int64_t most_extent = 4096;  // of the kernel's images

/// True if the kernel takes windows on an axis of this extent.
bool takes(const WindowAxis& axis, std::int64_t extent) {
    constexpr std::int64_t most = 255;  // of the instruction that unrolls images
    constexpr std::int64_t most_stride = 63;
    const std::int64_t pad = std::max(axis.before, axis.behind);
    return axis.taps <= most && axis.dilation <= most && axis.stride <= most_stride && axis.before >= 0 &&
           axis.behind >= 0 && pad <= most && pad < reach(axis) && extent <= most_extent;
}

/// True if the rows that 16 positions see fit L1 twice, beside filters of 16 channels.
bool fits_l1(const ImageConvolution& conv, std::int64_t width, std::int64_t out, const ChipSpec& chip) {
    constexpr std::int64_t block = 32;  // bytes: channels of one position
    constexpr std::int64_t positions = fractal;
    const std::int64_t steps = (positions - 1 + out - 1) / out;  // from row to row of results
    const std::int64_t rows = std::min(conv.rows.extent, steps * conv.rows.stride + reach(conv.rows));
    const auto taps = static_cast<std::int64_t>(conv.taps());
    return width <= most_extent &&
           2 * block * (rows * width + taps * positions) <= static_cast<std::int64_t>(chip.buffers.l1);
}

/// Wide images as strips of columns, which are images of their own and overlap by what windows reach.
bool cut_into_strips(ImageConvolution& conv, const ChipSpec& chip) {
    const WindowAxis whole = conv.columns;
    const auto width_of = [&](std::int64_t out) { return (out - 1) * whole.stride + reach(whole); };
    if (fits_l1(conv, whole.extent, whole.out, chip)) {
        return true;
    }
    std::int64_t out = whole.out;
    for (std::int64_t strips = 2; out > 1 && !fits_l1(conv, width_of(out), out, chip); ++strips) {
        out = (whole.out + strips - 1) / strips;
    }
    if (!fits_l1(conv, width_of(out), out, chip)) {
        return false;
    }
    const std::int64_t strips = (whole.out + out - 1) / out;
    const host::Shape in = conv.in();
    const host::Shape result = conv.out();
    conv.columns = {.extent = width_of(out),
                    .taps = whole.taps,
                    .stride = whole.stride,
                    .dilation = whole.dilation,
                    .before = 0,
                    .behind = 0,
                    .out = out};
    const auto count = static_cast<std::uint64_t>(strips);
    conv.batch *= count;
    const host::Shape cut = conv.in();
    const host::Shape made = conv.out();
    conv.of_images.push_back(by_places(host::elements(cut), [=](std::uint64_t i) -> std::int64_t {
        const std::uint64_t image = i / (cut[1] * cut[2] * cut[3]);
        const auto strip = static_cast<std::int64_t>(image % count);
        const std::int64_t column =
            strip * out * whole.stride + static_cast<std::int64_t>(i % cut[3]) - whole.before;
        const std::uint64_t row = image / count * cut[1] * cut[2] + i / cut[3] % (cut[1] * cut[2]);
        return column < 0 || column >= whole.extent ? -1 : static_cast<std::int64_t>(row * in[3]) + column;
    }));
    conv.of_results.push_back(by_places(host::elements(result), [=](std::uint64_t i) -> std::int64_t {
        const std::uint64_t column = i % result[3];
        const std::uint64_t row = i / result[3];
        const std::uint64_t plane = result[1] * result[2];
        const auto step = static_cast<std::uint64_t>(out);
        const std::uint64_t image = row / plane * count + column / step;
        return static_cast<std::int64_t>((image * plane + row % plane) * made[3] + column % step);
    }));
    return true;
}

/// Windows beside each other are channels of an image with a place for each window.
void cut_into_patches(ImageConvolution& conv) {
    const host::Shape in = conv.in();
    const auto down = static_cast<std::uint64_t>(conv.rows.taps);
    const auto across = static_cast<std::uint64_t>(conv.columns.taps);
    const auto rows = static_cast<std::uint64_t>(conv.rows.out);
    const auto columns = static_cast<std::uint64_t>(conv.columns.out);
    conv.inputs *= down * across;
    conv.rows = {.extent = conv.rows.out, .out = conv.rows.out};
    conv.columns = {.extent = conv.columns.out, .out = conv.columns.out};
    conv.of_images.push_back(by_places(host::elements(conv.in()), [=](std::uint64_t i) -> std::int64_t {
        const std::uint64_t tap = i / columns / rows % (down * across);
        const std::uint64_t channel = i / columns / rows / (down * across);  // with the batch
        const std::uint64_t row = i / columns % rows * down + tap / across;
        return static_cast<std::int64_t>((channel * in[2] + row) * in[3] + i % columns * across +
                                         tap % across);
    }));
}

bool beside_each_other(const WindowAxis& axis) {
    return axis.stride == axis.taps && axis.dilation == 1 && axis.before == 0 && axis.behind <= 0;
}

}  // namespace

Arrange by_places(std::uint64_t count, std::function<std::int64_t(std::uint64_t)> place) {
    return [count, place = std::move(place)](const std::vector<double>& plain) {
        std::vector<double> result(count, 0);
        for (std::uint64_t i = 0; i < count; ++i) {
            if (const std::int64_t from = place(i); from >= 0) {
                result[i] = plain.at(static_cast<std::size_t>(from));
            }
        }
        return result;
    };
}

bool fit(ImageConvolution& conv, const ChipSpec& chip) {
    constexpr std::uint64_t most_batch = 65535;
    if (conv.batch <= most_batch && takes(conv.rows, conv.rows.extent) && takes(conv.columns, 1) &&
        cut_into_strips(conv, chip)) {
        return conv.batch <= most_batch;
    }
    if (beside_each_other(conv.rows) && beside_each_other(conv.columns)) {
        cut_into_patches(conv);
        return cut_into_strips(conv, chip);
    }
    return false;
}

Part by_conv2d(Steps& steps,
               ImageConvolution conv,
               const Part& x,
               const Part& w,
               const host::Shape& shape,
               const Finish& finish) {
    const DataType type = x.tensor.type;
    const std::uint64_t c0 = type == DataType::float32 ? fractal / 2 : fractal;  // of 32 bytes
    const Blocked to = blocked(conv, c0);
    const auto number = [](std::uint64_t count) { return static_cast<std::int64_t>(count); };
    const std::uint64_t c1 = to.groups * to.inputs / c0;
    Task task{.kernel = "conv2d",
              .knobs = {{"batch", number(conv.batch)},
                        {"c1", number(c1)},
                        {"height", conv.rows.extent},
                        {"width", conv.columns.extent},
                        {"n1", number(to.groups * to.outputs / fractal)},
                        {"groups", number(to.groups)},
                        {"filter", conv.rows.taps},
                        {"filter_w", conv.columns.taps},
                        {"stride", conv.rows.stride},
                        {"stride_w", conv.columns.stride},
                        {"dilation", conv.rows.dilation},
                        {"dilation_w", conv.columns.dilation},
                        {"pads",
                         host::Shape{static_cast<std::uint64_t>(conv.rows.before),
                                     static_cast<std::uint64_t>(conv.columns.before),
                                     static_cast<std::uint64_t>(conv.rows.behind),
                                     static_cast<std::uint64_t>(conv.columns.behind)}},
                        {"dtype", std::string{isa::name(type)}},
                        {"base_m", std::int64_t{0}}}};
    std::vector<Arrange> images = conv.of_images;
    images.push_back(in_blocks(conv.in(), c0, c1));
    std::vector<Arrange> filters = conv.of_filters;
    filters.push_back(as_fractals(conv, to, c0));
    std::vector<Arrange> results{out_of_blocks(conv.out(), c0)};
    results.insert(results.end(), conv.of_results.rbegin(), conv.of_results.rend());
    task.arranged = {chained(images), chained(filters)};
    task.taken = chained(results);
    std::vector<Part> reads{x, w};
    if (finish.bias) {
        std::vector<Arrange> row = conv.of_bias;
        row.push_back(filled_up(to.groups * to.outputs));
        task.arranged.push_back(chained(row));
        // Of bfloat16 the sums begin with float32.
        reads.push_back(type == DataType::bfloat16 ? steps.cast(*finish.bias, DataType::float32)
                                                   : *finish.bias);
    }
    const auto blocks_of = [c0](const host::Shape& image, std::uint64_t blocks, Arrange beside) {
        return ChannelBlocks{.batch = image[0],
                             .channels = image[1],
                             .image = image[2] * image[3],
                             .blocks = blocks,
                             .c0 = c0,
                             .beside = std::move(beside)};
    };
    task.blocks_read = blocks_of(conv.in(), c1, conv.of_images.empty() ? Arrange{} : chained(conv.of_images));
    const std::vector<Arrange> back{conv.of_results.rbegin(), conv.of_results.rend()};
    task.blocks_made =
        blocks_of(conv.out(), to.groups * to.outputs / c0, back.empty() ? Arrange{} : chained(back));
    add_finish(task, finish);
    return steps.run(std::move(task), reads, {{.type = type, .shape = shape, .values = {}}})[0];
}

}  // namespace ascendsim::networks
