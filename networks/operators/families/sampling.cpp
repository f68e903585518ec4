// SPDX-License-Identifier: Apache-2.0
// Images sampled at places that are computed: the taps around each place are one gather by an index that is
// computed, too, and a weighted sum.
#include <algorithm>
#include <optional>
#include <string>

#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;
using loops::Op;

/// One axis of the sampled image, and how places beyond it count.
struct SampledAxis {
    double extent = 1;
    bool corners = false;  // -1 and 1 are the centres of the outer elements, not their edges
    bool reflects = false;
};

struct Sampling {
    host::Shape x;  // [batch, channels, rows, columns]
    host::Shape out;
    std::string mode;
    std::string padding;
    bool corners = false;

    [[nodiscard]] SampledAxis axis(std::size_t index) const {
        return {
            .extent = static_cast<double>(x[index]), .corners = corners, .reflects = padding == "reflection"};
    }

    [[nodiscard]] std::int64_t taps() const { return mode == "nearest" ? 1 : mode == "bilinear" ? 2 : 4; }

    [[nodiscard]] std::uint64_t places() const { return out[2] * out[3]; }
};

/// Steps of a loop in float32 that all have one shape, or one that spreads to it.
class Formula {
public:
    Formula(LoopOf& loop, host::Shape shape) : loop_{loop}, shape_{std::move(shape)} {}

    /// The same of one tap: places do not depend on taps.
    [[nodiscard]] Formula of_places() const {
        Formula one = *this;
        one.shape_.at(0) = 1;
        return one;
    }

    std::size_t of(Op op, std::vector<std::size_t> inputs, std::vector<double> constants = {}) {
        return loop_.step(op, std::move(inputs), shape_, DataType::float32, std::move(constants));
    }

    std::size_t number(double value) { return loop_.step(Op::constant, {}, {}, DataType::float32, {value}); }

    /// 1 where `a` is from `low` to `high`, else 0.
    std::size_t within(std::size_t a, double low, double high) {
        const std::size_t above = loop_.step(Op::greater_equal, {a, number(low)}, shape_, DataType::boolean);
        const std::size_t below = loop_.step(Op::less_equal, {a, number(high)}, shape_, DataType::boolean);
        const std::size_t both = loop_.step(Op::logical_and, {above, below}, shape_, DataType::boolean);
        return of(Op::where, {both, number(1), number(0)});
    }

    /// Mirrored at the ends until it is between them.
    std::size_t reflected(std::size_t a, const SampledAxis& axis) {
        const double low = axis.corners ? 0 : -0.5;
        const double span = axis.corners ? axis.extent - 1 : axis.extent;
        if (span <= 0) {
            return of(Op::scale, {a}, {0, 0});
        }
        const std::size_t turns = of(Op::scale, {a}, {1 / span, -low / span});
        const std::size_t whole = of(Op::floor, {of(Op::scale, {turns}, {0.5, 0})});
        const std::size_t rest = of(Op::sub, {turns, of(Op::scale, {whole}, {2, 0})});  // from 0 to 2
        const std::size_t apart = of(Op::abs, {of(Op::scale, {rest}, {-1, 1})});
        return of(Op::scale, {apart}, {-span, span + low});
    }

    std::size_t inside(std::size_t a, const SampledAxis& axis) {
        const std::size_t at = axis.reflects ? of(Op::round, {reflected(a, axis)}) : a;
        return of(Op::clip, {at}, {0, axis.extent - 1});
    }

private:
    LoopOf& loop_;
    host::Shape shape_;
};

/// The place on an axis that a number from -1 to 1 names.
std::size_t place_of(Formula& formula, std::size_t number, const Sampling& how, const SampledAxis& axis) {
    const double half = (how.corners ? axis.extent - 1 : axis.extent) / 2;
    std::size_t at = formula.of(Op::scale, {number}, {half, (axis.extent - 1) / 2});
    if (how.mode != "bicubic" && how.padding != "zeros") {
        at = axis.reflects ? formula.reflected(at, axis) : at;
        at = formula.of(Op::clip, {at}, {0, axis.extent - 1});
    }
    return at;
}

