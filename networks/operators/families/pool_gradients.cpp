// SPDX-License-Identifier: Apache-2.0
// The gradient of maxima of windows, in blocks of 16 channels as images lie between convolutions:
// [batch * channels / 16, height, width, 16].
//
// A first kernel gives each tap t of a window o what it gets: c_t[o] = g[o] if x[o s + t] is the window's
// largest and no tap before is. A second adds up what places get of several windows: a place q = i s + phase,
// counted from the padding on, is tap t = phase + d s of window i - d. Places of one phase are one result.
#include <algorithm>
#include <limits>
#include <utility>

#include "networks/operators/image_convolution.hpp"
#include "networks/operators/steps.hpp"
#include "networks/operators/windows.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;
using loops::Op;

constexpr std::uint64_t block_of_channels = 16;

/// Windows on one axis with as many in front as reach back from a place.
struct RoutedAxis {
    std::int64_t extent = 1;  // of the operand
    std::int64_t out = 1;     // windows
    std::int64_t taps = 1;
    std::int64_t stride = 1;
    std::int64_t pad = 0;

    explicit RoutedAxis(const WindowAxis& of)
        : extent{of.extent}, out{of.out}, taps{of.taps}, stride{of.stride}, pad{of.before} {}

    /// Windows before the one that a place begins in, of which it is a tap, too.
    [[nodiscard]] std::int64_t back() const { return (taps - 1) / stride; }

    /// Places of a phase.
    [[nodiscard]] std::int64_t places() const { return (extent - 1 + pad) / stride + 1; }

    /// Windows, with those that are not there and get nothing.
    [[nodiscard]] std::int64_t windows() const { return back() + std::max(places(), out); }

    /// Elements of the operand below these.
    [[nodiscard]] std::int64_t reach() const { return (windows() - 1) * stride + taps; }

    /// The operand's element at a place below these; out of range: padding.
    [[nodiscard]] std::int64_t element(std::int64_t place) const { return place - back() * stride - pad; }
};

struct RoutedPool {
    RoutedAxis rows;
    RoutedAxis columns;
    std::uint64_t batch = 1;
    std::uint64_t channels = 1;

    [[nodiscard]] std::uint64_t blocks() const {
        return batch * ((channels + block_of_channels - 1) / block_of_channels);
    }

    [[nodiscard]] host::Shape blocked(std::int64_t height, std::int64_t width) const {
        return {blocks(),
                static_cast<std::uint64_t>(height),
                static_cast<std::uint64_t>(width),
                block_of_channels};
    }

    [[nodiscard]] host::Shape windows() const { return blocked(rows.windows(), columns.windows()); }

    [[nodiscard]] host::Shape places() const { return blocked(rows.places(), columns.places()); }

    /// True if no place is in several windows.
    [[nodiscard]] bool apart() const { return rows.back() == 0 && columns.back() == 0; }
};

/// NCHW in blocks, with other extents: `row` and `column` are the elements that lie at a place, out of range
/// `fill`.
template <class Place>
Arrange into_blocks(
    const RoutedPool& pool, host::Shape image, host::Shape shape, double fill, Place row, Place column) {
    return [=](const std::vector<double>& plain) {
        std::vector<double> result(host::elements(shape), fill);
        const std::uint64_t blocks = pool.blocks() / pool.batch;
        for (std::uint64_t i = 0; i < result.size(); ++i) {
            const std::uint64_t lane = i % block_of_channels;
            const std::uint64_t place = i / block_of_channels;
            const std::int64_t w = column(static_cast<std::int64_t>(place % shape[2]));
            const std::int64_t h = row(static_cast<std::int64_t>(place / shape[2] % shape[1]));
            const std::uint64_t block = place / shape[2] / shape[1];
            const std::uint64_t channel = block % blocks * block_of_channels + lane;
            const bool inside = channel < pool.channels && h >= 0 && w >= 0 &&
                                h < static_cast<std::int64_t>(image[0]) &&
                                w < static_cast<std::int64_t>(image[1]);
            if (inside) {
                const std::uint64_t plane = block / blocks * pool.channels + channel;
                result[i] = plain[(plane * image[0] + static_cast<std::uint64_t>(h)) * image[1] +
                                  static_cast<std::uint64_t>(w)];
            }
        }
        return result;
    };
}

using Extent = std::function<std::int64_t(std::int64_t)>;

Arrange operand_in_blocks(const RoutedPool& pool) {
    const host::Shape image{static_cast<std::uint64_t>(pool.rows.extent),
                            static_cast<std::uint64_t>(pool.columns.extent)};
    return into_blocks<Extent>(
        pool,
        image,
        pool.blocked(pool.rows.reach(), pool.columns.reach()),
        -std::numeric_limits<double>::infinity(),
        [axis = pool.rows](std::int64_t place) { return axis.element(place); },
        [axis = pool.columns](std::int64_t place) { return axis.element(place); });
}

