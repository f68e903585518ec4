// SPDX-License-Identifier: Apache-2.0
// What training has beside the loops of gradients.cpp: batch norms by the batch's own statistics, and
// gradients of filters.
#include <algorithm>
#include <numeric>

#include "networks/operators/image_convolution.hpp"
#include "networks/operators/steps.hpp"
#include "networks/operators/windows.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;
using loops::Op;

constexpr std::uint64_t fractal_channels = 16;

/// All axes but the channels.
std::vector<std::size_t> batch_axes(const host::Shape& shape) {
    if (shape.size() < 2) {
        throw Refused{"{} has no channels", host::text(shape)};
    }
    std::vector<std::size_t> axes(shape.size() - 1);
    std::iota(axes.begin(), axes.end(), std::size_t{1});
    axes[0] = 0;
    return axes;
}

host::Shape one_a_channel(const host::Shape& shape) {
    host::Shape result(shape.size(), 1);
    result.at(1) = shape[1];
    return result;
}

/// y, and mean and 1 / deviation of each channel in float32.
Lowered batch_norm_training(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const host::Shape& shape = x.tensor.shape;
    const std::vector<std::size_t> axes = batch_axes(shape);
    const host::Shape channels = one_a_channel(shape);
    const DataType type = x.tensor.type;
    const DataType wide = wide_type(x.tensor.type);
    const Part mean = steps.reduce(Op::reduce_mean, steps.cast(x, wide), axes);
    LoopOf squares{{x, mean}};
    const std::size_t apart =
        squares.step(Op::sub, {squares.step(Op::cast, {0}, shape, wide), 1}, shape, wide);
    const Part square =
        steps.run(squares.outputs({squares.step(Op::square, {apart}, shape, wide)}), {x, mean})[0];
    const Part variance = steps.reduce(Op::reduce_mean, square, axes);
    LoopOf root{{variance}};
    const std::size_t safe = root.step(Op::scale, {0}, channels, wide, {1, with.node.real("epsilon", 1e-5)});
    const Part inverse =
        steps.run(root.outputs({root.step(Op::rsqrt, {safe}, channels, wide)}), {variance})[0];
    const Part scale = Steps::seen(steps.operand(1), channels);
    const Part bias = Steps::seen(steps.operand(2), channels);
    const std::vector<Part> reads{x, mean, inverse, scale, bias};
    LoopOf loop{reads};
    const std::size_t centred = loop.step(Op::sub, {loop.step(Op::cast, {0}, shape, wide), 1}, shape, wide);
    const std::size_t normal = loop.step(Op::mul, {centred, 2}, shape, wide);
    const std::size_t scaled =
        loop.step(Op::mul, {normal, loop.step(Op::cast, {3}, channels, wide)}, shape, wide);
    const std::size_t moved =
        loop.step(Op::add, {scaled, loop.step(Op::cast, {4}, channels, wide)}, shape, wide);
    const Part y = steps.run(loop.outputs({loop.step(Op::cast, {moved}, shape, type)}), reads)[0];
    Lowered lowered = steps.done({y, Steps::seen(mean, {shape[1]}), Steps::seen(inverse, {shape[1]})});
    lowered.keeps_types = true;
    return lowered;
}

/// With n the normalised x, and sums over all but the channels, of N elements each:
/// scale inverse (g - sum(g) / N - n sum(g n) / N); sum(g n); sum(g).
Lowered batch_norm_grad(const Operator& with) {
    Steps steps{with};
    const Part g = steps.operand(0);
    const Part x = steps.operand(1);
    const host::Shape& shape = x.tensor.shape;
    const std::vector<std::size_t> axes = batch_axes(shape);
    const host::Shape channels = one_a_channel(shape);
    const DataType type = x.tensor.type;
    const DataType wide = wide_type(x.tensor.type);
    const double count = static_cast<double>(x.tensor.count()) / static_cast<double>(shape[1]);
    const Part scale = Steps::seen(steps.operand(2), channels);
    const Part mean = Steps::seen(steps.operand(3), channels);
    const Part inverse = Steps::seen(steps.operand(4), channels);
    LoopOf products{{g, x, mean, inverse}};
    const auto normal_in = [&](LoopOf& loop) {
        const std::size_t centred =
            loop.step(Op::sub, {loop.step(Op::cast, {1}, shape, wide), 2}, shape, wide);
        return loop.step(Op::mul, {centred, 3}, shape, wide);
    };
    const std::size_t product =
        products.step(Op::mul, {products.step(Op::cast, {0}, shape, wide), normal_in(products)}, shape, wide);
    const Part along = steps.run(products.outputs({product}), {g, x, mean, inverse})[0];
    const Part sum = steps.reduce(Op::reduce_sum, steps.cast(g, wide), axes);
    const Part sum_along = steps.reduce(Op::reduce_sum, along, axes);
    const std::vector<Part> reads{g, x, mean, inverse, scale, sum, sum_along};
    LoopOf loop{reads};
    const auto part_of = [&](std::size_t value) {
        return loop.step(Op::scale, {value}, channels, wide, {1 / count, 0});
    };
    const std::size_t wide_g = loop.step(Op::cast, {0}, shape, wide);
    const std::size_t bent = loop.step(Op::mul, {normal_in(loop), part_of(6)}, shape, wide);
    const std::size_t centred = loop.step(Op::sub, {wide_g, part_of(5)}, shape, wide);
    const std::size_t rest = loop.step(Op::sub, {centred, bent}, shape, wide);
    const std::size_t factor =
        loop.step(Op::mul, {3, loop.step(Op::cast, {4}, channels, wide)}, channels, wide);
    const std::size_t result = loop.step(Op::mul, {rest, factor}, shape, wide);
    const Part of_x = steps.run(loop.outputs({loop.step(Op::cast, {result}, shape, type)}), reads)[0];
    return steps.done({of_x,
                       Steps::seen(steps.cast(sum_along, type), {shape[1]}),
                       Steps::seen(steps.cast(sum, type), {shape[1]})});
}

