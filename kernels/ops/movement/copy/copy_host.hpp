// SPDX-License-Identifier: Apache-2.0
// The host side of copy.cpp: routes, their tiles and their references.
#pragma once

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "kernels/ops/movement/copy/copy_tiling.hpp"
#include "kernels/plan/flat_split.hpp"
#include "kernels/plan/kernel_host.hpp"

namespace copying {

namespace host = ascendsim::host;
using ascendsim::ceil_div;
using ascendsim::ChipSpec;
using ascendsim::round_up;
using ascendsim::isa::DataType;
using host::elements;

class Copy final : public host::KernelHost {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "copies between global memory, UB and L1, as a benchmark of the ways";
    }

    [[nodiscard]] std::vector<host::Knob> knobs() const override {
        using host::Knob;
        return {
            Knob::shape("shape", {12288, 12288}, "the matrix, or for through, fill and spread the result"),
            Knob::type("dtype",
                       {DataType::half,
                        DataType::bfloat16,
                        DataType::float32,
                        DataType::int8,
                        DataType::int32,
                        DataType::int64},
                       "element type; only its width counts"),
            Knob::word(
                "route",
                {"gm_to_ub", "gm_to_l1", "gm_to_l1_nd2nz", "through", "fill", "spread"},
                "gm_to_*: tiles are read; through: z = x; fill: z = value; spread: every row of z = x"),
            Knob::integer("tile_rows", 0, 0, 4095, "rows", "rows of one copy; 0: chosen"),
            Knob::integer("tile_columns",
                          0,
                          0,
                          1 << 20,
                          "elements",
                          "elements of a row of one copy, or of a tile; 0: chosen"),
            Knob::word("order",
                       {"own", "same", "staggered"},
                       "own: each core its rows; same: every core all rows, in step; staggered: each "
                       "starting elsewhere"),
            Knob::integer("times", 1, 1, 1 << 20, "", "how often each slice is read"),
            Knob::integer(
                "slices", 1, 1, 4096, "", "vertical parts of the matrix that are read one after the other"),
            Knob::flag("bypass_l2", false, "reads go past L2"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: all, or as many as are worth starting"),
            Knob::integer("buffers", 2, 1, 8, "", "tiles under way, of through"),
            Knob::integer("value", 0, -(1LL << 31), (1LL << 31) - 1, "", "of fill, in each 32-bit word"),
            Knob::flag("keep", false, "each core writes its last tile out, so that it can be checked"),
        };
    }

    [[nodiscard]] host::Plan plan(const host::Knobs& knobs, const ChipSpec& chip) const override {
        const std::string& route = knobs.word("route");
        host::Plan plan;
        plan.problem = fmt::format("copy {} {} {}, {}",
                                   host::text(knobs.shape("shape")),
                                   name(knobs.type("dtype")),
                                   route,
                                   knobs.word("order"));
        if (route == "through" || route == "fill") {
            flat(plan, knobs, chip, route == "fill");
        } else if (route == "spread") {
            spread(plan, knobs, chip);
        } else {
            matrix(plan, knobs, chip, route);
        }
        return plan;
    }

private:
    [[nodiscard]] static std::uint64_t size_of(const host::Knobs& knobs) {
        return ascendsim::isa::bits(knobs.type("dtype")) / 8;
    }

    // ---- a matrix by tiles ----

    static void matrix(host::Plan& plan,
                       const host::Knobs& knobs,
                       const ChipSpec& chip,
                       const std::string& route) {
        const bool to_ub = route == "gm_to_ub";
        const std::uint64_t size = size_of(knobs);
        const std::uint32_t cores = to_ub ? host::vector_cores(chip) : chip.cores.aic;
        const std::uint32_t blocks = knobs.count("blocks") != 0 ? knobs.count("blocks") : cores;
        const Tiling t = matrix_tiling(knobs, chip, route, blocks);
        const std::uint64_t columns = t.row_bytes / size;
        const std::uint64_t kept = kept_bytes(t, route);
        plan.chosen = {{"tile_rows", t.tile_rows}, {"tile_columns", t.tile_bytes / size}};
        plan.buffers = {
            host::Buffer::input("x", knobs.type("dtype"), {t.rows, columns}, host::fill::Integers{-100, 100}),
            t.keep != 0 ? host::Buffer::output("z", DataType::int8, {blocks, kept})
                        : host::Buffer::workspace("z", 32)};
        const char* entry = to_ub                 ? "copy_to_ub"
                            : route == "gm_to_l1" ? "copy_to_l1"
                            : size == 4           ? "copy_to_l1_nz32"
                                                  : "copy_to_l1_nz16";
        plan.launches = {
            {.entry = entry,
             .blocks = blocks,
             .cores = to_ub ? ascendsim::CoreUse::aiv : ascendsim::CoreUse::aic,
             .arguments = {
                 host::Argument::address("x"), host::Argument::address("z"), host::Argument::of(t)}}};
        plan.work.gm_bytes = std::uint64_t{t.rows} * t.row_bytes;
        if (t.keep != 0) {
            plan.reference = [t, route, blocks, size](host::ReferenceData& data) {
                expect_kept(data, t, route, blocks, size);
            };
            plan.tolerances = {{.output = "z"}};  // bytes: exact
        }
    }

    [[nodiscard]] static Tiling matrix_tiling(const host::Knobs& knobs,
                                              const ChipSpec& chip,
                                              const std::string& route,
                                              std::uint32_t blocks) {
        const host::Shape& shape = knobs.shape("shape");
        const std::uint64_t size = size_of(knobs);
        if (shape.empty() || elements(shape) == 0) {
            throw knobs.error("shape", "has no elements to copy");
        }
        Tiling t{.row_bytes = shape.back() * size,
                 .rows = static_cast<std::uint32_t>(elements(shape) / shape.back()),
                 .slices = knobs.count("slices"),
                 .times = knobs.count("times"),
                 .bypass_l2 = knobs.flag("bypass_l2") ? 1U : 0U,
                 .keep = knobs.flag("keep") ? 1U : 0U};
        t.order = knobs.word("order") == "own"    ? Order::own
                  : knobs.word("order") == "same" ? Order::same
                                                  : Order::staggered;
        if (shape.back() % t.slices != 0) {
            throw knobs.error("slices",
                              fmt::format("{} columns do not part into {} slices", shape.back(), t.slices));
        }
        choose_tile(t, knobs, chip, route, size);
        t.share_rows = static_cast<std::uint32_t>(
            round_up<std::uint64_t>(ceil_div<std::uint64_t>(t.rows, blocks), t.tile_rows));
        check_route(t, knobs, chip, route, size);
        return t;
    }

    // 128 KiB a copy or what the buffer holds: rows as long as the matrix has them, and as many as fit.
    static void choose_tile(Tiling& t,
                            const host::Knobs& knobs,
                            const ChipSpec& chip,
                            const std::string& route,
                            std::uint64_t size) {
        constexpr std::uint64_t most = 128 * 1024;
        const std::uint64_t room =
            std::min<std::uint64_t>(most, route == "gm_to_ub" ? chip.buffers.ub : chip.buffers.l1);
        const std::uint64_t slice = t.row_bytes / t.slices;
        t.tile_bytes = static_cast<std::uint32_t>(
            knobs.count("tile_columns") != 0
                ? knobs.count("tile_columns") * size
                : std::min<std::uint64_t>(slice, std::max<std::uint64_t>(room / 64, 512)));
        t.tile_rows = knobs.count("tile_rows") != 0 ? knobs.count("tile_rows")
                                                    : static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
                                                          room / round_up<std::uint64_t>(t.tile_bytes, 32),
                                                          1,
                                                          std::min<std::uint64_t>(t.rows, 64)));
    }

    static void check_route(const Tiling& t,
                            const host::Knobs& knobs,
                            const ChipSpec& chip,
                            const std::string& route,
                            std::uint64_t size) {
        const std::uint64_t capacity = route == "gm_to_ub" ? chip.buffers.ub : chip.buffers.l1;
        if (kept_bytes(t, route) > capacity) {
            throw knobs.error("tile_columns",
                              fmt::format("a tile of {} rows of {} bytes does not fit {} bytes",
                                          t.tile_rows,
                                          t.tile_bytes,
                                          capacity));
        }
        if (route == "gm_to_l1" &&
            (t.row_bytes % 32 != 0 || t.tile_bytes % 32 != 0 || t.row_bytes / t.slices % 32 != 0)) {
            throw knobs.error(
                "shape",
                "this route copies whole blocks of 32 bytes; gm_to_l1_nd2nz and gm_to_ub take any row");
        }
        if (route == "gm_to_l1_nd2nz" && (t.row_bytes / size > 65535 || (size != 2 && size != 4))) {
            throw knobs.error("shape", "this route takes rows of up to 65535 elements of 2 or 4 bytes");
        }
        if (t.keep != 0 && t.order == Order::staggered) {
            throw knobs.error("keep", "is for the orders own and same");
        }
    }

    [[nodiscard]] static std::uint64_t kept_bytes(const Tiling& t, const std::string& route) {
        const std::uint64_t rows = route == "gm_to_ub" ? t.tile_rows : round_up(t.tile_rows, 16U);
        return rows * round_up(t.tile_bytes, 32U);
    }

    // The last tile of a core: rows one after the other, or as columns of 32 bytes. What a row's padding
    // holds is undefined, so tests keep whole blocks.
    static void expect_kept(host::ReferenceData& data,
                            const Tiling& t,
                            const std::string& route,
                            std::uint32_t blocks,
                            std::uint64_t size) {
        const std::string_view x{"x"};
        const std::span<const std::byte> bytes = size == 2   ? std::as_bytes(data.view<std::uint16_t>(x))
                                                 : size == 4 ? std::as_bytes(data.view<std::uint32_t>(x))
                                                 : size == 8 ? std::as_bytes(data.view<std::uint64_t>(x))
                                                             : std::as_bytes(data.view<std::uint8_t>(x));
        std::vector<double>& z = data.expected("z");
        for (std::uint32_t core = 0; core < blocks; ++core) {
            const std::uint32_t first = t.order == Order::own ? core * t.share_rows : 0;
            const std::uint32_t end = t.order == Order::own ? std::min(t.rows, first + t.share_rows) : t.rows;
            if (first >= end) {
                continue;
            }
            const std::uint32_t row = first + (end - first - 1) / t.tile_rows * t.tile_rows;
            const std::uint64_t slice = t.row_bytes / t.slices;
            const std::uint64_t within = (slice - 1) / t.tile_bytes * t.tile_bytes;
            const std::uint64_t width = slice - within;
            const std::uint64_t at = std::uint64_t{row} * t.row_bytes + (t.slices - 1) * slice + within;
            const std::uint64_t base = core * kept_bytes(t, route);
            const bool columns = route == "gm_to_l1_nd2nz";
            for (std::uint32_t r = 0; r < end - row; ++r) {
                for (std::uint64_t b = 0; b < width; ++b) {
                    const std::uint64_t to =
                        columns ? b / 32 * (end - row) * 32 + r * 32 + b % 32 : r * width + b;
                    z[base + to] =
                        static_cast<double>(std::to_integer<std::int8_t>(bytes[at + r * t.row_bytes + b]));
                }
            }
        }
    }

    // ---- flat copies and fills ----

    static host::FlatSplit flat_split(const host::Knobs& knobs, const ChipSpec& chip, std::uint32_t buffers) {
        const std::uint64_t size = size_of(knobs);
        const std::uint64_t total = elements(knobs.shape("shape")) * size;
        host::FlatNeed need{
            .total = total, .element_bytes = 1, .local_bytes = buffers, .blocks = knobs.count("blocks")};
        need.tile =
            static_cast<std::uint32_t>(round_up<std::uint64_t>(knobs.count("tile_columns") * size, 512));
        const host::FlatSplit split = host::split_flat(chip, need);
        if (std::uint64_t{split.tile} * buffers > chip.buffers.ub) {
            throw knobs.error(
                "tile_columns",
                fmt::format("{} tiles of {} bytes do not fit {}", buffers, split.tile, chip.buffers.ub));
        }
        return split;
    }

    static void flat(host::Plan& plan, const host::Knobs& knobs, const ChipSpec& chip, bool fill) {
        const std::uint64_t size = size_of(knobs);
        const std::uint32_t buffers = fill ? 1 : knobs.count("buffers");
        const std::uint64_t total = elements(knobs.shape("shape")) * size;
        const host::FlatSplit split = flat_split(knobs, chip, buffers);
        plan.chosen = {{"tile_columns", split.tile / size}};
        const FlatTiling t{.total = total,
                           .share = split.share,
                           .tile = split.tile,
                           .value = static_cast<std::uint32_t>(knobs.integer("value")),
                           .buffers = buffers};
        const host::Shape& shape = knobs.shape("shape");
        if (!fill) {
            plan.buffers.push_back(
                host::Buffer::input("x", knobs.type("dtype"), shape, host::fill::Integers{-100, 100}));
        }
        plan.buffers.push_back(host::Buffer::output("z", knobs.type("dtype"), shape));
        host::Launch launch{.entry = fill ? "copy_fill" : "copy_through",
                            .blocks = split.blocks,
                            .cores = ascendsim::CoreUse::aiv};
        if (!fill) {
            launch.arguments.push_back(host::Argument::address("x"));
        }
        launch.arguments.push_back(host::Argument::address("z"));
        launch.arguments.push_back(host::Argument::of(t));
        plan.launches = {std::move(launch)};
        plan.work.gm_bytes = (fill ? 1 : 2) * total;
        plan.tolerances = {{.output = "z"}};  // copies are exact
        plan.reference = [fill, t, size](host::ReferenceData& data) {
            std::vector<double>& z = data.expected("z");
            for (std::size_t i = 0; i < z.size(); ++i) {
                z[i] = fill ? filled(t.value, size) : static_cast<double>(data.floats("x")[i]);
            }
        };
    }

    // What an integer of `size` bytes reads where every word holds `value`; of 16-bit floats tests use zero.
    [[nodiscard]] static double filled(std::uint32_t value, std::uint64_t size) {
        return size == 1 ? static_cast<std::int8_t>(value) : size == 4 ? static_cast<std::int32_t>(value) : 0;
    }

    static void spread(host::Plan& plan, const host::Knobs& knobs, const ChipSpec& chip) {
        const host::Shape& shape = knobs.shape("shape");
        const std::uint64_t size = size_of(knobs);
        if (shape.empty() || elements(shape) == 0) {
            throw knobs.error("shape", "has no elements to write");
        }
        constexpr std::uint64_t line = 512;
        constexpr std::uint64_t widest = 64 * 1024;
        const std::uint64_t row = shape.back() * size;
        const std::uint64_t rows = elements(shape) / shape.back();
        const std::uint32_t cores =
            knobs.count("blocks") != 0 ? knobs.count("blocks") : host::vector_cores(chip);
        SpreadTiling t{.row_bytes = static_cast<std::uint32_t>(row),
                       .rows = static_cast<std::uint32_t>(rows)};
        // As many rows a core as there are; a row is cut where rows alone do not occupy the cores.
        const std::uint64_t parts = ceil_div<std::uint64_t>(cores, std::min<std::uint64_t>(rows, cores));
        t.strip_bytes =
            static_cast<std::uint32_t>(std::min(widest, round_up<std::uint64_t>(ceil_div(row, parts), line)));
        const std::uint64_t strips = ceil_div<std::uint64_t>(row, t.strip_bytes);
        t.share_rows = static_cast<std::uint32_t>(
            ceil_div<std::uint64_t>(rows, std::max<std::uint64_t>(1, cores / strips)));
        const std::uint64_t tasks = strips * ceil_div<std::uint64_t>(rows, t.share_rows);
        plan.buffers = {
            host::Buffer::input("x", knobs.type("dtype"), {shape.back()}, host::fill::Integers{-100, 100}),
            host::Buffer::output("z", knobs.type("dtype"), shape)};
        plan.launches = {
            {.entry = "copy_spread",
             .blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(tasks, cores)),
             .cores = ascendsim::CoreUse::aiv,
             .arguments = {
                 host::Argument::address("x"), host::Argument::address("z"), host::Argument::of(t)}}};
        plan.work.gm_bytes = row + rows * row;
        plan.tolerances = {{.output = "z"}};  // copies are exact
        plan.reference = [columns = shape.back()](host::ReferenceData& data) {
            std::vector<double>& z = data.expected("z");
            for (std::size_t i = 0; i < z.size(); ++i) {
                z[i] = static_cast<double>(data.floats("x")[i % columns]);
            }
        };
    }
};

}  // namespace copying

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const copying::Copy copy_host;
    return &copy_host;
}
