// SPDX-License-Identifier: Apache-2.0
// The host side of conv2d.cpp: what may be chosen, buffers and launch, the reference.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "kernels/conv2d_tiling.hpp"
#include "kernels/host/kernel_host.hpp"
#include "sim/base/units.hpp"

namespace conv2d {

namespace host = ascendsim::host;
using ascendsim::ceil_div;
using ascendsim::round_up;
using ascendsim::isa::DataType;

class Conv2dHost final : public host::KernelHost {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Convolution of images on the cube cores, unrolled between L1 and L0A; channels in blocks of 16.";
    }

    [[nodiscard]] std::vector<host::Knob> knobs() const override {
        using host::Knob;
        return {Knob::integer("batch", 4, 1, 65535, "images", "images"),
                Knob::integer("c1", 16, 1, 4096, "blocks", "input channels by 16"),
                Knob::integer("height", 12, 1, 4096, "rows", "rows of an input image"),
                Knob::integer("width", 64, 1, 4096, "columns", "columns of an input image"),
                Knob::integer("n1", 16, 1, 4096, "blocks", "output channels by 16"),
                Knob::integer("filter", 3, 1, 15, "taps", "rows and columns of the filter"),
                Knob::integer("stride", 1, 1, 8, "positions", "steps of the filter in both directions"),
                Knob::integer("pad", 1, 0, 14, "positions", "zeros around the image"),
                Knob::type("dtype", {DataType::half, DataType::bfloat16}, "element type"),
                Knob::integer("blocks", 0, 0, 1024, "cores", "cube cores to use; 0: all of the chip"),
                Knob::integer("base_m", 128, 16, 1024, "positions", "output positions of a tile, a multiple of 16"),
                Knob::integer("base_n", 256, 16, 1024, "channels", "output channels of a tile, a multiple of 16"),
                Knob::integer("chunk", 0, 0, 64, "blocks", "input channels by 16 in L1 at a time; 0: as fit"),
                Knob::integer("step_k", 0, 0, 64, "blocks", "blocks of depth of one Mmad; 0: as fit")};
    }

    [[nodiscard]] host::Plan plan(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) const override {
        if (!chip.cores.split) {
            throw ascendsim::UserError{"conv2d: {} has no Fixpipe, which writes its results; take a 910B", chip.name};
        }
        const Tiling t = tiling_of(knobs, chip);
        const DataType type = knobs.type("dtype");
        host::Plan plan;
        plan.problem = fmt::format("Convolution of {} images {} x {} x {}, {} x {} filter to {} channels, {}",
                                   t.batch, t.c1 * c0, t.height, t.width, t.filter_h, t.filter_w, t.n1 * c0, name(type));
        using host::Buffer;
        plan.buffers = {Buffer::input("x", type, {t.batch, t.c1, t.height, t.width, c0}),
                        Buffer::input("w", type, {t.c1 * filter_size(t), t.n1, c0, c0}),
                        Buffer::output("y", type, {t.batch, t.n1, t.out_height, t.out_width, c0})};
        const std::uint32_t tiles =
            t.batch * ceil_div(t.out_height * t.out_width, t.base_m) * ceil_div(t.n1 * c0, t.base_n);
        const std::uint32_t cores = knobs.count("blocks") == 0 ? chip.cores.aic : knobs.count("blocks");
        plan.launches.push_back({.entry = type == DataType::half ? "conv2d_half" : "conv2d_bfloat16",
                                 .blocks = std::min(tiles, cores),
                                 .cores = host::CoreUse::aic,
                                 .arguments = {host::Argument::address("x"),
                                               host::Argument::address("w"),
                                               host::Argument::address("y"),
                                               host::Argument::of(t)},
                                 .label = "conv2d",
                                 .kernel = {}});
        const double depth = static_cast<double>(t.c1) * c0 * filter_size(t);
        plan.work.cube_flops = 2.0 * t.batch * t.out_height * t.out_width * static_cast<double>(t.n1) * c0 * depth;
        plan.work.cube_type = type;
        for (const Buffer& buffer : plan.buffers) {
            plan.work.gm_bytes += buffer.bytes();
        }
        // Sums of products of values below 1 in fp32: ten deviations, as for matmul.cpp.
        plan.tolerances.push_back({.output = "y", .absolute = 10.0 * 0x1p-24 * depth / 3, .relative = 0, .ulp = 1});
        plan.reference = [t](host::ReferenceData& data) { compute(t, data); };
        return plan;
    }

private:
    [[nodiscard]] static Tiling tiling_of(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) {
        Tiling t{.batch = knobs.count("batch"),
                 .c1 = knobs.count("c1"),
                 .height = knobs.count("height"),
                 .width = knobs.count("width"),
                 .n1 = knobs.count("n1"),
                 .filter_h = knobs.count("filter"),
                 .filter_w = knobs.count("filter"),
                 .stride = knobs.count("stride"),
                 .pad = knobs.count("pad")};
        if (t.pad >= t.filter_h || t.height + 2 * t.pad < t.filter_h || t.width + 2 * t.pad < t.filter_w) {
            throw knobs.error("filter", "must be larger than the padding, and fit the padded image");
        }
        t.out_height = (t.height + 2 * t.pad - t.filter_h) / t.stride + 1;
        t.out_width = (t.width + 2 * t.pad - t.filter_w) / t.stride + 1;
        t.base_m = std::min(knobs.count("base_m"), round_up(t.out_height * t.out_width, c0));
        t.base_n = std::min(knobs.count("base_n"), t.n1 * c0);
        if (t.base_m % c0 != 0 || t.base_n % c0 != 0) {
            throw knobs.error("base_m", "base_m and base_n must be multiples of 16");
        }
        const std::uint32_t out_rows = ceil_div(t.base_m - 1, t.out_width) + 1;  // starting anywhere in a row
        t.l1_rows = std::min(t.height, (out_rows - 1) * t.stride + t.filter_h);
        fit(knobs, chip, t);
        return t;
    }

