// SPDX-License-Identifier: Apache-2.0
// The host side of conv_filter_grad.cpp: what may be chosen, buffers and launch, the reference.
#pragma once

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "kernels/ops/conv/conv_filter_grad/conv_filter_grad_tiling.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"
#include "sim/base/units.hpp"

namespace conv_filter_grad {

namespace host = ascendsim::host;
using ascendsim::ceil_div;
using ascendsim::isa::DataType;

class ConvFilterGradHost final : public host::KernelHost {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Gradient of a convolution's filter in two or three dimensions, on the cube cores; channels "
               "in blocks of 16.";
    }

    [[nodiscard]] std::vector<host::Knob> knobs() const override {
        using host::Knob;
        return {
            Knob::integer("batch", 2, 1, 65535, "images", "images"),
            Knob::integer("m1", 8, 1, 4096, "blocks", "output channels by 16"),
            Knob::integer("c1", 4, 1, 4096, "blocks", "input channels by 16"),
            Knob::integer("depth", 1, 1, 4096, "planes", "planes of an input image"),
            Knob::integer("height", 16, 1, 4096, "rows", "rows of an input plane"),
            Knob::integer("width", 16, 1, 4096, "columns", "columns of an input plane"),
            Knob::integer("filter", 3, 1, 15, "taps", "rows and columns of the filter"),
            Knob::integer("filter_depth",
                          1,
                          1,
                          15,
                          "taps",
                          "planes of the filter; with one, there is no padding in depth"),
            Knob::integer("stride", 1, 1, 8, "positions", "steps of the filter in all directions"),
            Knob::integer("dilation", 1, 1, 16, "positions", "from one of the filter's taps to the next"),
            Knob::integer("pad", 1, 0, 224, "positions", "zeros around the image"),
            Knob::type("dtype",
                       {DataType::half, DataType::bfloat16},
                       "element type of images and gradients; sums are float32"),
            Knob::integer("blocks", 0, 0, 1024, "cores", "cube cores to use; 0: all of the chip"),
            Knob::integer("base_m", 128, 16, 256, "channels", "output channels of a tile, a multiple of 16"),
            Knob::integer("base_n", 256, 16, 256, "columns", "most columns of a tile, a multiple of 16"),
            Knob::integer("step_k", 64, 16, 1024, "positions", "positions of one Mmad, a multiple of 16"),
            Knob::integer(
                "chunk", 0, 0, 4096, "positions", "positions in L1 at a time, in whole steps; 0: as fit")};
    }

    [[nodiscard]] host::Plan plan(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) const override {
        if (!chip.cores.split) {
            throw ascendsim::UserError{
                "conv_filter_grad: {} has no Fixpipe, which adds its results; take a 910B", chip.name};
        }
        const Tiling t = tiling_of(knobs, chip);
        const DataType type = knobs.type("dtype");
        const std::uint32_t columns = t.filter_depth * t.c1 * taps(t);  // blocks
        host::Plan plan;
        plan.chosen = {{"chunk", t.chunk}};
        plan.problem = fmt::format(
            "Gradient of a filter {} x {} x {} from {} to {} channels, {} images {} x {} x {}, {}",
            t.filter_depth,
            t.filter,
            t.filter,
            t.c1 * c0,
            t.m1 * c0,
            t.batch,
            t.depth,
            t.height,
            t.width,
            name(type));
        using host::Buffer;
        Buffer y = Buffer::output("y", DataType::float32, {columns, t.m1 * c0, c0});
        y.role = host::Role::in_out;
        y.fill = host::fill::Integers{0, 7};
        plan.buffers = {Buffer::input("g", type, {t.batch, t.out_depth, t.m1, t.out_height, t.out_width, c0}),
                        Buffer::input("x", type, {t.batch, t.depth, t.c1, t.height, t.width, c0}),
                        y};
        const std::uint32_t cores = host::cube_cores_or_all(knobs, "blocks", chip);
        plan.launches.push_back(
            {.entry = type == DataType::half ? "conv_filter_grad_half" : "conv_filter_grad_bfloat16",
             .blocks = std::min(units(t), cores),
             .cores = ascendsim::CoreUse::aic,
             .arguments = {host::Argument::address("g"),
                           host::Argument::address("x"),
                           host::Argument::address("y"),
                           host::Argument::of(t)},
             .label = "conv_filter_grad",
             .kernel = {}});
        const double depth = static_cast<double>(t.batch) * t.out_depth * t.out_height * t.out_width;
        plan.work.cube_flops = 2.0 * depth * t.m1 * c0 * columns * c0;
        plan.work.cube_type = type;
        plan.work.gm_bytes = host::least_traffic(plan.buffers);
        // Sums of products of values below 1, and of up to 7, in fp32: ten deviations, as for matmul.cpp.
        plan.tolerances.push_back(
            {.output = "y", .absolute = 10.0 * 0x1p-24 * (depth / 3 + 7), .relative = 0, .ulp = 1});
        plan.reference = [t](host::ReferenceData& data) { compute(t, data); };
        return plan;
    }

private:
    [[nodiscard]] static Tiling tiling_of(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) {
        Tiling t{.batch = knobs.count("batch"),
                 .m1 = knobs.count("m1"),
                 .c1 = knobs.count("c1"),
                 .depth = knobs.count("depth"),
                 .height = knobs.count("height"),
                 .width = knobs.count("width"),
                 .filter_depth = knobs.count("filter_depth"),
                 .filter = knobs.count("filter"),
                 .stride = knobs.count("stride"),
                 .dilation = knobs.count("dilation"),
                 .pad_depth = knobs.count("filter_depth") == 1 ? 0 : knobs.count("pad"),
                 .pad = knobs.count("pad")};
        const auto positions = [&](std::uint32_t extent, std::uint32_t filter, std::uint32_t pad) {
            const std::uint32_t span = (filter - 1) * t.dilation + 1;
            if (pad >= span || extent + 2 * pad < span) {
                throw knobs.error("filter", "must reach farther than the padding, and fit the padded image");
            }
            return (extent + 2 * pad - span) / t.stride + 1;
        };
        t.out_depth = positions(t.depth, t.filter_depth, t.pad_depth);
        t.out_height = positions(t.height, t.filter, t.pad);
        t.out_width = positions(t.width, t.filter, t.pad);
        constexpr std::uint32_t longest = 65535;  // blocks a copy steps over
        if (t.height * t.width > longest || t.out_height * t.out_width > longest) {
            throw knobs.error("height", "planes of more than 65535 positions cannot be copied in parts");
        }
        fit(knobs, chip, t);
        return t;
    }