/// The first tap at or before a place.
std::size_t base_of(Formula& formula, std::size_t at, const Sampling& how) {
    return formula.of(how.mode == "nearest" ? Op::round : Op::floor, {at});
}

/// How much of a tap that is `apart` from its place is taken.
std::size_t tap_weight(Formula& formula, std::size_t apart, const Sampling& how) {
    const std::size_t distance = formula.of(Op::abs, {apart});
    if (how.mode == "bilinear") {
        return formula.of(Op::scale, {distance}, {-1, 1});
    }
    constexpr double a = -0.75;  // Keys, Cubic convolution interpolation for digital image processing, 1981
    const auto polynomial = [&](const std::vector<double>& factors) {
        std::size_t sum = formula.of(Op::scale, {distance}, {factors[0], factors[1]});
        sum = formula.of(Op::scale, {formula.of(Op::mul, {sum, distance})}, {1, factors[2]});
        return formula.of(Op::scale, {formula.of(Op::mul, {sum, distance})}, {1, factors[3]});
    };
    const std::size_t near = polynomial({a + 2, -(a + 3), 0, 1});
    const std::size_t far = polynomial({a, -5 * a, 8 * a, -4 * a});
    const std::size_t close = formula.within(distance, 0, 1);
    const std::size_t other = formula.of(Op::scale, {close}, {-1, 1});
    return formula.of(Op::add, {formula.of(Op::mul, {near, close}), formula.of(Op::mul, {far, other})});
}

/// For each tap and place: the element of a plane, and how much of it is taken; nothing: all of it. Both
/// [taps, batch, 1, places].
struct SampledTaps {
    Part elements;
    std::optional<Part> weights;
};

/// Where the taps of an axis lie: 0 across, 1 down.
struct TapsOfAxis {
    std::size_t at = 0;   // the place that is asked for
    std::size_t tap = 0;  // a whole number beside it
    SampledAxis axis;
};

TapsOfAxis taps_of_axis(Formula& formula, std::size_t index, const Sampling& how) {
    TapsOfAxis taps{.axis = how.axis(3 - index)};
    Formula places = formula.of_places();
    taps.at = place_of(places, index, how, taps.axis);
    taps.tap = formula.of(Op::add, {base_of(places, taps.at, how), 2 + index});
    return taps;
}

/// What the weight of a tap is multiplied of.
std::vector<std::size_t> factors_of(Formula& formula, const Sampling& how) {
    std::vector<std::size_t> factors;
    const bool all = how.mode == "nearest" && how.padding != "zeros";
    for (std::size_t index = 0; index < 2 && !all; ++index) {
        const TapsOfAxis taps = taps_of_axis(formula, index, how);
        if (how.padding == "zeros") {
            factors.push_back(formula.within(taps.tap, 0, taps.axis.extent - 1));
        }
        if (how.mode != "nearest") {
            factors.push_back(tap_weight(formula, formula.of(Op::sub, {taps.at, taps.tap}), how));
        }
    }
    return factors;
}

/// x and y of all places, and of each tap how far it is from the first one.
std::vector<Part> tap_operands(const Sampling& how, const Part& column, const Part& row) {
    const auto each = static_cast<std::uint64_t>(how.taps());
    const std::uint64_t taps = each * each;
    const double first = how.mode == "bicubic" ? -1 : 0;
    std::vector<double> down;
    std::vector<double> across;
    for (std::uint64_t tap = 0; tap < taps; ++tap) {
        down.push_back(first + static_cast<double>(tap / each));
        across.push_back(first + static_cast<double>(tap % each));
    }
    return {column,
            row,
            Steps::table(DataType::float32, {taps, 1, 1, 1}, std::move(across)),
            Steps::table(DataType::float32, {taps, 1, 1, 1}, std::move(down))};
}

