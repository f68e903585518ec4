// SPDX-License-Identifier: Apache-2.0
// Images in another size: each element is a weighted sum of elements that lie around its place.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

using loops::Op;
using Indices = std::vector<std::int64_t>;

/// For each element of an axis: which it takes, and how much of each.
struct Taps {
    std::size_t each = 1;
    Indices places;
    std::vector<double> weights;
};

struct Mode {
    std::string mode;         // nearest, linear, cubic
    std::string coordinates;  // how a place of the result becomes one of the operand
    std::string nearest;
    double cubic = -0.75;
    bool exclude_outside = false;
    double outside = 0;
};

double coordinate(
    const Mode& how, double at, double scale, double extent, double length, double begin, double end) {
    if (how.coordinates == "align_corners") {
        return length > 1 ? at * (extent - 1) / (length - 1) : 0;
    }
    if (how.coordinates == "asymmetric") {
        return at / scale;
    }
    if (how.coordinates == "pytorch_half_pixel") {
        return length > 1 ? (at + 0.5) / scale - 0.5 : 0;
    }
    if (how.coordinates == "tf_crop_and_resize") {
        return length > 1 ? begin * (extent - 1) + at * (end - begin) * (extent - 1) / (length - 1)
                          : 0.5 * (begin + end) * (extent - 1);
    }
    if (how.coordinates == "tf_half_pixel_for_nn") {
        return (at + 0.5) / scale;
    }
    if (how.coordinates == "half_pixel") {
        return (at + 0.5) / scale - 0.5;
    }
    throw Refused{"coordinates by '{}'", how.coordinates};
}

double rounded(const Mode& how, double x) {
    if (how.nearest == "floor") {
        return std::floor(x);
    }
    if (how.nearest == "ceil") {
        return std::ceil(x);
    }
    return how.nearest == "round_prefer_ceil" ? std::floor(x + 0.5) : std::ceil(x - 0.5);
}

std::vector<double> weights_of(const Mode& how, double fraction) {
    if (how.mode == "nearest") {
        return {1};
    }
    if (how.mode == "linear") {
        return {1 - fraction, fraction};
    }
    const double a = how.cubic;  // Keys, Cubic convolution interpolation for digital image processing, 1981
    const auto near = [a](double t) { return ((a + 2) * t - (a + 3)) * t * t + 1; };
    const auto far = [a](double t) { return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a; };
    return {far(1 + fraction), near(fraction), near(1 - fraction), far(2 - fraction)};
}

struct Axis {
    std::uint64_t extent = 1;
    std::uint64_t length = 1;
    double scale = 1;
    double begin = 0;
    double end = 1;
};

Taps taps_of(const Mode& how, const Axis& axis) {
    Taps taps;
    const auto last = static_cast<double>(axis.extent) - 1;
    for (std::uint64_t i = 0; i < axis.length; ++i) {
        const double x = coordinate(how,
                                    static_cast<double>(i),
                                    axis.scale,
                                    static_cast<double>(axis.extent),
                                    axis.scale * static_cast<double>(axis.extent),
                                    axis.begin,
                                    axis.end);
        const double base = how.mode == "nearest" ? rounded(how, x) : std::floor(x);
        std::vector<double> weights = weights_of(how, x - std::floor(x));
        const double first = how.mode == "cubic" ? base - 1 : base;
        double sum = 0;
        for (std::size_t tap = 0; tap < weights.size(); ++tap) {
            const double at = first + static_cast<double>(tap);
            const bool inside = at >= 0 && at <= last;
            weights[tap] = how.exclude_outside && !inside ? 0 : weights[tap];
            sum += weights[tap];
            taps.places.push_back(static_cast<std::int64_t>(std::clamp(at, 0.0, last)));
        }
        const bool beyond = how.coordinates == "tf_crop_and_resize" && (x < 0 || x > last);
        for (double& weight : weights) {
            weight = how.exclude_outside ? weight / sum : weight;
            weight = beyond ? std::nan("") : weight;  // stands for the value of what lies outside
        }
        taps.each = weights.size();
        taps.weights.insert(taps.weights.end(), weights.begin(), weights.end());
    }
    return taps;
}

