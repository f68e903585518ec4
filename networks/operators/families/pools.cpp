// SPDX-License-Identifier: Apache-2.0
// Pooling with windows.
#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "networks/operators/steps.hpp"
#include "networks/operators/windows.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;
using loops::Op;
using Indices = std::vector<std::int64_t>;

constexpr std::uint64_t most_gathered = 32768;  // elements of windows that the kernel `pool` does not take
constexpr const char* gathered_windows_note = "windows are gathered by an index, and reduced";

struct Pool {
    Part x;
    std::vector<WindowAxis> axes;
    std::uint64_t images = 1;   // batch times channels
    std::uint64_t image = 1;    // elements of one
    std::uint64_t windows = 1;  // of one
    std::uint64_t taps = 1;
    host::Shape out;
};

Pool pool_of(const Operator& with, const Steps& steps) {
    Pool pool{.x = steps.operand(0), .axes = {}};
    const host::Shape& shape = pool.x.tensor.shape;
    if (shape.size() < 3) {
        throw Refused{"a pool of {}", pool.x.tensor.text()};
    }
    const host::Shape extents{shape.begin() + 2, shape.end()};
    pool.axes = windows_of(with, extents, with.node.integers("kernel_shape", {}));
    pool.images = shape[0] * shape[1];
    pool.image = host::elements(extents);
    pool.out = {shape[0], shape[1]};
    for (const WindowAxis& axis : pool.axes) {
        pool.windows *= static_cast<std::uint64_t>(axis.out);
        pool.taps *= static_cast<std::uint64_t>(axis.taps);
        pool.out.push_back(static_cast<std::uint64_t>(axis.out));
    }
    return pool;
}

/// [images, windows, taps] of the operand; a place of -1 stays one.
Part gathered(Steps& steps, const Pool& pool, const Indices& places) {
    Indices from;
    for (std::uint64_t image = 0; image < pool.images; ++image) {
        for (const std::int64_t place : places) {
            from.push_back(place < 0 ? -1 : place + static_cast<std::int64_t>(image * pool.image));
        }
    }
    return steps.moved(pool.x, {pool.images, pool.windows, pool.taps}, from);
}

/// Padding takes the place of an element of the same window, which leaves the largest as it is.
Indices without_padding(Indices places, std::uint64_t taps) {
    for (std::size_t window = 0; window < places.size(); window += taps) {
        const auto begin = places.begin() + static_cast<std::ptrdiff_t>(window);
        const auto end = begin + static_cast<std::ptrdiff_t>(taps);
        const std::int64_t inside = *std::max_element(begin, end);
        if (inside < 0) {
            throw Refused{"a window that holds nothing but padding"};
        }
        std::replace(begin, end, std::int64_t{-1}, inside);
    }
    return places;
}

/// How many elements each window divides its sum by.
std::vector<double> divisors(const Pool& pool, bool with_padding) {
    std::vector<WindowAxis> axes = pool.axes;
    for (WindowAxis& axis : axes) {  // with padding, what is padded counts as inside, and nothing beyond
        axis.extent += with_padding ? axis.before + axis.behind : 0;
        axis.before = with_padding ? 0 : axis.before;
    }
    const Indices places = window_places(axes);
    std::vector<double> counts(pool.windows, 0);
    for (std::size_t i = 0; i < places.size(); ++i) {
        counts[i / pool.taps] += places[i] >= 0 ? 1 : 0;
    }
    for (double& count : counts) {
        count = 1 / std::max(count, 1.0);
    }
    return counts;
}

/// The kernel `pool` takes floats, and padding within the reach of a window.
bool by_kernel(const Pool& pool, bool with_padding, bool round_up) {
    const DataType type = pool.x.tensor.type;
    return is_real(type) && type != DataType::float64 && pool.axes.size() <= 3 && !pool.x.known() &&
           !(with_padding && round_up) && std::ranges::all_of(pool.axes, [](const WindowAxis& axis) {
               const std::int64_t span = (axis.taps - 1) * axis.dilation + 1;
               return axis.before < span && axis.behind < span && axis.extent > 0;
           });
}

