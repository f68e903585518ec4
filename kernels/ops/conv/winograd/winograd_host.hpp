// SPDX-License-Identifier: Apache-2.0
// The host side of winograd.cpp: what may be chosen, buffers and launches, the reference.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kernels/ops/conv/conv2d/conv2d_host.hpp"
#include "kernels/ops/conv/winograd/winograd_tiling.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"

namespace winograd {

namespace host = ascendsim::host;
using ascendsim::ceil_div;
using ascendsim::round_up;
using ascendsim::isa::DataType;

class WinogradHost final : public host::KernelHost {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "A 3 x 3 convolution of stride 1 by Winograd's algorithm, F(2 x 2) or F(4 x 4): transforms on "
               "vector cores, products on cube cores.";
    }

    [[nodiscard]] std::vector<host::Knob> knobs() const override {
        using host::Knob;
        return {Knob::integer("batch", 1, 1, 65535, "images", "images"),
                Knob::integer("c1", 4, 1, 113, "blocks", "input channels by 16"),
                Knob::integer("height", 16, 1, 4096, "rows", "rows of an input image"),
                Knob::integer("width", 16, 1, 4096, "columns", "columns of an input image"),
                Knob::integer("n1", 4, 1, 113, "blocks", "output channels by 16"),
                Knob::integer("pad", 1, 0, 1, "positions", "zeros around the image"),
                Knob::integer("tile", 2, 2, 4, "", "results of a tile in a row: 2 or 4"),
                Knob::type("dtype", {DataType::half}, "element type"),
                Knob::integer("buffers", 2, 1, 2, "", "buffers of rows; 2 overlaps copies and arithmetic")};
    }

    [[nodiscard]] host::Plan plan(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) const override {
        const Tiling inputs = tiling_of(knobs, chip, true);
        const Tiling results = tiling_of(knobs, chip, false);
        const std::uint32_t a = places(inputs);
        host::Plan plan;
        plan.problem = fmt::format("F({} x {}, 3 x 3) of {} images {} x {} x {} to {} channels",
                                   inputs.tile,
                                   inputs.tile,
                                   inputs.batch,
                                   inputs.blocks_in * channels,
                                   inputs.height,
                                   inputs.width,
                                   results.blocks_in * channels);
        using host::Buffer;
        const DataType type = DataType::half;
        const std::uint64_t tiles = std::uint64_t{inputs.down} * inputs.across;
        const auto transformed = [&](std::uint32_t blocks) {
            return inputs.batch * std::uint64_t{a} * a * blocks * tiles * block_bytes;
        };
        plan.buffers = {
            Buffer::input("x", type, {inputs.batch, inputs.blocks_in, inputs.height, inputs.width, channels}),
            Buffer::input("u",
                          type,
                          {std::uint64_t{a} * a * inputs.blocks_in, results.blocks_in, channels, channels},
                          host::fill::Uniform{-filter_bound, filter_bound}),
            Buffer::workspace("v", transformed(inputs.blocks_in)),
            Buffer::workspace("m", transformed(results.blocks_in)),
            Buffer::output(
                "y", type, {inputs.batch, results.blocks_in, inputs.out_height, inputs.out_width, channels})};
        plan.launches = {vector_launch("winograd_inputs", "x", "v", inputs, chip),
                         products(inputs, results, chip),
                         vector_launch("winograd_results", "m", "y", results, chip)};
        const double multiplied = static_cast<double>(inputs.batch) * static_cast<double>(tiles) * a * a;
        plan.work.cube_flops = 2 * multiplied * inputs.blocks_in * channels * results.blocks_in * channels;
        plan.work.cube_type = type;
        plan.work.gm_bytes = host::least_traffic(plan.buffers);
        plan.reference = [inputs, results](host::ReferenceData& data) { compute(inputs, results, data); };
        plan.tolerances.push_back({.output = "y", .absolute = rounding(inputs), .relative = 0, .ulp = 1});
        return plan;
    }

private:
    [[nodiscard]] static Tiling tiling_of(const host::Knobs& knobs,
                                          const ascendsim::ChipSpec& chip,
                                          bool inputs) {
        const std::uint32_t tile = knobs.count("tile");
        if (tile == 3) {
            throw knobs.error("tile", "is 2 or 4");
        }
        Tiling t{.batch = knobs.count("batch"),
                 .blocks_in = knobs.count(inputs ? "c1" : "n1"),
                 .height = knobs.count("height"),
                 .width = knobs.count("width"),
                 .pad = knobs.count("pad"),
                 .tile = tile,
                 .buffers = knobs.count("buffers")};
        if (t.height + 2 * t.pad < 3 || t.width + 2 * t.pad < 3) {
            throw knobs.error("height", "the padded image must have 3 x 3 positions");
        }
        t.out_height = t.height + 2 * t.pad - 2;
        t.out_width = t.width + 2 * t.pad - 2;
        t.down = ceil_div(t.out_height, tile);
        t.across = ceil_div(t.out_width, tile);
        for (t.piece = t.across; t.piece > 0; --t.piece) {
            t.room = t.piece * tile + (inputs ? 2 : 0);
            const std::uint64_t a = places(t);
            const std::uint64_t rows = (inputs ? a : std::uint64_t{tile}) * t.room;
            const std::uint64_t between = inputs ? t.room : a * t.piece;
            if (block_bytes * (t.buffers * (rows + a * a * t.piece) + between) <= chip.buffers.ub) {
                return t;
            }
        }
        throw knobs.error("tile", fmt::format("a tile does not fit the unified buffer of {}", chip.name));
    }