/// How often each place is taken, if each is as often as the others, in order; 0 if not.
std::uint64_t repeats_of(const Taps& taps, std::uint64_t extent, std::uint64_t length) {
    const std::uint64_t often = length / extent;
    if (taps.each != 1 || often * extent != length) {
        return 0;
    }
    for (std::uint64_t i = 0; i < length; ++i) {
        if (taps.places[i] != static_cast<std::int64_t>(i / often) || taps.weights[i] != 1) {
            return 0;
        }
    }
    return often;
}

/// Whole rows behind an axis, each copied `often`.
Part along_by_rows(Steps& steps, const Part& x, std::size_t axis, std::uint64_t inner, std::uint64_t often) {
    host::Shape out = x.tensor.shape;
    out[axis] *= often;
    return steps.run({.kernel = "rearrange",
                      .knobs = {{"kind", std::string{"tile"}},
                                {"shape", host::Shape{x.tensor.count() / inner, 1, inner}},
                                {"repeats", host::Shape{1, often, 1}},
                                {"dtype", type_word(x.tensor.type, true)}}},
                     {x},
                     {{.type = x.tensor.type, .shape = out, .values = {}}})[0];
}

/// The same as a product with a matrix of the weights: for tensors that no core holds as a table to gather
/// from. An element that is not finite makes its whole row so, since it is multiplied with zeros as well.
Part along_by_product(Steps& steps, const Part& x, std::size_t axis, const Taps& taps, std::uint64_t length) {
    const std::uint64_t extent = x.tensor.shape[axis];
    std::vector<double> matrix(extent * length, 0);
    for (std::uint64_t i = 0; i < length * taps.each; ++i) {
        matrix.at(static_cast<std::uint64_t>(taps.places[i]) * length + i / taps.each) += taps.weights[i];
    }
    host::Shape order(x.tensor.shape.size());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[axis], order.back());
    const Part rows = steps.transposed(x, order);
    host::Shape shape = rows.tensor.shape;
    shape.back() = length;
    const Part y = steps.product(Steps::seen(rows, {x.tensor.count() / extent, extent}),
                                 Steps::table(x.tensor.type, {extent, length}, std::move(matrix)));
    return steps.transposed(Steps::seen(y, shape), order);
}

/// Along one axis. Taps become columns of their own, which are weighed and summed.
Part along(
    Steps& steps, const Part& x, std::size_t axis, const Taps& taps, std::uint64_t length, double outside) {
    const host::Shape& in = x.tensor.shape;
    // Elements; shorter rows are not worth a copy each. Of 409,600 halves on 910B3, each twice, `rearrange`
    // takes 900 us in rows of one, and 97 us in rows of 16.
    constexpr std::uint64_t least_row = 16;
    const bool inside = std::ranges::none_of(taps.weights, [](double weight) { return std::isnan(weight); });
    const bool large = x.tensor.bytes() > Steps::most_table_bytes && inside && !x.known() &&
                       is_real(x.tensor.type) && x.tensor.type != isa::DataType::float64;
    const Indices own = strides_of(in);
    const auto row = static_cast<std::uint64_t>(own[axis]);
    if (const std::uint64_t often = repeats_of(taps, in[axis], length);
        large && often > 0 && row >= least_row && steps.copies_bytes()) {
        return along_by_rows(steps, x, axis, row, often);
    }
    if (large) {
        return along_by_product(steps, x, axis, taps, length);
    }
    host::Shape out = in;
    out[axis] = length;
    Indices strides = own;
    strides[axis] = 0;
    const Indices rows = places(out, strides);
    Indices from;
    std::vector<double> weights;
    std::vector<double> mask(rows.size(), 1);
    bool beyond = false;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t at = i / row % length;
        for (std::size_t tap = 0; tap < taps.each; ++tap) {
            from.push_back(rows[i] + own[axis] * taps.places[at * taps.each + tap]);
            const double weight = taps.weights[at * taps.each + tap];
            weights.push_back(std::isnan(weight) ? 0 : weight);
            mask[i] = std::isnan(weight) ? 0 : 1;
            beyond = beyond || std::isnan(weight);
        }
    }
    Part y{};
    if (taps.each == 1) {
        y = steps.moved(x, out, from);
    } else {
        const host::Shape columns{rows.size(), taps.each};
        const Part taken = steps.moved(x, columns, from);
        const Part weighed =
            steps.element(Op::mul, {taken, Steps::table(x.tensor.type, columns, std::move(weights))});
        y = Steps::seen(steps.reduce(Op::reduce_sum, weighed, {1}), out);
    }
    if (!beyond) {
        return y;
    }
    const Part fill = Steps::table(x.tensor.type, {}, {outside});
    return steps.element(Op::where, {Steps::table(isa::DataType::boolean, out, std::move(mask)), y, fill});
}