/// On chips that copy whole blocks, pools take blocks of channels.
bool in_blocks(const Steps& steps, const Pool& pool) {
    const DataType type = pool.x.tensor.type;
    return !steps.copies_bytes() && !pool.x.known() && is_real(type) && type != DataType::float64 &&
           pool.axes.size() <= 2;
}

Part pooled(Steps& steps, const Pool& pool, const char* op, bool with_padding) {
    host::Shape taps;
    host::Shape strides;
    host::Shape dilations;
    host::Shape pads(2 * pool.axes.size());
    for (std::size_t i = 0; i < pool.axes.size(); ++i) {
        const WindowAxis& axis = pool.axes[i];
        taps.push_back(static_cast<std::uint64_t>(axis.taps));
        strides.push_back(static_cast<std::uint64_t>(axis.stride));
        dilations.push_back(static_cast<std::uint64_t>(axis.dilation));
        pads[i] = static_cast<std::uint64_t>(axis.before);
        pads[pool.axes.size() + i] = static_cast<std::uint64_t>(axis.behind);
    }
    return steps.run({.kernel = "pool",
                      .knobs = {{"shape", pool.x.tensor.shape},
                                {"window", taps},
                                {"strides", strides},
                                {"dilations", dilations},
                                {"pads", pads},
                                {"op", std::string{op}},
                                {"round_up", steps.with().node.integer("ceil_mode", 0) != 0},
                                {"count_padding", with_padding},
                                {"dtype", type_word(pool.x.tensor.type)}}},
                     {pool.x},
                     {{.type = pool.x.tensor.type, .shape = pool.out, .values = {}}})[0];
}

void check_small(const Pool& pool) {
    if (pool.images * pool.windows * pool.taps > most_gathered) {
        throw Refused{
            "the kernel pool does not take these windows of {}, and there are more than {} elements to "
            "gather",
            pool.x.tensor.text(),
            most_gathered};
    }
}

/// The place of the largest element in the whole operand; the first, where several are.
Part places_of_largest(Steps& steps, const Pool& pool, const Part& rows, const Part& most, bool by_columns) {
    Indices places = without_padding(window_places(pool.axes), pool.taps);
    if (by_columns && pool.axes.size() == 2) {
        const std::int64_t height = pool.axes[0].extent;
        const std::int64_t width = pool.axes[1].extent;
        for (std::int64_t& place : places) {
            place = place % width * height + place / width;
        }
    }
    std::vector<double> all;
    for (std::uint64_t image = 0; image < pool.images; ++image) {
        for (const std::int64_t place : places) {
            all.push_back(static_cast<double>(place) + static_cast<double>(image * pool.image));
        }
    }
    const host::Shape& shape = rows.tensor.shape;
    constexpr double exact = 16777216;  // whole numbers up to 2^24 are floats
    if (static_cast<double>(pool.images * pool.image) > exact) {
        throw Refused{"indices beyond 2^24"};
    }
    const Part index = Steps::table(DataType::float32, shape, std::move(all));
    LoopOf loop{{rows, most, index}};
    const host::Shape kept{shape[0], shape[1], 1};
    const std::size_t beyond = loop.step(Op::constant, {}, {}, DataType::float32, {exact});
    const std::size_t same = loop.step(Op::equal, {0, 1}, shape, DataType::boolean);
    const std::size_t chosen = loop.step(Op::where, {same, 2, beyond}, shape, DataType::float32);
    const std::size_t least = loop.step(Op::reduce_min, {chosen}, kept, DataType::float32, {}, {2});
    const Part first = steps.run(loop.outputs({least}), {rows, most, index})[0];
    return steps.cast(first, DataType::int64);
}

