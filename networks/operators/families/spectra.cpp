// SPDX-License-Identifier: Apache-2.0
// Fourier transforms, as products with a matrix of sines and cosines, and the filters of spectra.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;
using Numbers = std::vector<double>;
using Indices = std::vector<std::int64_t>;

/// A transform of rows: `rows` numbers are there of `length`, the others are zero.
struct Transform {
    std::uint64_t rows = 1;
    std::uint64_t length = 1;
    std::uint64_t results = 1;
    std::uint64_t parts = 1;  // 2: real and imaginary part of each
    bool inverse = false;
};

/// [rows * parts, results * 2]: what each number adds to real and imaginary part of each result.
Numbers matrix_of(const Transform& how, const Numbers& window) {
    Numbers matrix(how.rows * how.parts * how.results * 2, 0);
    const double scale = how.inverse ? 1 / static_cast<double>(how.length) : 1;
    for (std::uint64_t row = 0; row < how.rows && row < how.length; ++row) {
        const double factor = scale * (window.empty() ? 1 : window.at(row));
        for (std::uint64_t k = 0; k < how.results; ++k) {
            const std::uint64_t turn = row * k % how.length;
            const double angle =
                (how.inverse ? 2 : -2) * M_PI * static_cast<double>(turn) / static_cast<double>(how.length);
            double* real = matrix.data() + row * how.parts * how.results * 2 + 2 * k;
            real[0] = factor * std::cos(angle);
            real[1] = factor * std::sin(angle);
            if (how.parts == 2) {
                double* imaginary = real + how.results * 2;
                imaginary[0] = -real[1];
                imaginary[1] = real[0];
            }
        }
    }
    return matrix;
}

constexpr std::uint64_t most_matrix = 1U << 24U;  // elements

Part transformed(Steps& steps, const Part& rows, const Transform& how, const Numbers& window) {
    const host::Shape shape{how.rows * how.parts, how.results * 2};
    if (host::elements(shape) > most_matrix) {
        throw Refused{
            "a transform of {} numbers: its matrix has more than {} elements", how.rows, most_matrix};
    }
    return steps.product(rows, Steps::table(rows.tensor.type, shape, matrix_of(how, window)));
}

Lowered dft(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const host::Shape& shape = x.tensor.shape;
    const std::size_t axis = with.axis(with.node.integer("axis", 1), shape.size());
    if (shape.size() < 2 || axis + 1 == shape.size() || shape.back() > 2 || x.tensor.count() == 0) {
        throw Refused{"a transform of {} along axis {}", x.tensor.text(), axis};
    }
    const std::uint64_t length =
        with.has(1) ? static_cast<std::uint64_t>(std::max<std::int64_t>(with.known(1).at(0), 1))
                    : shape[axis];
    const bool half = with.node.integer("onesided", 0) != 0;
    const Transform how{.rows = shape[axis],
                        .length = length,
                        .results = half ? length / 2 + 1 : length,
                        .parts = shape.back(),
                        .inverse = with.node.integer("inverse", 0) != 0};
    host::Shape order(shape.size());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[axis], order[shape.size() - 2]);
    const Part turned = steps.transposed(x, order);
    host::Shape made = turned.tensor.shape;
    made[shape.size() - 2] = how.results;
    made.back() = 2;
    const std::uint64_t depth = how.rows * how.parts;
    const Part y = transformed(steps, Steps::seen(turned, {x.tensor.count() / depth, depth}), how, {});
    return steps.done({steps.transposed(Steps::seen(y, made), order)}, "as a product with sines and cosines");
}