    [[nodiscard]] static host::Launch vector_launch(const std::string& entry,
                                                    const std::string& from,
                                                    const std::string& to,
                                                    const Tiling& t,
                                                    const ascendsim::ChipSpec& chip) {
        const std::uint64_t pieces =
            std::uint64_t{t.batch} * t.blocks_in * t.down * ceil_div(t.across, t.piece);
        return {
            .entry = entry,
            .blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(pieces, host::vector_cores(chip))),
            .cores = ascendsim::CoreUse::aiv,
            .arguments = {host::Argument::address(from), host::Argument::address(to), host::Argument::of(t)}};
    }

    /// A 1 x 1 convolution in a^2 groups: each place of a tile has filters of its own.
    [[nodiscard]] static host::Launch products(const Tiling& inputs,
                                               const Tiling& results,
                                               const ascendsim::ChipSpec& chip) {
        const conv2d::Conv2dHost conv;
        host::Knobs knobs{conv.knobs()};
        const std::int64_t groups = std::int64_t{places(inputs)} * places(inputs);
        const auto set = [&knobs](const char* name, std::int64_t value) { knobs.set(name, value); };
        set("batch", inputs.batch);
        set("c1", groups * inputs.blocks_in);
        set("n1", groups * results.blocks_in);
        set("groups", groups);
        set("height", inputs.down);
        set("width", inputs.across);
        set("filter", 1);
        set("pad", 0);
        set("base_m", 0);
        host::Launch launch = conv.plan(knobs, chip).launches.at(0);
        launch.arguments[0] = host::Argument::address("v");
        launch.arguments[1] = host::Argument::address("u");
        launch.arguments[2] = host::Argument::address("m");
        launch.label = "winograd_products";
        launch.kernel = "conv2d";
        return launch;
    }

    static constexpr double filter_bound = 1.0 / 16;  // so that results of many channels stay in float16

    /// Ten deviations of an element whose products were rounded to float16. Values are evenly spread, x below
    /// 1 and u below `filter_bound`, thus with deviations of a root of three less; transforms multiply the
    /// deviation of independent values by the root of a row's sum of squares, for rows and for columns: of
    /// F(2 x 2) by 2 and then by 3, of F(4 x 4) by 42 and by 131 (the fourth row of A^T). V, and M are
    /// rounded once, and within the transforms a few times more; three roundings of half a step are taken.
    [[nodiscard]] static double rounding(const Tiling& t) {
        const double in = t.tile == 2 ? 2 : 42;
        const double out = t.tile == 2 ? 3 : 131;
        const double depth = std::sqrt(static_cast<double>(t.blocks_in) * channels);
        return 10 * 3 * 0x1p-12 * in * out * depth * filter_bound / 3;
    }

    /// Exactly, of u as it is: y = A^T [sum over channels of u (B^T d B)] A.
    static void compute(const Tiling& in, const Tiling& out, host::ReferenceData& data);
};