Lowered max_pool(const Operator& with) {
    Steps steps{with};
    const Pool pool = pool_of(with, steps);
    const bool indices = with.node.outputs.size() > 1;
    if (!indices && in_blocks(steps, pool)) {
        return steps.done({steps.over_windows(Op::maximum, pool.x, pool.axes)});
    }
    if (!indices && by_kernel(pool, false, false)) {
        return steps.done({pooled(steps, pool, "max", false)});
    }
    check_small(pool);
    const Part rows = gathered(steps, pool, without_padding(window_places(pool.axes), pool.taps));
    const Part most = steps.reduce(Op::reduce_max, rows, {2});
    std::vector<Part> results{Steps::seen(most, pool.out)};
    if (indices) {
        const bool by_columns = with.node.integer("storage_order", 0) != 0;
        results.push_back(Steps::seen(places_of_largest(steps, pool, rows, most, by_columns), pool.out));
    }
    return steps.done(results, gathered_windows_note);
}

Lowered average_pool(const Operator& with) {
    Steps steps{with};
    const Pool pool = pool_of(with, steps);
    const bool with_padding = with.node.integer("count_include_pad", 0) != 0;
    if (in_blocks(steps, pool)) {
        const Part sum = steps.over_windows(Op::add, pool.x, pool.axes);
        host::Shape image = pool.out;
        image[0] = image[1] = 1;
        const Part factors = Steps::table(sum.tensor.type, image, divisors(pool, with_padding));
        return steps.done({steps.element(Op::mul, {sum, factors})});
    }
    if (by_kernel(pool, with_padding, with.node.integer("ceil_mode", 0) != 0)) {
        return steps.done({pooled(steps, pool, "mean", with_padding)});
    }
    check_small(pool);
    const Part rows = gathered(steps, pool, window_places(pool.axes));
    const Part sum = Steps::seen(steps.reduce(Op::reduce_sum, rows, {2}), pool.out);
    host::Shape image = pool.out;
    image[0] = image[1] = 1;
    const Part factors = Steps::table(sum.tensor.type, image, divisors(pool, with_padding));
    return steps.done({steps.element(Op::mul, {sum, factors})}, gathered_windows_note);
}

/// x divided by (bias + alpha / size times the squares of the channels around it) to the power of beta.
Lowered local_response(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const host::Shape& shape = x.tensor.shape;
    const std::int64_t size = with.node.integer("size", 1);
    if (shape.size() < 3 || size < 1 || x.tensor.count() * static_cast<std::uint64_t>(size) > (1U << 20U)) {
        throw Refused{"a norm over {} channels of {}", size, x.tensor.text()};
    }
    const Indices own = strides_of(shape);
    const auto channels = static_cast<std::int64_t>(shape[1]);
    Indices from;
    for (const std::int64_t place : places(shape, own)) {
        const std::int64_t channel = place / own[1] % channels;
        for (std::int64_t tap = -(size - 1) / 2; tap <= size / 2; ++tap) {
            const bool inside = channel + tap >= 0 && channel + tap < channels;
            from.push_back(inside ? place + tap * own[1] : -1);
        }
    }
    const Part around = steps.moved(
        steps.element(Op::square, {x}), {x.tensor.count(), static_cast<std::uint64_t>(size)}, from);
    const Part sum = Steps::seen(steps.reduce(Op::reduce_sum, around, {1}), shape);
    const Part base =
        steps.element(Op::scale,
                      {sum},
                      {with.node.real("alpha", 1e-4) / static_cast<double>(size), with.node.real("bias", 1)});
    const Part divisor = steps.element(Op::power, {base}, {-with.node.real("beta", 0.75)});
    return steps.done({steps.element(Op::mul, {x, divisor})});
}

}  // namespace

Operators pools_operators() {
    return {{"MaxPool", max_pool}, {"AveragePool", average_pool}, {"LRN", local_response}};
}

}  // namespace ascendsim::networks