    static void fit(const host::Knobs& knobs, const ascendsim::ChipSpec& chip, Tiling& t) {
        constexpr std::uint32_t element = 2;
        const std::uint64_t of_block = 2ULL * element * c0 * (std::uint64_t{t.l1_rows} * t.width + filter_size(t) * t.base_n);
        const auto most = static_cast<std::uint32_t>(chip.buffers.l1 / of_block);
        t.chunk = knobs.count("chunk") == 0 ? std::min({most, t.c1, 4U}) : knobs.count("chunk");
        const auto room = static_cast<std::uint32_t>(
            std::min(chip.buffers.l0a / (2 * element * c0 * t.base_m), chip.buffers.l0b / (2 * element * c0 * t.base_n)));
        if (t.chunk == 0 || t.chunk > most || room == 0 ||
            std::uint64_t{t.base_m} * t.base_n * sizeof(float) > chip.buffers.l0c) {
            throw knobs.error("base_m", fmt::format("a tile of {} x {} does not fit {}", t.base_m, t.base_n, chip.name));
        }
        t.step_k = knobs.count("step_k");
        constexpr std::uint32_t repeats = 255;  // of one load
        const std::uint32_t longest = std::max(1U, std::min(room, repeats * c0 / t.base_n));
        for (std::uint32_t step = longest; t.step_k == 0; --step) {
            if (t.chunk * filter_size(t) % step == 0) {  // equal steps
                t.step_k = step;
            }
        }
        t.step_k = std::min(t.step_k, longest);
    }

    static void compute(const Tiling& t, host::ReferenceData& data) {
        const std::vector<float>& x = data.floats("x");
        const std::vector<float>& w = data.floats("w");
        std::vector<double>& y = data.expected("y");
        const std::uint32_t plane = t.out_height * t.out_width;
        y.assign(std::size_t{t.batch} * t.n1 * plane * c0, 0.0);
        for (std::uint32_t image = 0; image < t.batch; ++image) {
            for (std::uint32_t channel = 0; channel < t.n1 * c0; ++channel) {
                for (std::uint32_t at = 0; at < plane; ++at) {
                    y[((std::size_t{image} * t.n1 + channel / c0) * plane + at) * c0 + channel % c0] =
                        element_of(t, x, w, image, channel, at);
                }
            }
        }
    }

    static double element_of(const Tiling& t,
                             const std::vector<float>& x,
                             const std::vector<float>& w,
                             std::uint32_t image,
                             std::uint32_t channel,
                             std::uint32_t at) {
        double sum = 0;
        for (std::uint32_t tap = 0; tap < filter_size(t); ++tap) {
            const std::uint32_t row = at / t.out_width * t.stride + tap / t.filter_w;
            const std::uint32_t column = at % t.out_width * t.stride + tap % t.filter_w;
            if (row < t.pad || column < t.pad || row >= t.height + t.pad || column >= t.width + t.pad) {
                continue;
            }
            for (std::uint32_t c = 0; c < t.c1 * c0; ++c) {
                const std::size_t from =
                    ((std::size_t{image} * t.c1 + c / c0) * t.height + row - t.pad) * t.width + column - t.pad;
                const std::size_t weight =
                    (((std::size_t{c} / c0 * filter_size(t) + tap) * t.n1 + channel / c0) * c0 + channel % c0) * c0;
                sum += static_cast<double>(x[from * c0 + c % c0]) * w[weight + c % c0];
            }
        }
        return sum;
    }
};

}  // namespace conv2d