SampledTaps taps_around(Steps& steps, const Sampling& how, const Part& column, const Part& row) {
    const std::vector<Part> reads = tap_operands(how, column, row);
    const host::Shape shape{reads[2].tensor.count(), how.x[0], 1, how.places()};
    LoopOf elements{reads};
    Formula places{elements, shape};
    const auto element = [&](std::size_t index) {
        const TapsOfAxis of = taps_of_axis(places, index, how);
        return places.inside(of.tap, of.axis);
    };
    const std::size_t x = element(0);
    const std::size_t y = element(1);
    const std::size_t sum = places.of(Op::add, {places.of(Op::scale, {y}, {how.axis(3).extent, 0}), x});
    const std::size_t whole = elements.step(Op::cast, {sum}, shape, DataType::int32);
    SampledTaps taps{.elements = steps.run(elements.outputs({whole}), reads)[0], .weights = {}};
    LoopOf weights{reads};
    Formula formula{weights, shape};
    const std::vector<std::size_t> factors = factors_of(formula, how);
    if (!factors.empty()) {
        std::size_t product = factors[0];
        for (std::size_t i = 1; i < factors.size(); ++i) {
            product = formula.of(Op::mul, {product, factors[i]});
        }
        taps.weights = steps.run(weights.outputs({product}), reads)[0];
    }
    return taps;
}

/// Elements of x, each by an index that is computed.
Part by_index(Steps& steps, const Part& x, const Part& index) {
    constexpr std::uint64_t most_bytes = 96 * 1024;  // a table beside index and result in the unified buffer
    const bool wide = isa::bits(x.tensor.type) >= 32;
    return steps.run(
        {.kernel = "index_elements",
         .knobs = {{"shape", host::Shape{x.tensor.count()}},
                   {"index", host::Shape{index.tensor.count()}},
                   {"axis", std::int64_t{0}},
                   {"schedule", std::string{x.tensor.bytes() > most_bytes ? "scalar" : "vector"}},
                   {"dtype", std::string{wide ? "float32" : "float16"}}}},
        {x, index},
        {{.type = x.tensor.type, .shape = index.tensor.shape}})[0];
}

Lowered grid_sample(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const Part grid = steps.operand(1);
    const host::Shape& in = x.tensor.shape;
    const host::Shape& at = grid.tensor.shape;
    if (in.size() != 4 || at.size() != 4 || at[0] != in[0] || at[3] != 2 || !is_real(x.tensor.type) ||
        x.tensor.type == DataType::float64 || x.tensor.count() == 0 || grid.tensor.count() == 0) {
        throw Refused{"{} sampled at {}", x.tensor.text(), grid.tensor.text()};
    }
    const Sampling how{.x = in,
                       .out = {in[0], in[1], at[1], at[2]},
                       .mode = with.node.word("mode", "bilinear"),
                       .padding = with.node.word("padding_mode", "zeros"),
                       .corners = with.node.integer("align_corners", 0) != 0};
    constexpr std::uint64_t exact = 1U << 24U;  // whole numbers up to there are floats
    if (in[2] * in[3] > exact) {
        throw Refused{"planes of more than 2^24 elements"};
    }
    const std::uint64_t places = how.out[0] * how.places();
    const Part turned =
        steps.transposed(Steps::seen(steps.cast(grid, DataType::float32), {places, 2}), {1, 0});
    const host::Shape spread{1, in[0], 1, how.places()};
    const SampledTaps taps =
        taps_around(steps, how, Steps::section(turned, 0, spread), Steps::section(turned, places, spread));
    std::vector<double> planes(in[0] * in[1]);
    for (std::size_t i = 0; i < planes.size(); ++i) {
        planes[i] = static_cast<double>(i * in[2] * in[3]);
    }
    const Part index =
        steps.element(Op::add,
                      {taps.elements, Steps::table(DataType::int32, {1, in[0], in[1], 1}, std::move(planes))},
                      {},
                      DataType::int32);
    const Part taken = steps.cast(by_index(steps, x, index), DataType::float32);
    const Part weighed = taps.weights ? steps.element(Op::mul, {taken, *taps.weights}) : taken;
    const Part sum = steps.reduce(Op::reduce_sum, weighed, {0});
    return steps.done(
        {steps.cast(Steps::seen(sum, how.out), x.tensor.type)},
        "the elements around each place are gathered by an index that is computed, and weighed");
}

}  // namespace

Operators sampling_operators() {
    return {{"GridSample", grid_sample}};
}

}  // namespace ascendsim::networks