/// Windows of a convolution of images, and its extents.
struct FilterGrad {
    host::Shape g;  // NCHW, of the results' gradient
    host::Shape x;
    WindowAxis rows;
    WindowAxis columns;
    std::uint64_t groups = 1;

    [[nodiscard]] std::uint64_t outputs() const { return g[1] / groups; }

    [[nodiscard]] std::uint64_t inputs() const { return x[1] / groups; }

    [[nodiscard]] std::uint64_t taps() const { return static_cast<std::uint64_t>(rows.taps * columns.taps); }
};

FilterGrad filter_grad_of(const Operator& with) {
    FilterGrad of{.g = with.input(0).shape, .x = with.input(1).shape};
    const std::int64_t groups = with.node.integer("group", 1);
    if (groups < 1) {
        throw Refused{"{} groups of channels", groups};
    }
    of.groups = static_cast<std::uint64_t>(groups);
    const std::vector<std::int64_t> taps = with.node.integers("kernel_shape", {});
    if (of.x.size() > 4 || of.x.size() < 3) {
        throw Refused{"the gradient of filters over {}", with.input(1).text()};
    }
    const std::vector<WindowAxis> axes = windows_of(with, {of.x.begin() + 2, of.x.end()}, taps);
    of.columns = axes.back();
    if (axes.size() == 2) {
        of.rows = axes[0];
    } else {  // one axis is an image of a single row
        of.g.insert(of.g.begin() + 2, 1);
        of.x.insert(of.x.begin() + 2, 1);
    }
    return of;
}

/// NCHW as NC1HWC0.
Arrange blocks_of_channels(const host::Shape& shape) {
    return [shape](const std::vector<double>& plain) {
        const std::uint64_t image = shape[2] * shape[3];
        const std::uint64_t blocks = (shape[1] + fractal_channels - 1) / fractal_channels;
        std::vector<double> result(shape[0] * blocks * image * fractal_channels, 0);
        for (std::uint64_t i = 0; i < plain.size(); ++i) {
            const std::uint64_t channel = i / image % shape[1];
            const std::uint64_t row = i / image / shape[1] * blocks + channel / fractal_channels;
            result[(row * image + i % image) * fractal_channels + channel % fractal_channels] = plain[i];
        }
        return result;
    };
}

/// The kernel's sums [C1, taps, N, 16] as filters [outputs, inputs of a group, taps]: of several groups only
/// the blocks on the diagonal are wanted.
Arrange filters_of_sums(const FilterGrad& of) {
    const std::uint64_t wide = (of.g[1] + fractal_channels - 1) / fractal_channels * fractal_channels;
    return [of, wide](const std::vector<double>& sums) {
        std::vector<double> filters(of.g[1] * of.inputs() * of.taps());
        for (std::uint64_t i = 0; i < filters.size(); ++i) {
            const std::uint64_t out = i / of.taps() / of.inputs();
            const std::uint64_t in = out / of.outputs() * of.inputs() + i / of.taps() % of.inputs();
            const std::uint64_t row = (in / fractal_channels * of.taps() + i % of.taps()) * wide + out;
            filters[i] = sums[row * fractal_channels + in % fractal_channels];
        }
        return filters;
    };
}

/// True if the kernel conv_filter_grad takes the windows: the same on both axes, and few groups.
bool takes_filter(const FilterGrad& of, const ChipSpec& chip, DataType type) {
    const WindowAxis& r = of.rows;
    const WindowAxis& c = of.columns;
    constexpr std::int64_t most_taps = 15;
    constexpr std::int64_t most_stride = 8;
    constexpr std::int64_t most_extent = 4096;
    constexpr std::uint64_t most_groups = 1;  // of more, most of the product would be thrown away
    return chip.cores.split && (type == DataType::half || type == DataType::bfloat16) && r.taps == c.taps &&
           r.stride == c.stride && r.dilation == c.dilation && r.before == c.before && r.behind == r.before &&
           c.behind == c.before && r.taps <= most_taps && r.stride <= most_stride &&
           r.dilation <= most_taps + 1 && r.before < (r.taps - 1) * r.dilation + 1 &&
           r.extent <= most_extent && c.extent <= most_extent && r.extent * c.extent <= 65535 &&
           of.groups <= most_groups;
}