Arrange windows_in_blocks(const RoutedPool& pool, double fill) {
    const host::Shape image{static_cast<std::uint64_t>(pool.rows.out),
                            static_cast<std::uint64_t>(pool.columns.out)};
    return into_blocks<Extent>(
        pool,
        image,
        pool.windows(),
        fill,
        [axis = pool.rows](std::int64_t place) { return place - axis.back(); },
        [axis = pool.columns](std::int64_t place) { return place - axis.back(); });
}

/// Phases, one behind the other, as NCHW. A phase that no tap has is left out, and its places get nothing.
Arrange out_of_phases(const RoutedPool& pool) {
    return [pool](const std::vector<double>& phases) {
        const std::int64_t down = std::min(pool.rows.stride, pool.rows.taps);
        const std::int64_t across = std::min(pool.columns.stride, pool.columns.taps);
        const host::Shape shape = pool.apart() ? pool.windows() : pool.places();
        const std::uint64_t each = host::elements(shape);
        const std::uint64_t blocks = pool.blocks() / pool.batch;
        const auto image = static_cast<std::uint64_t>(pool.rows.extent * pool.columns.extent);
        std::vector<double> result(pool.batch * pool.channels * image, 0);
        for (std::uint64_t i = 0; i < result.size(); ++i) {
            const auto at = static_cast<std::int64_t>(i % image);
            const std::int64_t h = at / pool.columns.extent + pool.rows.pad;
            const std::int64_t w = at % pool.columns.extent + pool.columns.pad;
            const std::int64_t row = h % pool.rows.stride;
            const std::int64_t column = w % pool.columns.stride;
            if (row < down && column < across) {
                const std::uint64_t channel = i / image % pool.channels;
                const std::uint64_t block = i / image / pool.channels * blocks + channel / block_of_channels;
                const auto phase = static_cast<std::uint64_t>(row * across + column);
                const auto y = static_cast<std::uint64_t>(h / pool.rows.stride);
                const auto x = static_cast<std::uint64_t>(w / pool.columns.stride);
                result[i] =
                    phases.at(phase * each + ((block * shape[1] + y) * shape[2] + x) * block_of_channels +
                              channel % block_of_channels);
            }
        }
        return result;
    };
}

/// What each tap of each window gets.
loops::Loop loop_of_taps(const RoutedPool& pool, DataType type) {
    const host::Shape windows = pool.windows();
    const Tensor window{.type = type, .shape = windows, .values = {}};
    const Tensor image{
        .type = type, .shape = pool.blocked(pool.rows.reach(), pool.columns.reach()), .values = {}};
    LoopOf loop{{{window, 0}, {image, 1}, {window, 2}}};
    const std::size_t zero = loop.step(Op::constant, {}, {}, type, {0});
    std::size_t rest = 0;
    std::vector<std::size_t> outputs;
    for (std::int64_t row = 0; row < pool.rows.taps; ++row) {
        for (std::int64_t column = 0; column < pool.columns.taps; ++column) {
            const std::vector<double> start_and_step{0,
                                                     1,
                                                     static_cast<double>(row),
                                                     static_cast<double>(pool.rows.stride),
                                                     static_cast<double>(column),
                                                     static_cast<double>(pool.columns.stride),
                                                     0,
                                                     1};
            const std::size_t x = loop.step(Op::slice, {1}, windows, type, start_and_step);
            const std::size_t same = loop.step(Op::equal, {x, 2}, windows, DataType::boolean);
            outputs.push_back(loop.step(Op::where, {same, rest, zero}, windows, type));
            rest = loop.step(Op::where, {same, zero, rest}, windows, type);
        }
    }
    return loop.outputs(outputs);
}

/// Sums over the windows that places are in, phase by phase.
loops::Loop loop_of_phases(const RoutedPool& pool, DataType type) {
    const RoutedAxis& rows = pool.rows;
    const RoutedAxis& columns = pool.columns;
    const Tensor window{.type = type, .shape = pool.windows(), .values = {}};
    const host::Shape places = pool.places();
    LoopOf loop{std::vector<Part>(static_cast<std::size_t>(rows.taps * columns.taps), Part{window, 0})};
    std::vector<std::size_t> outputs;
    for (std::int64_t phase = 0; phase < rows.stride * columns.stride; ++phase) {
        std::optional<std::size_t> sum;
        for (std::int64_t row = phase / columns.stride; row < rows.taps; row += rows.stride) {
            for (std::int64_t column = phase % columns.stride; column < columns.taps;
                 column += columns.stride) {
                const double down = static_cast<double>(rows.back() - row / rows.stride);
                const double across = static_cast<double>(columns.back() - column / columns.stride);
                const auto tap = static_cast<std::size_t>(row * columns.taps + column);
                const std::size_t part =
                    loop.step(Op::slice, {tap}, places, type, {0, 1, down, 1, across, 1, 0, 1});
                sum = sum ? loop.step(Op::add, {*sum, part}, places, type)
                          : loop.step(Op::copy, {part}, places, type);
            }
        }
        if (sum) {
            outputs.push_back(*sum);
        }
    }
    return loop.outputs(outputs);
}