/// B^T and A^T in float64, by rows.
[[nodiscard]] inline std::vector<std::vector<double>> input_rows(std::uint32_t tile) {
    if (tile == 2) {
        return {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};
    }
    return {{4, 0, -5, 0, 1, 0},
            {0, -4, -4, 1, 1, 0},
            {0, 4, -4, -1, 1, 0},
            {0, -2, -1, 2, 1, 0},
            {0, 2, -1, -2, 1, 0},
            {0, 4, 0, -5, 0, 1}};
}

[[nodiscard]] inline std::vector<std::vector<double>> result_rows(std::uint32_t tile) {
    if (tile == 2) {
        return {{1, 1, 1, 0}, {0, 1, -1, -1}};
    }
    return {{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}};
}

/// rows d rows^T of a square d, row by row.
[[nodiscard]] inline std::vector<double> both_sides(const std::vector<std::vector<double>>& rows,
                                                    const std::vector<double>& d) {
    const std::size_t a = rows[0].size();
    std::vector<double> half(rows.size() * a, 0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t k = 0; k < a; ++k) {
            for (std::size_t j = 0; j < a; ++j) {
                half[i * a + j] += rows[i][k] * d[k * a + j];
            }
        }
    }
    std::vector<double> result(rows.size() * rows.size(), 0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < rows.size(); ++j) {
            for (std::size_t k = 0; k < a; ++k) {
                result[i * rows.size() + j] += half[i * a + k] * rows[j][k];
            }
        }
    }
    return result;
}

inline void WinogradHost::compute(const Tiling& in, const Tiling& out, host::ReferenceData& data) {
    const std::vector<float>& x = data.floats("x");
    const std::vector<float>& u = data.floats("u");
    std::vector<double>& y = data.expected("y");
    const std::uint64_t a = places(in);
    const std::uint64_t depth = std::uint64_t{in.blocks_in} * channels;
    const std::uint64_t wide = std::uint64_t{out.blocks_in} * channels;
    y.assign(in.batch * wide * in.out_height * in.out_width, 0);
    const auto pixel = [&](std::uint64_t image, std::uint64_t c, std::int64_t row, std::int64_t column) {
        const bool outside = row < 0 || column < 0 || row >= in.height || column >= in.width;
        const std::uint64_t plane = image * in.blocks_in + c / channels;
        return outside
                   ? 0.0
                   : static_cast<double>(x[((plane * in.height + static_cast<std::uint64_t>(row)) * in.width +
                                            static_cast<std::uint64_t>(column)) *
                                               channels +
                                           c % channels]);
    };
    for (std::uint64_t tile = 0; tile < std::uint64_t{in.batch} * in.down * in.across; ++tile) {
        const std::uint64_t image = tile / in.across / in.down;
        const std::uint64_t top = tile / in.across % in.down * in.tile;
        const std::uint64_t left = tile % in.across * in.tile;
        std::vector<double> products(wide * a * a, 0);
        for (std::uint64_t c = 0; c < depth; ++c) {
            std::vector<double> d(a * a);
            for (std::uint64_t i = 0; i < a * a; ++i) {
                d[i] = pixel(image,
                             c,
                             static_cast<std::int64_t>(top + i / a) - in.pad,
                             static_cast<std::int64_t>(left + i % a) - in.pad);
            }
            const std::vector<double> v = both_sides(input_rows(in.tile), d);
            for (std::uint64_t n = 0; n < wide; ++n) {
                for (std::uint64_t i = 0; i < a * a; ++i) {
                    const std::uint64_t row = (i * in.blocks_in + c / channels) * wide + n;
                    products[n * a * a + i] += v[i] * static_cast<double>(u[row * channels + c % channels]);
                }
            }
        }
        for (std::uint64_t n = 0; n < wide; ++n) {
            const auto from = products.begin() + static_cast<std::ptrdiff_t>(n * a * a);
            const std::vector<double> results =
                both_sides(result_rows(in.tile), {from, from + static_cast<std::ptrdiff_t>(a * a)});
            for (std::uint64_t i = 0; i < results.size(); ++i) {
                const std::uint64_t row = top + i / in.tile;
                const std::uint64_t column = left + i % in.tile;
                if (row < in.out_height && column < in.out_width) {
                    const std::uint64_t plane = image * out.blocks_in + n / channels;
                    y[((plane * in.out_height + row) * in.out_width + column) * channels + n % channels] =
                        results[i];
                }
            }
        }
    }
}

}  // namespace winograd