/// Windows that follow each other, each transformed.
Lowered stft(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const host::Shape& shape = x.tensor.shape;
    const std::int64_t step = with.known(1).at(0);
    const std::uint64_t parts = shape.size() == 3 ? shape[2] : 1;
    const bool windowed = with.has(2);
    const std::int64_t length = with.has(3) ? with.known(3).at(0)
                                : windowed  ? static_cast<std::int64_t>(with.input(2).count())
                                            : 0;
    if (shape.size() < 2 || shape.size() > 3 || parts > 2 || step < 1 || length < 1 ||
        static_cast<std::uint64_t>(length) > shape[1] ||
        (windowed && with.input(2).count() != static_cast<std::uint64_t>(length))) {
        throw Refused{"windows of {} every {} of {}", length, step, x.tensor.text()};
    }
    const auto each = static_cast<std::uint64_t>(length);
    const std::uint64_t frames = (shape[1] - each) / static_cast<std::uint64_t>(step) + 1;
    const bool half = with.node.integer("onesided", 1) != 0;
    const Transform how{.rows = each, .length = each, .results = half ? each / 2 + 1 : each, .parts = parts};
    const auto number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
    const Part rows = steps.moved(
        x,
        {shape[0] * frames, each * parts},
        places({shape[0], frames, each * parts}, {number(shape[1] * parts), step * number(parts), 1}));
    Numbers window;
    Part taken = rows;
    if (windowed && with.input(2).known()) {
        window = *with.input(2).values;
    } else if (windowed) {
        const Part factors = steps.operand(2);
        taken = Steps::seen(steps.element(loops::Op::mul,
                                          {Steps::seen(rows, {shape[0] * frames, each, parts}),
                                           Steps::seen(steps.cast(factors, x.tensor.type), {each, 1})}),
                            rows.tensor.shape);
    }
    const Part y = transformed(steps, taken, how, window);
    return steps.done({Steps::seen(y, {shape[0], frames, how.results, 2})},
                      "as a product with sines and cosines");
}

/// Triangles over the bins of a spectrum, which lie evenly on the mel scale: 2595 log10(1 + f / 700).
Lowered mel_weights(const Operator& with) {
    const auto number = [&](std::size_t index) {
        const Numbers& values = with.steering(index);
        if (values.size() != 1) {
            throw Refused{"operand {} must be one number", index};
        }
        return values.front();
    };
    const double bands = number(0);
    const double length = number(1);
    const double rate = number(2);
    constexpr double most = 65536;
    if (!(bands >= 1 && bands <= most && length >= 1 && length <= most && rate >= 1)) {
        throw Refused{"{} bands of {} numbers", bands, length};
    }
    const auto mel = [](double frequency) { return 2595 * std::log10(1 + frequency / 700); };
    const double low = mel(number(3));
    const double step = (mel(number(4)) - low) / (bands + 2);
    const auto columns = static_cast<std::uint64_t>(bands);
    const auto rows = static_cast<std::uint64_t>(length) / 2 + 1;
    std::vector<std::int64_t> bins;
    for (std::uint64_t i = 0; i < columns + 2; ++i) {
        const double frequency = 700 * (std::pow(10, (static_cast<double>(i) * step + low) / 2595) - 1);
        bins.push_back(static_cast<std::int64_t>(std::floor((length + 1) * frequency / rate)));
    }
    Numbers weights(rows * columns, 0);
    const auto set = [&](std::int64_t row, std::uint64_t column, double value) {
        if (row >= 0 && row < static_cast<std::int64_t>(rows)) {
            weights[static_cast<std::uint64_t>(row) * columns + column] = value;
        }
    };
    for (std::uint64_t i = 0; i < columns; ++i) {
        const std::int64_t first = bins[i];
        const std::int64_t centre = bins[i + 1];
        const std::int64_t last = bins[i + 2];
        for (std::int64_t at = first; at <= centre; ++at) {
            set(at,
                i,
                centre == first ? 1 : static_cast<double>(at - first) / static_cast<double>(centre - first));
        }
        for (std::int64_t at = centre; at < last; ++at) {
            set(at, i, static_cast<double>(last - at) / static_cast<double>(last - centre));
        }
    }
    const DataType type =
        with.node.integer("output_datatype", 1) == 11 ? DataType::float64 : with.held(DataType::float32);
    return {.outputs = {constant(type, {rows, columns}, std::move(weights))},
            .tasks = {},
            .note = {},
            .made = {0}};
}

}  // namespace

Operators spectra_operators() {
    return {{"DFT", dft}, {"STFT", stft}, {"MelWeightMatrix", mel_weights}};
}

}  // namespace ascendsim::networks