/// On kernels, if their tensors are not too many.
Part by_blocks(Steps& steps, const RoutedPool& pool, const Tensor& like) {
    Task taps{.loop = std::make_shared<const loops::Loop>(loop_of_taps(pool, like.type))};
    taps.arranged = {windows_in_blocks(pool, 0),
                     operand_in_blocks(pool),
                     windows_in_blocks(pool, std::numeric_limits<double>::infinity())};
    const std::vector<Part> reads{steps.operand(0), steps.operand(1), steps.operand(2)};
    if (pool.apart()) {
        taps.taken = out_of_phases(pool);
        return steps.run(std::move(taps), reads, {like})[0];
    }
    const Tensor window{.type = like.type, .shape = pool.windows(), .values = {}};
    const std::vector<Part> parts =
        steps.run(std::move(taps),
                  reads,
                  std::vector<Tensor>(static_cast<std::size_t>(pool.rows.taps * pool.columns.taps), window));
    Task phases{.loop = std::make_shared<const loops::Loop>(loop_of_phases(pool, like.type))};
    phases.taken = out_of_phases(pool);
    return steps.run(std::move(phases), parts, {like})[0];
}

/// Each window's gradient goes to its largest element; to the first, where several are.
std::vector<double> routed(const std::vector<std::vector<double>>& operands,
                           const std::vector<std::int64_t>& places,
                           std::uint64_t taps,
                           std::uint64_t plane) {
    const std::vector<double>& g = operands.at(0);
    const std::vector<double>& x = operands.at(1);
    const std::vector<double>& y = operands.at(2);
    std::vector<double> result(x.size(), 0);
    const std::uint64_t windows = places.size() / taps;
    for (std::uint64_t i = 0; i < g.size(); ++i) {
        const std::uint64_t base = i / windows * plane;
        for (std::uint64_t tap = 0; tap < taps; ++tap) {
            const std::int64_t place = places[i % windows * taps + tap];
            if (place >= 0 && x[base + static_cast<std::uint64_t>(place)] == y[i]) {
                result[base + static_cast<std::uint64_t>(place)] += g[i];
                break;
            }
        }
    }
    return result;
}

/// True if the loops take the windows.
bool takes_blocks(const std::vector<WindowAxis>& axes, const Tensor& x, const ChipSpec& chip) {
    constexpr std::int64_t most_taps = 16;  // tensors of a generated kernel
    std::int64_t taps = 1;
    bool dense = true;
    for (const WindowAxis& axis : axes) {
        taps *= axis.taps;
        dense = dense && axis.dilation == 1;
    }
    return !x.known() && is_real(x.type) && x.type != DataType::float64 && dense && axes.size() <= 2 &&
           taps <= most_taps && chip.cores.split;
}

Lowered max_pool_grad(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(1);
    const host::Shape& shape = x.tensor.shape;
    if (shape.size() < 3) {
        throw Refused{"a pool of {}", x.tensor.text()};
    }
    const host::Shape extents{shape.begin() + 2, shape.end()};
    const std::vector<WindowAxis> axes = windows_of(with, extents, with.node.integers("kernel_shape", {}));
    if (takes_blocks(axes, x.tensor, *with.chip)) {
        const RoutedPool pool{.rows = RoutedAxis{axes.size() == 2 ? axes[0] : WindowAxis{}},
                              .columns = RoutedAxis{axes.back()},
                              .batch = shape[0],
                              .channels = shape[1]};
        return steps.done(
            {by_blocks(steps, pool, x.tensor)},
            "in blocks of 16 channels; the conversion from and to this layout is not simulated");
    }
    const std::vector<std::int64_t> places = window_places(axes);
    std::uint64_t taps = 1;
    for (const WindowAxis& axis : axes) {
        taps *= static_cast<std::uint64_t>(axis.taps);
    }
    const std::uint64_t plane = host::elements(extents);
    return steps.done(steps.on_host(
        [places, taps, plane](const std::vector<std::vector<double>>& operands) {
            return std::vector<std::vector<double>>{routed(operands, places, taps, plane)};
        },
        {steps.operand(0), x, steps.operand(2)},
        {x.tensor}));
}

}  // namespace

Operators pool_gradients_operators() {
    return {{"MaxPoolGrad", max_pool_grad}};
}

}  // namespace ascendsim::networks
