// SPDX-License-Identifier: Apache-2.0
// A competent tiling of the fused kernels of swiglu.cpp for a chip and a shape.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "kernels/ops/matmul/swiglu/swiglu_tiling.hpp"
#include "models/spec/chip_spec.hpp"
#include "sim/base/units.hpp"

namespace swiglu {

/// Chooses the unit by estimating how long the core with most of them works: its cube, or its way in.
class UnitChoice {
public:
    UnitChoice(const ascendsim::ChipSpec& chip, std::uint32_t cores) : chip_{chip}, cores_{cores} {}

    /// The best tiling that agrees with the fields of `wanted` that are not zero; empty if none fits.
    [[nodiscard]] std::optional<Tiling> best(const Tiling& wanted) const {
        std::optional<Tiling> chosen;
        double least = 0;
        for (std::uint32_t m = step; m <= most(wanted.base_m, wanted.rows); m += step) {
            for (std::uint32_t n = step; n <= most(wanted.base_n, wanted.columns); n += step) {
                Tiling candidate = wanted;
                candidate.base_m = wanted.base_m == 0 ? m : wanted.base_m;
                candidate.base_n = wanted.base_n == 0 ? n : wanted.base_n;
                if (!complete(candidate)) {
                    continue;
                }
                const double cycles = estimate(candidate);
                if (!chosen || cycles < least) {
                    chosen = candidate;
                    least = cycles;
                }
            }
        }
        return chosen;
    }

private:
    static constexpr std::uint32_t step = 16;
    static constexpr std::uint32_t widest = 512;  // rows or columns of a unit worth trying
    static constexpr std::uint32_t element = 2;   // B

    // With a size given there is one candidate.
    [[nodiscard]] static std::uint32_t most(std::uint32_t wanted, std::uint32_t extent) {
        return wanted != 0 ? step : std::min(widest, ascendsim::round_up(std::max(extent, 1U), step));
    }

    // Columns of weights beside each other in L0B and L0C.
    [[nodiscard]] static std::uint32_t wide(const Tiling& t) { return t.base_n * (3 - t.passes); }

    // Fills in base_k, step_k and vector_rows. False if the unit does not fit.
    [[nodiscard]] bool complete(Tiling& t) const {
        const ascendsim::BufferSpec& buffers = chip_.buffers;
        if (std::uint64_t{t.base_m} * wide(t) * 4 > buffers.l0c) {
            return false;
        }
        const std::uint32_t room =
            std::min(buffers.l0a / t.base_m, buffers.l0b / wide(t)) / (t.buffers * element);
        if (t.base_k == 0) {
            t.base_k = std::min({room, t.depth, 128U}) / step * step;
        }
        if (t.base_k == 0 || t.base_k > room) {
            return false;
        }
        const std::uint32_t pieces = buffers.l1 / (t.buffers * (t.base_m + wide(t)) * t.base_k * element);
        if (t.step_k == 0) {
            // 256 deep chunks of x are rows of 512 bytes, the longest request there is; other depths start
            // inside of one.
            t.step_k =
                std::min({pieces, ascendsim::ceil_div(t.depth, t.base_k), std::max(1U, 256 / t.base_k)});
        }
        if (t.step_k == 0 || t.step_k > pieces) {
            return false;
        }
        return fit_vector(t);
    }

    [[nodiscard]] bool fit_vector(Tiling& t) const {
        const std::uint32_t row = t.base_n * (t.buffers * (4 + 4 + 2) + 4);  // gate, up, y; work
        const std::uint32_t room = chip_.buffers.ub / row;
        const std::uint32_t share = ascendsim::ceil_div(t.base_m, 2U);
        const std::uint32_t useful =
            t.buffers == 1 ? share : std::max(1U, 4096 / t.base_n);  // several to a unit overlap
        t.vector_rows = t.vector_rows == 0 ? std::min({room, share, useful}) : t.vector_rows;
        return t.vector_rows > 0 && t.vector_rows <= room;
    }

    [[nodiscard]] double estimate(const Tiling& t) const {
        const std::uint64_t units =
            std::uint64_t{ascendsim::ceil_div(t.rows, t.base_m)} * ascendsim::ceil_div(t.columns, t.base_n);
        const auto rounds = static_cast<double>(ascendsim::ceil_div<std::uint64_t>(units, cores_));
        const double products = 2.0 * t.base_m * t.base_n * t.depth;
        const double gaps = (chip_.cube.gap_cycles + 4.0) * ascendsim::ceil_div(t.depth, t.base_k) * t.passes;
        const double cube = products / (chip_.cube.m0 * chip_.cube.n0 * chip_.cube.k0_bytes / element) + gaps;
        const double x = way_in(std::uint64_t{t.passes} * t.base_m * t.depth, t.base_k * t.step_k, units);
        const double w = way_in(std::uint64_t{2} * t.base_n * t.depth, t.base_n, units);
        const double out = 2.0 * t.base_m * t.base_n * 4 / chip_.fixpipe.gm_bytes_per_cycle;
        return rounds * ((t.buffers == 2 ? std::max(cube, x + w) : cube + x + w) + out);
    }

    // Cycles to copy `values` in rows of `row` values that start at multiples of their length.
    [[nodiscard]] double way_in(std::uint64_t values, std::uint32_t row, std::uint64_t units) const {
        constexpr std::uint32_t looked_at = 8;
        std::uint64_t requests = 0;
        for (std::uint64_t i = 0; i < looked_at; ++i) {
            requests += requests_of(i * row * element, std::uint64_t{row} * element);
        }
        const double mean = static_cast<double>(looked_at) * row * element / static_cast<double>(requests);
        const double shared = chip_.l2.gb_per_s / chip_.cores.clock_ghz /
                              static_cast<double>(std::min<std::uint64_t>(units, cores_));
        const double under_way = chip_.port.outstanding_reads * mean / chip_.l2.read_latency;
        const double rate =
            std::min({chip_.port.read_bytes_per_cycle * chip_.port.nd2nz_efficiency, shared, under_way});
        return static_cast<double>(values) * element / rate;
    }

    // A row is cut into naturally aligned requests of 128, 256 and 512 bytes.
    [[nodiscard]] std::uint64_t requests_of(std::uint64_t start, std::uint64_t bytes) const {
        const std::uint64_t unit = chip_.port.min_request;
        const std::uint64_t end = ascendsim::round_up(start + bytes, unit);
        std::uint64_t count = 0;
        for (std::uint64_t at = start / unit * unit; at < end; ++count) {
            std::uint64_t size = chip_.port.max_request;
            while (size > unit && (at % size != 0 || at + size > end)) {
                size /= 2;
            }
            at += size;
        }
        return count;
    }

    const ascendsim::ChipSpec& chip_;
    std::uint32_t cores_;
};

}  // namespace swiglu
