// SPDX-License-Identifier: Apache-2.0
// The host side of conv2d.cpp: what may be chosen, buffers and launch, the reference.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kernels/ops/conv/conv2d/conv2d_reference.hpp"
#include "kernels/ops/conv/conv2d/conv2d_tiling.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/rounding.hpp"
#include "kernels/plan/work_split.hpp"
#include "kernels/shared/epilogue_host.hpp"
#include "models/isa/cube/cube_kernel.hpp"
#include "sim/base/units.hpp"

namespace conv2d {

namespace host = ascendsim::host;
using ascendsim::ceil_div;
using ascendsim::round_up;
using ascendsim::isa::DataType;

class Conv2dHost final : public host::KernelHost {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Convolution of images on the cube cores, unrolled between L1 and L0A; channels in blocks of "
               "32 bytes.";
    }

    [[nodiscard]] std::vector<host::Knob> knobs() const override {
        using host::Knob;
        std::vector<Knob> all{
            Knob::integer("batch", 4, 1, 65535, "images", "images"),
            Knob::integer("c1", 16, 1, 4096, "blocks", "input channels by 16, of four bytes by 8"),
            Knob::integer("height", 12, 1, 4096, "rows", "rows of an input image"),
            Knob::integer("width", 64, 1, 4096, "columns", "columns of an input image"),
            Knob::integer("n1", 16, 1, 4096, "blocks", "output channels by 16"),
            Knob::integer("groups",
                          1,
                          1,
                          4096,
                          "",
                          "groups of channels; depthwise: n1, each with zeros off its filter's diagonal"),
            Knob::integer("filter", 3, 1, 255, "taps", "rows and columns of the filter"),
            Knob::integer("filter_w", 0, 0, 255, "taps", "columns of the filter; 0: as rows"),
            Knob::integer("stride", 1, 1, 63, "positions", "steps of the filter in both directions"),
            Knob::integer("stride_w", 0, 0, 63, "positions", "steps along a row; 0: as from row to row"),
            Knob::integer("dilation", 1, 1, 255, "positions", "from one of the filter's taps to the next"),
            Knob::integer("dilation_w", 0, 0, 255, "positions", "the same along a row; 0: as down a column"),
            Knob::integer("pad", 1, 0, 255, "positions", "zeros around the image"),
            Knob::shape("pads", {}, "zeros above, left, below and right of the image; []: pad everywhere"),
            Knob::type("dtype", {DataType::half, DataType::bfloat16, DataType::float32}, "element type"),
            Knob::flag(
                "hf32",
                false,
                "values of four bytes are rounded to HF32, which the cube multiplies four times as fast"),
            Knob::integer("blocks", 0, 0, 1024, "cores", "cube cores to use; 0: all of the chip"),
            Knob::integer("base_m",
                          128,
                          0,
                          1024,
                          "positions",
                          "output positions of a tile, a multiple of 16; 0: as fits cores and buffers"),
            Knob::integer("base_n", 256, 16, 1024, "channels", "output channels of a tile, a multiple of 16"),
            Knob::integer("chunk", 0, 0, 64, "blocks", "blocks of input channels in L1 at a time; 0: as fit"),
            Knob::integer("step_k", 0, 0, 64, "blocks", "blocks of depth of one Mmad; 0: as fit")};
        epilogue::add_knobs(all);
        return all;
    }