Part by_filter_kernel(Steps& steps, const FilterGrad& of, const host::Shape& shape) {
    const auto blocks = [](std::uint64_t channels) {
        return static_cast<std::int64_t>((channels + fractal_channels - 1) / fractal_channels);
    };
    const DataType type = steps.with().input(0).type;
    const host::Shape sums{static_cast<std::uint64_t>(blocks(of.x[1])) * of.taps(),
                           static_cast<std::uint64_t>(blocks(of.g[1])) * fractal_channels,
                           fractal_channels};
    Task task{.kernel = "conv_filter_grad",
              .knobs = {{"batch", static_cast<std::int64_t>(of.x[0])},
                        {"m1", blocks(of.g[1])},
                        {"c1", blocks(of.x[1])},
                        {"height", of.rows.extent},
                        {"width", of.columns.extent},
                        {"filter", of.rows.taps},
                        {"stride", of.rows.stride},
                        {"dilation", of.rows.dilation},
                        {"pad", of.rows.before},
                        {"dtype", std::string{isa::name(type)}}}};
    task.arranged = {blocks_of_channels(of.g), blocks_of_channels(of.x)};
    task.taken = filters_of_sums(of);
    const Part zeros = Steps::table(DataType::float32, sums, std::vector<double>(host::elements(sums), 0));
    const Part filters = steps.run(std::move(task),
                                   {steps.operand(0), steps.operand(1), zeros},
                                   {{.type = DataType::float32, .shape = shape, .values = {}}})[0];
    return steps.cast(filters, type);
}

/// Rows of output channels by columns of what windows see, for each group; the depth are all positions.
Part by_filter_product(Steps& steps, const FilterGrad& of, const host::Shape& shape) {
    const std::uint64_t positions = of.g[2] * of.g[3];
    const std::uint64_t depth = of.g[0] * positions;
    const std::uint64_t columns = of.inputs() * of.taps();
    const std::vector<std::int64_t> places = window_places({of.rows, of.columns});
    const std::uint64_t plane = of.x[2] * of.x[3];
    Task task{.kernel = "matmul"};
    // [groups, outputs, batch, positions] of [batch, groups * outputs, positions]
    task.arranged.push_back(by_places(of.g[1] * depth, [of, depth, positions](std::uint64_t i) {
        const std::uint64_t image = i % depth / positions;
        return static_cast<std::int64_t>((image * of.g[1] + i / depth) * positions + i % positions);
    }));
    // [groups, batch, positions, inputs, taps]
    task.arranged.push_back(by_places(
        of.groups * depth * columns, [of, depth, columns, positions, plane, places](std::uint64_t i) {
            const std::uint64_t at = i / columns % depth;
            const std::uint64_t channel = i / columns / depth * of.inputs() + i % columns / of.taps();
            const std::int64_t place = places[at % positions * of.taps() + i % of.taps()];
            const std::uint64_t base = (at / positions * of.x[1] + channel) * plane;
            return place < 0 ? -1 : static_cast<std::int64_t>(base) + place;
        }));
    const DataType type = steps.with().input(0).type;
    const auto number = [](std::uint64_t count) { return static_cast<std::int64_t>(count); };
    task.knobs = {{"m", number(of.outputs())},
                  {"n", number(columns)},
                  {"k", number(depth)},
                  {"dtype", std::string{isa::name(type)}},
                  {"groups", number(of.groups)}};
    return steps.run(std::move(task),
                     {steps.operand(0), steps.operand(1)},
                     {{.type = type, .shape = shape, .values = {}}})[0];
}

Lowered conv_filter_gradient(const Operator& with) {
    Steps steps{with};
    const FilterGrad of = filter_grad_of(with);
    host::Shape shape{of.g[1], of.inputs()};
    for (const std::int64_t taps : with.node.integers("kernel_shape", {})) {
        shape.push_back(static_cast<std::uint64_t>(taps));
    }
    if (takes_filter(of, *with.chip, with.input(0).type)) {
        return steps.done({by_filter_kernel(steps, of, shape)});
    }
    if (with.chip->arch != "2201") {
        throw Refused{"the product of gathered windows on {}, whose matrices are whole blocks",
                      with.chip->name};
    }
    return steps.done({by_filter_product(steps, of, shape)},
                      "windows are laid beside each other, which takes no time here, and multiplied");
}

}  // namespace

Operators training_operators() {
    return {{"BatchNormTraining", batch_norm_training},
            {"BatchNormGrad", batch_norm_grad},
            {"ConvFilterGrad", conv_filter_gradient}};
}

}  // namespace ascendsim::networks
