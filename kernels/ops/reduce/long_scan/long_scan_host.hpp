// SPDX-License-Identifier: Apache-2.0
// The host side of long_scan.cpp.
#pragma once

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/ops/reduce/long_scan/long_scan_tiling.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"
#include "models/numbers/half.hpp"
#include "sim/base/error.hpp"
#include "sim/base/units.hpp"

namespace long_scan {

namespace host = ascendsim::host;
using ascendsim::isa::DataType;

class LongScanHost final : public host::KernelHost {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Running sums of one long vector: within rows on the cube, what comes before them on the "
               "vector cores.";
    }

    [[nodiscard]] std::vector<host::Knob> knobs() const override {
        using host::Knob;
        return {
            Knob::integer("length", 1 << 20, 1, std::int64_t{1} << 31, "elements", "elements of the vector"),
            Knob::type(
                "dtype", {DataType::half, DataType::int8}, "of the vector; sums are float32 and int32"),
            Knob::integer(
                "side", 128, 32, 128, "elements", "of a row and of the triangle of ones: 32, 64 or 128"),
            Knob::word("schedule",
                       {"full", "rows"},
                       "full: all steps; rows: sums within rows of `side` elements alone"),
            Knob::integer("part",
                          0,
                          0,
                          std::int64_t{1} << 31,
                          "elements",
                          "elements between two meetings of all cores; 0: as many as fit L2 with their sums"),
            Knob::integer("blocks", 0, 0, 1024, "groups", "groups of cores; 0: all of the chip")};
    }

    [[nodiscard]] host::Plan plan(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) const override {
        const Tiling t = tiling(knobs, chip);
        const DataType type = knobs.type("dtype");
        const DataType sum = type == DataType::half ? DataType::float32 : DataType::int32;
        const bool rows = knobs.word("schedule") == "rows";
        host::Plan plan;
        if (!rows) {  // sums within rows need no meeting
            plan.chosen = {{"part", t.part}};
        }
        plan.problem =
            fmt::format("running sums of {} x {}{}", t.length, name(type), rows ? ", within rows" : "");
        plan.buffers = {host::Buffer::input("x", type, {t.length}, host::fill::Integers{-4, 5}),
                        host::Buffer::input("ones", type, {t.side, t.side}, triangle(t.side, type)),
                        host::Buffer::output("y", sum, {t.length})};
        host::Launch launch{
            .entry = fmt::format("long_scan_{}{}", rows ? "rows_" : "", name(type)),
            .blocks = t.groups,
            .cores = rows             ? ascendsim::CoreUse::aic
                     : t.vectors == 2 ? ascendsim::CoreUse::mix_1_2
                                      : ascendsim::CoreUse::mix_1_1,
            .arguments = {
                host::Argument::address("x"), host::Argument::address("ones"), host::Argument::address("y")}};
        if (!rows) {
            plan.buffers.push_back(host::Buffer::workspace("sums", std::uint64_t{t.groups} * t.vectors * 4));
            launch.arguments.push_back(host::Argument::address("sums"));
        }
        launch.arguments.push_back(host::Argument::of(t));
        plan.launches.push_back(std::move(launch));
        plan.work = {.cube_flops = 2.0 * t.side * static_cast<double>(t.length),
                     .cube_type = type,
                     .vector_flops = rows ? 0.0 : 2.0 * static_cast<double>(t.length),
                     .vector_type = sum,
                     .gm_bytes = t.length * (ascendsim::isa::bits(type) / 8 + 4)};
        // Integers of up to 5: all sums are whole numbers, and below 2^24 as long as the reference says so.
        plan.tolerances = {{.output = "y", .absolute = 0, .relative = 0x1p-20, .ulp = 0}};
        plan.reference = [t, rows](host::ReferenceData& data) { expect(data, rows ? t.side : t.length); };
        return plan;
    }

private:
    /// Sums that begin anew after each `row` elements.
    static void expect(host::ReferenceData& data, std::uint64_t row) {
        const std::vector<float>& x = data.floats("x");
        double running = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            running = (i % row == 0 ? 0.0 : running) + static_cast<double>(x[i]);
            data.expected("y")[i] = running;
        }
    }

    [[nodiscard]] static Tiling tiling(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) {
        if (!chip.cores.split) {
            throw ascendsim::UserError{"long_scan: {} has no cube cores apart; take a 910B or 910C",
                                       chip.name};
        }
        const std::uint32_t side = knobs.count("side");
        if (side != 32 && side != 64 && side != 128) {
            throw knobs.error("side", "must be 32, 64 or 128: whole fractals, and a tile that fits L0A");
        }
        const std::uint64_t square = std::uint64_t{side} * side;
        const std::uint64_t size = ascendsim::isa::bits(knobs.type("dtype")) / 8;
        const auto length = static_cast<std::uint64_t>(knobs.integer("length"));
        const auto stated = static_cast<std::uint64_t>(knobs.integer("part"));
        const std::uint64_t part = stated != 0 ? stated : chip.l2.bytes / (size + 4);
        // Whole tiles, so that no part but the last has a rest.
        const std::uint64_t fits = std::max<std::uint64_t>(part / square, 1) * square;
        const std::uint64_t tiles = ascendsim::ceil_div(length, square);
        const std::uint32_t groups =
            knobs.count("blocks") == 0 ? chip.cores.aic : std::min(knobs.count("blocks"), chip.cores.aic);
        return {.length = length,
                .part = knobs.word("schedule") == "full" ? fits : tiles * square,
                .side = side,
                .tile = std::min(most_vector_tile, side * side / 2),
                .groups = static_cast<std::uint32_t>(std::min<std::uint64_t>(groups, tiles)),
                .vectors = chip.cores.aiv_per_aic};
    }

    /// Ones on and below the diagonal, the transpose of what the product takes: its column j sums the first j
    /// + 1 elements.
    [[nodiscard]] static host::fill::Content triangle(std::uint32_t side, DataType type) {
        const bool halves = type == DataType::half;
        const std::uint16_t one =
            halves ? ascendsim::numbers::HalfFormat::from_float(1.0F) : std::uint16_t{1};
        const std::size_t size = halves ? 2 : 1;
        std::vector<std::byte> bytes(std::size_t{side} * side * size);
        for (std::uint32_t i = 0; i < side; ++i) {
            for (std::uint32_t j = 0; j <= i; ++j) {
                std::memcpy(&bytes[(std::size_t{i} * side + j) * size], &one, size);
            }
        }
        return {std::move(bytes)};
    }
};

}  // namespace long_scan