    [[nodiscard]] host::Plan plan(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) const override {
        if (!chip.cores.split && knobs.type("dtype") != DataType::half) {
            throw knobs.error("dtype", fmt::format("the cube of {} takes float16 here", chip.name));
        }
        const epilogue::Epilogue with = epilogue::of(knobs);
        const Tiling t = tiling_of(knobs, chip);
        const DataType type = knobs.type("dtype");
        const std::uint32_t c0 = channels_of(type);
        const std::uint32_t channels = t.n1 * n0;
        host::Plan plan;
        plan.chosen = {{"base_m", t.base_m}, {"chunk", t.chunk}, {"step_k", t.step_k}};
        plan.problem =
            fmt::format("Convolution of {} images {} x {} x {}, {} x {} filter to {} channels{}, {}{}",
                        t.batch,
                        t.c1 * c0,
                        t.height,
                        t.width,
                        t.filter_h,
                        t.filter_w,
                        channels,
                        t.groups > 1 ? fmt::format(" in {} groups", t.groups) : "",
                        name(type),
                        epilogue::text(with, knobs));
        add_buffers(plan, t, type, with);
        add_launch(plan, t, knobs, chip, with);
        const double depth = static_cast<double>(t.c1 / t.groups) * c0 * filter_size(t);
        plan.work.cube_flops =
            2.0 * t.batch * t.out_height * t.out_width * static_cast<double>(channels) * depth;
        plan.work.cube_type = type;
        if (epilogue::takes_vector_cores(with, chip)) {
            plan.work.vector_flops =
                static_cast<double>(t.batch) * t.out_height * t.out_width * static_cast<double>(channels);
            plan.work.vector_type = type;
        }
        plan.work.gm_bytes = host::least_traffic(plan.buffers);
        // Sums of products of values below 1 in fp32: ten deviations, as for matmul.cpp. For other values the
        // reference knows.
        host::Tolerance tolerance{
            .output = "y", .absolute = 10.0 * 0x1p-24 * depth / 3, .relative = 0, .ulp = 1};
        epilogue::widen(tolerance, with, type, depth);
        plan.tolerances.push_back(tolerance);
        plan.reference = [t, c0, with, type](host::ReferenceData& data) { compute(t, c0, with, type, data); };
        return plan;
    }

private:
    static void add_buffers(host::Plan& plan,
                            const Tiling& t,
                            DataType type,
                            const epilogue::Epilogue& with) {
        using host::Buffer;
        const std::uint32_t c0 = channels_of(type);
        plan.buffers = {Buffer::input("x", type, {t.batch, t.c1, t.height, t.width, c0}),
                        Buffer::input("w", type, {t.c1 * filter_size(t), t.n1 / t.groups, n0, c0})};
        if (with.bias != 0) {
            const DataType bias = epilogue::bias_type(type, type);
            plan.buffers.push_back(
                Buffer::input("bias", bias, {std::uint64_t{t.n1} * n0}, epilogue::bias_fill(bias)));
        }
        plan.buffers.push_back(
            Buffer::output("y", type, {t.batch, t.n1 * n0 / c0, t.out_height, t.out_width, c0}));
    }

    static void add_launch(host::Plan& plan,
                           const Tiling& t,
                           const host::Knobs& knobs,
                           const ascendsim::ChipSpec& chip,
                           const epilogue::Epilogue& with) {
        const DataType type = knobs.type("dtype");
        const bool shared = epilogue::takes_vector_cores(with, chip);
        std::string entry = type == DataType::half       ? "conv2d_half"
                            : type == DataType::bfloat16 ? "conv2d_bfloat16"
                                                         : "conv2d_float";
        entry += shared ? "_activated" : epilogue::any(with) ? "_epilogue" : "";
        host::Launch launch{.entry = std::move(entry),
                            .blocks = std::min(tiles_of(t), cores_of(knobs, chip)),
                            .cores = shared ? ascendsim::CoreUse::mix_1_2 : ascendsim::CoreUse::aic,
                            .arguments = {host::Argument::address("x"), host::Argument::address("w")},
                            .label = "conv2d",
                            .kernel = {}};
        if (epilogue::any(with)) {
            launch.arguments.push_back(host::Argument::address(with.bias != 0 ? "bias" : "y"));
        }
        launch.arguments.push_back(host::Argument::address("y"));
        launch.arguments.push_back(host::Argument::of(t));
        if (epilogue::any(with)) {
            launch.arguments.push_back(host::Argument::of(with));
        }
        plan.launches.push_back(std::move(launch));
    }

    /// Channels in 32 bytes.
    [[nodiscard]] static std::uint32_t channels_of(DataType type) {
        return block_bytes * 8 / ascendsim::isa::bits(type);
    }

    [[nodiscard]] static std::uint32_t cores_of(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) {
        return host::cube_cores_or_all(knobs, "blocks", chip);
    }

    [[nodiscard]] static std::uint32_t tiles_of(const Tiling& t) {
        return t.batch * t.groups * ceil_div(t.out_height * t.out_width, t.base_m) *
               ceil_div(t.n1 / t.groups * n0, t.base_n);
    }