    /// Tiles of a plane of the filter as alike as may be, at most base_n wide; a chunk as long as L1 holds
    /// twice, up to 512.
    static void fit(const host::Knobs& knobs, const ascendsim::ChipSpec& chip, Tiling& t) {
        t.base_m = std::min(knobs.count("base_m"), t.m1 * c0);
        const std::uint32_t columns = t.c1 * taps(t);
        const std::uint32_t across = ceil_div(columns, knobs.count("base_n") / c0);
        t.base_n = ceil_div(columns, across) * c0;
        t.step_k = knobs.count("step_k");
        const std::uint64_t result = std::uint64_t{t.base_m} * t.base_n * sizeof(float);
        if (t.base_m % c0 != 0 || t.step_k % c0 != 0 || result > chip.buffers.l0c ||
            4ULL * t.base_m * t.step_k > chip.buffers.l0a || 4ULL * t.base_n * t.step_k > chip.buffers.l0b) {
            throw knobs.error("base_m",
                              fmt::format("tiles of {} x {}, by {}, do not fit {} or are no multiples of 16",
                                          t.base_m,
                                          t.base_n,
                                          t.step_k,
                                          chip.name));
        }
        t.results = 2 * result <= chip.buffers.l0c ? 2 : 1;
        t.slices = std::min(t.c1, ceil_div(t.base_n / c0 - 1, taps(t)) + 1);
        constexpr std::uint32_t most = 512;
        const std::uint32_t wanted = knobs.count("chunk") == 0 ? most : knobs.count("chunk");
        for (t.chunk = std::max(wanted / t.step_k, 1U) * t.step_k; bytes_in_l1(t) > chip.buffers.l1;
             t.chunk -= t.step_k) {
            if (t.chunk <= t.step_k) {
                throw knobs.error(
                    "base_m",
                    fmt::format("a step of {} positions does not fit the L1 of {}", t.step_k, chip.name));
            }
        }
    }

    [[nodiscard]] static std::uint64_t bytes_in_l1(Tiling& t) {
        const std::uint32_t out_rows = ceil_div(t.chunk - 1, t.out_width) + 1;  // starting anywhere in a row
        t.rows = std::min(t.height, (out_rows - 1) * t.stride + (t.filter - 1) * t.dilation + 1);
        return 4ULL * (std::uint64_t{t.base_m} * t.chunk + std::uint64_t{t.slices} * t.rows * t.width * c0);
    }

    static void compute(const Tiling& t, host::ReferenceData& data) {
        const std::vector<float>& g = data.floats("g");
        const std::vector<float>& x = data.floats("x");
        const std::vector<float>& before = data.floats("y");
        std::vector<double>& y = data.expected("y");
        const std::uint32_t channels = t.m1 * c0;
        for (std::uint32_t column = 0; column < t.filter_depth * t.c1 * taps(t) * c0; ++column) {
            for (std::uint32_t channel = 0; channel < channels; ++channel) {
                const std::size_t at = (std::size_t{column / c0} * channels + channel) * c0 + column % c0;
                y[at] = static_cast<double>(before[at]) + element_of(t, g, x, channel, column);
            }
        }
    }

    static double element_of(const Tiling& t,
                             const std::vector<float>& g,
                             const std::vector<float>& x,
                             std::uint32_t channel,
                             std::uint32_t column) {
        const std::uint32_t block = column / c0;
        const std::uint32_t tap = block % taps(t);
        const std::uint32_t slice = block / taps(t) % t.c1;
        const std::uint32_t plane = block / taps(t) / t.c1;
        const std::uint32_t out = t.out_height * t.out_width;
        double sum = 0;
        for (std::uint32_t p = 0; p < t.batch * t.out_depth * out; ++p) {
            const std::uint32_t image = p / out / t.out_depth;
            const std::uint32_t z = p / out % t.out_depth * t.stride + plane * t.dilation;
            const std::uint32_t row = p % out / t.out_width * t.stride + tap / t.filter * t.dilation;
            const std::uint32_t in_row = p % t.out_width * t.stride + tap % t.filter * t.dilation;
            const bool outside = z < t.pad_depth || z >= t.pad_depth + t.depth || row < t.pad ||
                                 row >= t.pad + t.height || in_row < t.pad || in_row >= t.pad + t.width;
            if (!outside) {
                const std::size_t from =
                    (((std::size_t{image} * t.depth + z - t.pad_depth) * t.c1 + slice) * t.height + row -
                     t.pad) *
                        t.width +
                    in_row - t.pad;
                const std::size_t gradient = (std::size_t{p / out} * t.m1 + channel / c0) * out + p % out;
                sum += static_cast<double>(g[gradient * c0 + channel % c0]) *
                       static_cast<double>(x[from * c0 + column % c0]);
            }
        }
        return sum;
    }
};

}  // namespace conv_filter_grad