std::vector<double> reals(const Operator& with, std::size_t index) {
    if (!with.has(index) || with.input(index).count() == 0) {
        return {};
    }
    return with.steering(index);
}

Lowered resized(const Operator& with,
                const Mode& how,
                const std::vector<double>& scales,
                const std::vector<double>& sizes,
                const std::vector<double>& region) {
    Steps steps{with};
    Part x = steps.operand(0);
    const host::Shape in = x.tensor.shape;
    const std::size_t rank = in.size();
    if ((sizes.empty() ? scales.size() : sizes.size()) != rank ||
        (!region.empty() && region.size() != 2 * rank)) {
        throw Refused{"scales or sizes for {} axes of {}", scales.size() + sizes.size(), x.tensor.text()};
    }
    for (std::size_t i = 0; i < rank; ++i) {
        const auto extent = static_cast<double>(in[i]);
        Axis axis{.extent = in[i], .length = in[i], .scale = 1};
        const double begin = region.empty() ? 0 : region[i];
        const double end = region.empty() ? 1 : region[rank + i];
        const bool crops = how.coordinates == "tf_crop_and_resize";
        const double length =
            sizes.empty() ? std::floor(extent * (crops ? end - begin : 1) * scales[i]) : sizes[i];
        if (!(length >= 0 && length < 1e9) || in[i] == 0) {
            throw Refused{"{} in a size of {}", x.tensor.text(), length};
        }
        axis.length = static_cast<std::uint64_t>(length);
        axis.scale = sizes.empty() ? scales[i] : length / extent;
        axis.begin = begin;
        axis.end = end;
        if (axis.length == in[i] && axis.scale == 1 && (!crops || (begin == 0 && end == 1))) {
            continue;
        }
        x = along(steps, x, i, taps_of(how, axis), axis.length, how.outside);
    }
    return steps.done({x},
                      "elements around each place are gathered by an index and weighed, or multiplied by a "
                      "matrix of weights; rows are copied");
}

Lowered resize(const Operator& with) {
    const bool old = with.opset < 11;  // operands: x, scales
    Mode how{
        .mode = with.node.word("mode", "nearest"),
        .coordinates = old ? "asymmetric" : with.node.word("coordinate_transformation_mode", "half_pixel"),
        .nearest = old ? "floor" : with.node.word("nearest_mode", "round_prefer_floor"),
        .cubic = with.node.real("cubic_coeff_a", -0.75),
        .exclude_outside = with.node.integer("exclude_outside", 0) != 0,
        .outside = with.node.real("extrapolation_value", 0)};
    return resized(with,
                   how,
                   reals(with, old ? 1 : 2),
                   old ? std::vector<double>{} : reals(with, 3),
                   how.coordinates == "tf_crop_and_resize" ? reals(with, 1) : std::vector<double>{});
}

Lowered upsample(const Operator& with) {
    std::vector<double> scales = reals(with, 1);
    if (const auto stated = with.node.attributes.find("scales"); stated != with.node.attributes.end()) {
        scales = std::get<std::vector<double>>(stated->second);
    }
    return resized(
        with,
        {.mode = with.node.word("mode", "nearest"), .coordinates = "asymmetric", .nearest = "floor"},
        scales,
        {},
        {});
}

}  // namespace

Operators resize_operators() {
    return {{"Resize", resize}, {"Upsample", upsample}};
}

}  // namespace ascendsim::networks