    [[nodiscard]] static Tiling tiling_of(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) {
        Tiling t{.batch = knobs.count("batch"),
                 .c1 = knobs.count("c1"),
                 .height = knobs.count("height"),
                 .width = knobs.count("width"),
                 .n1 = knobs.count("n1"),
                 .groups = knobs.count("groups"),
                 .filter_h = knobs.count("filter"),
                 .filter_w = knobs.count(knobs.count("filter_w") != 0 ? "filter_w" : "filter"),
                 .stride_h = knobs.count("stride"),
                 .stride_w = knobs.count(knobs.count("stride_w") != 0 ? "stride_w" : "stride"),
                 .dilation_h = knobs.count("dilation"),
                 .dilation_w = knobs.count(knobs.count("dilation_w") != 0 ? "dilation_w" : "dilation"),
                 .hf32 = knobs.flag("hf32") ? 1U : 0U};
        set_padding(knobs, t);
        const std::uint32_t span_h = reach(t.filter_h, t.dilation_h);
        const std::uint32_t span_w = reach(t.filter_w, t.dilation_w);
        const std::uint32_t all_h = t.height + t.pad_top + t.pad_bottom;
        const std::uint32_t all_w = t.width + t.pad_left + t.pad_right;
        if (std::max(t.pad_top, t.pad_bottom) >= span_h || std::max(t.pad_left, t.pad_right) >= span_w ||
            all_h < span_h || all_w < span_w) {
            throw knobs.error("filter", "must reach farther than the padding, and fit the padded image");
        }
        if (t.c1 % t.groups != 0 || t.n1 % t.groups != 0) {
            throw knobs.error("groups", "must divide c1 and n1");
        }
        if (t.hf32 != 0 && knobs.type("dtype") != DataType::float32) {
            throw knobs.error("hf32", "is for float32");
        }
        t.out_height = (all_h - span_h) / t.stride_h + 1;
        t.out_width = (all_w - span_w) / t.stride_w + 1;
        t.base_n = std::min(knobs.count("base_n"), t.n1 / t.groups * n0);
        t.base_m = knobs.count("base_m");
        if (t.base_m == 0) {
            t.base_m = balanced(knobs, chip, t);
        }
        t.base_m = std::min(t.base_m, round_up(t.out_height * t.out_width, n0));
        if (t.base_m % n0 != 0 || t.base_n % n0 != 0) {
            throw knobs.error("base_m", "base_m and base_n must be multiples of 16");
        }
        if (knobs.flag("bias") && chip.cores.split && t.base_n > epilogue::table_columns) {
            throw knobs.error("base_n",
                              fmt::format("the bias table holds {} channels", epilogue::table_columns));
        }
        set_rows(t);
        while (bytes_in_l1(t) > room_in_l1(knobs, chip) && !knobs.is_set("base_n") &&
               t.base_n > n0) {  // long filters
            t.base_n = std::max(n0, t.base_n / 2 / n0 * n0);
        }
        fit(knobs, chip, t);
        return t;
    }

    static void set_padding(const host::Knobs& knobs, Tiling& t) {
        const host::Shape& pads = knobs.shape("pads");
        const bool sound = pads.empty() || (pads.size() == 4 && *std::ranges::max_element(pads) <= 255);
        if (!sound) {
            throw knobs.error("pads", "must be four numbers of at most 255");
        }
        const auto pad = [&](std::size_t side) {
            return pads.empty() ? knobs.count("pad") : static_cast<std::uint32_t>(pads[side]);
        };
        t.pad_top = pad(0);
        t.pad_left = pad(1);
        t.pad_bottom = pad(2);
        t.pad_right = pad(3);
    }

    static void set_rows(Tiling& t) {
        const std::uint32_t out_rows = ceil_div(t.base_m - 1, t.out_width) + 1;  // starting anywhere in a row
        t.l1_rows = std::min(t.height, (out_rows - 1) * t.stride_h + reach(t.filter_h, t.dilation_h));
    }

    [[nodiscard]] static std::uint64_t bytes_in_l1(const Tiling& t) {
        return 2ULL * block_bytes * (std::uint64_t{t.l1_rows} * t.width + filter_size(t) * t.base_n);
    }

    /// Room in L1 beside two rows of the bias.
    [[nodiscard]] static std::uint64_t room_in_l1(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) {
        const bool table = knobs.flag("bias") && chip.cores.split;
        return chip.buffers.l1 - (table ? 2ULL * epilogue::table_columns * sizeof(float) : 0);
    }

    /// The height of a tile that ends first: as many rounds of tiles as the busiest core makes, each as long
    /// as its positions and what a tile costs besides, taken for 64 of them.
    [[nodiscard]] static std::uint32_t balanced(const host::Knobs& knobs,
                                                const ascendsim::ChipSpec& chip,
                                                Tiling t) {
        std::uint32_t best = n0;
        std::uint64_t least = ~std::uint64_t{0};
        for (t.base_m = n0; t.base_m <= 1024; t.base_m += n0) {
            set_rows(t);
            const bool fits = 2ULL * block_bytes * t.base_m <= chip.buffers.l0a &&
                              bytes_in_l1(t) <= room_in_l1(knobs, chip) &&
                              std::uint64_t{t.base_m} * t.base_n * sizeof(float) <= chip.buffers.l0c;
            const std::uint64_t time =
                std::uint64_t{ceil_div(tiles_of(t), cores_of(knobs, chip))} * (t.base_m + 64);
            if (fits && time < least) {
                least = time;
                best = t.base_m;
            }
        }
        return best;
    }

    static void fit(const host::Knobs& knobs, const ascendsim::ChipSpec& chip, Tiling& t) {
        const auto most = static_cast<std::uint32_t>(room_in_l1(knobs, chip) / bytes_in_l1(t));
        t.chunk = knobs.count("chunk") == 0 ? std::min({most, t.c1 / t.groups, 4U}) : knobs.count("chunk");
        const auto room =
            static_cast<std::uint32_t>(std::min(chip.buffers.l0a / (2 * block_bytes * t.base_m),
                                                chip.buffers.l0b / (2 * block_bytes * t.base_n)));
        const std::uint64_t result = std::uint64_t{t.base_m} * t.base_n * sizeof(float);
        if (t.chunk == 0 || t.chunk > most || room == 0 || result > chip.buffers.l0c) {
            throw knobs.error(
                "base_m", fmt::format("a tile of {} x {} does not fit {}", t.base_m, t.base_n, chip.name));
        }
        t.results = 2 * result <= chip.buffers.l0c ? 2 : 1;
        t.step_k = knobs.count("step_k");
        constexpr std::uint32_t repeats = 255;  // of one load
        const std::uint32_t longest = std::max(1U, std::min(room, repeats * n0 / t.base_n));
        for (std::uint32_t step = longest; t.step_k == 0; --step) {
            if (t.chunk * filter_size(t) % step == 0) {  // equal steps
                t.step_k = step;
            }
        }
        t.step_k = std::min(t.step_k, longest);
    }

    static void compute(const Tiling& t,
                        std::uint32_t c0,
                        const epilogue::Epilogue& with,
                        DataType type,
                        host::ReferenceData& data) {
        std::vector<float> x = data.floats("x");
        std::vector<float> w = data.floats("w");
        if (t.hf32 != 0) {
            std::ranges::transform(x, x.begin(), ascendsim::isa::round_to_hf32);
            std::ranges::transform(w, w.begin(), ascendsim::isa::round_to_hf32);
        }
        std::vector<double>& y = data.expected("y");
        const std::size_t plane = std::size_t{t.out_height} * t.out_width;
        const std::size_t channels = std::size_t{t.n1} * n0;
        y.assign(t.batch * channels * plane, 0.0);
        std::vector<double> errors(y.size());
        const std::vector<float> bias = with.bias != 0 ? data.floats("bias") : std::vector<float>(channels);
        const double depth = static_cast<double>(t.c1 / t.groups) * c0 * filter_size(t);
        const Reference reference{t, c0, x, w};
        for (std::uint32_t image = 0; image < t.batch; ++image) {
            const ReferenceSums sums = reference.of_image(image);
            for (std::size_t at = 0; at < plane; ++at) {
                for (std::size_t channel = 0; channel < channels; ++channel) {
                    const std::size_t from = at * channels + channel;
                    const std::size_t to =
                        ((image * (channels / c0) + channel / c0) * plane + at) * c0 + channel % c0;
                    const double sum = sums.values[from] + bias[channel];
                    y[to] = epilogue::activated(with, sum);
                    const double magnitudes = sums.magnitudes[from] + std::abs(bias[channel]);
                    errors[to] =
                        epilogue::error_behind(with, type, host::fp32_sum_error(depth, magnitudes), sum);
                }
            }
        }
        data.set_errors("y", [errors = std::move(errors)](std::uint64_t i) { return errors[i]; });
    }
};

}  // namespace conv2d
