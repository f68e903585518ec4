// SPDX-License-Identifier: Apache-2.0
// A competent tiling of matmul.cpp for a chip and a shape.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "kernels/ops/matmul/matmul/matmul_tiling.hpp"
#include "models/port/data_type.hpp"
#include "models/spec/chip_spec.hpp"
#include "sim/base/units.hpp"

namespace matmul {

using ascendsim::ceil_div;
using ascendsim::round_up;
using ascendsim::isa::DataType;

/// What is multiplied.
struct Problem {
    std::uint64_t m = 0;  // rows of all groups
    std::uint64_t n = 0;
    std::uint64_t k = 0;
    DataType type = DataType::half;
    DataType out = DataType::half;
    bool transpose_a = false;
    bool transpose_b = false;
    bool hf32 = false;
    bool b_blocked = false;           // B as NZ
    std::uint64_t groups = 1;         // products with a B each
    std::vector<std::uint64_t> ends;  // of the groups' rows; empty: all have as many
    double scale = 1;                 // of int32 sums to half
    bool whole = false;               // sums are completed where they are made: no core shares a tile's k
    bool table = false;               // a bias table holds the bias: at most 256 columns of a tile

    /// Rows of a group, on average.
    [[nodiscard]] std::uint64_t group_rows() const { return ceil_div<std::uint64_t>(m, groups); }

    [[nodiscard]] std::uint32_t size() const { return ascendsim::isa::bits(type) / 8; }

    /// Elements of 32 bytes.
    [[nodiscard]] std::uint32_t block() const { return 32 / size(); }

    /// base_m, base_n and base_k are multiples of this.
    [[nodiscard]] std::uint32_t unit() const { return size() == 1 ? 32 : 16; }
};

/// Chooses tiles by estimating, for each candidate, how long its slowest core works.
class TilingChoice {
public:
    TilingChoice(const Problem& problem, const ascendsim::ChipSpec& chip, std::uint32_t cores)
        : problem_{problem}, chip_{chip}, cores_{cores} {}

    /// The best tiling among those that agree with the fields of `wanted` that are not zero; empty if none
    /// fits.
    [[nodiscard]] std::optional<Tiling> best(const Tiling& wanted) const {
        std::optional<Tiling> chosen;
        double least = 0;
        for (const std::uint32_t split : splits(wanted)) {
            for (const std::uint32_t base_m : sizes(wanted.base_m, problem_.group_rows())) {
                for (const std::uint32_t base_n : sizes(wanted.base_n, problem_.n, most_columns())) {
                    Tiling candidate = wanted;
                    candidate.base_m = base_m;
                    candidate.base_n = base_n;
                    candidate.split_k = split;
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
        }
        return chosen;
    }

private:
    static constexpr std::uint64_t request = 512;        // B, the largest a copy is cut into
    static constexpr std::uint64_t table_columns = 256;  // fp32 sums that the bias table begins

    [[nodiscard]] std::vector<std::uint32_t> sizes(std::uint32_t wanted,
                                                   std::uint64_t extent,
                                                   std::uint64_t most_size = 512) const {
        if (wanted != 0) {
            return {wanted};
        }
        std::vector<std::uint32_t> list;
        const auto most = static_cast<std::uint32_t>(std::min<std::uint64_t>(
            round_up<std::uint64_t>(std::max<std::uint64_t>(extent, 1), problem_.unit()), most_size));
        for (std::uint32_t size = problem_.unit(); size <= most; size += problem_.unit()) {
            list.push_back(size);
        }
        return list;
    }

    [[nodiscard]] std::uint64_t most_columns() const { return problem_.table ? table_columns : 512; }

    // Adding parts up in global memory is exact for integers and harmless for fp32; half results are left
    // whole.
    [[nodiscard]] std::vector<std::uint32_t> splits(const Tiling& wanted) const {
        if (wanted.split_k != 0 || problem_.whole) {
            return {std::max(wanted.split_k, 1U)};
        }
        std::vector<std::uint32_t> list{1};
        const bool wide = problem_.out == DataType::float32 || problem_.out == DataType::int32;
        for (std::uint32_t split = 2; wide && split <= cores_ && problem_.k >= std::uint64_t{split} * 512;
             split *= 2) {
            list.push_back(split);
        }
        return list;
    }

    // Fills in what the buffers decide: buffer counts, base_k, step_k. False if the tile does not fit.
    [[nodiscard]] bool complete(Tiling& t) const {
        const ascendsim::BufferSpec& buffers = chip_.buffers;
        const std::uint64_t result = std::uint64_t{t.base_m} * t.base_n * 4;
        if (t.l0c_buffers == 0) {
            t.l0c_buffers = 2 * result <= buffers.l0c ? 2 : 1;
        }
        t.l0_buffers = t.l0_buffers == 0 ? 2 : t.l0_buffers;
        t.l1_buffers = t.l1_buffers == 0 ? 2 : t.l1_buffers;
        if (t.l0c_buffers * result > buffers.l0c) {
            return false;
        }
        const std::uint64_t column = std::uint64_t{t.l0_buffers} * problem_.size();
        const std::uint64_t room =
            std::min(buffers.l0a / (column * t.base_m), buffers.l0b / (column * t.base_n));
        if (t.base_k == 0) {
            const std::uint64_t useful =
                round_up<std::uint64_t>(std::max<std::uint64_t>(problem_.k, 1), problem_.unit());
            // Repeats of a load are 8 bits wide; beyond a few hundred bytes a longer step gains nothing.
            const std::uint64_t most = std::min<std::uint64_t>({room, useful, 512 / problem_.size(), 4080});
            t.base_k = static_cast<std::uint32_t>(most / problem_.unit() * problem_.unit());
        }
        if (t.base_k == 0 || t.base_k > room) {
            return false;
        }
        const std::uint64_t bias = problem_.table ? 2 * table_columns * sizeof(float) : 0;  // two rows
        const std::uint64_t room_l1 =
            (buffers.l1 - bias) / (std::uint64_t{t.l1_buffers} * t.base_k * problem_.size());  // rows
        if (t.step_k == 0) {
            t.step_k = best_step(t.base_k, room_l1 / (t.base_m + t.base_n));
        }
        t.step_k_b = t.step_k_b == 0 ? t.step_k : t.step_k_b;
        return t.step_k > 0 &&
               std::uint64_t{t.step_k} * t.base_m + std::uint64_t{t.step_k_b} * t.base_n <= room_l1;
    }

    // Pieces of one chunk: as many as fit and help; a chunk of whole 512-byte rows is read in whole requests.
    [[nodiscard]] std::uint32_t best_step(std::uint32_t base_k, std::uint64_t pieces) const {
        const std::uint64_t useful = std::max<std::uint64_t>(1, ceil_div<std::uint64_t>(problem_.k, base_k));
        const std::uint64_t most = std::min<std::uint64_t>({pieces, useful, 8});
        const std::uint64_t whole = std::max<std::uint64_t>(1, request / (base_k * problem_.size()));
        return static_cast<std::uint32_t>(most >= whole ? most / whole * whole : most);
    }

    // What `rows` rows of `bytes` cost, as if all were read in 512-byte requests: leftovers count as full
    // ones of 128, and rows that are no multiple of 512 start anywhere, which costs two more.
    [[nodiscard]] static double request_bytes(std::uint64_t rows, std::uint64_t bytes) {
        const std::uint64_t row = bytes % request == 0 ? bytes : round_up<std::uint64_t>(bytes, 128) + 256;
        return static_cast<double>(rows * row);
    }

    // Bytes of A and B for one chunk, and the start of its two copies in the same measure.
    [[nodiscard]] double chunk_bytes(const Tiling& t, std::uint64_t depth, double rate) const {
        const std::uint64_t size = problem_.size();
        const double a = t.transpose_a != 0 ? request_bytes(depth, t.base_m * size)
                                            : request_bytes(t.base_m, depth * size);
        const double b = t.transpose_b != 0 ? request_bytes(t.base_n, depth * size)
                                            : request_bytes(depth, t.base_n * size);
        // Turning rows into NZ costs cycles for each of them.
        const std::uint64_t rows = (t.transpose_a != 0 ? depth : t.base_m) + (problem_.b_blocked   ? 0
                                                                              : t.transpose_b != 0 ? t.base_n
                                                                                                   : depth);
        const double turning = static_cast<double>(rows) * chip_.port.nd2nz_row_cycles;
        return a + b + (turning + 2.0 * chip_.port.read_start_cycles) * rate;
    }

    // Cycles of the core with most tiles: the cube, or the way in, whichever is slower; then the last tile's
    // way out.
    [[nodiscard]] double estimate(const Tiling& t) const {
        const double part =
            static_cast<double>(ceil_div<std::uint64_t>(std::max<std::uint64_t>(problem_.k, 1), t.split_k));
        const std::uint64_t tiles = ceil_div<std::uint64_t>(problem_.group_rows(), t.base_m) *
                                    ceil_div<std::uint64_t>(problem_.n, t.base_n) * t.split_k *
                                    problem_.groups;
        const double rounds = static_cast<double>(ceil_div<std::uint64_t>(tiles, cores_));
        const double active = static_cast<double>(std::min<std::uint64_t>(tiles, cores_));
        const double slow =
            problem_.type == DataType::float32 && !problem_.hf32 ? chip_.cube.fp32_slowdown : 1.0;
        const double steps = ceil_div(t.base_m, chip_.cube.m0) * ceil_div(t.base_n, chip_.cube.n0) *
                             std::ceil(part / problem_.block()) * slow;
        const double cube = steps + std::ceil(part / t.base_k) * (chip_.cube.gap_cycles + 4.0);
        const double shared = chip_.l2.gb_per_s / chip_.cores.clock_ghz / active;
        const double rate = std::min(chip_.port.read_bytes_per_cycle * chip_.port.nd2nz_efficiency, shared);
        const std::uint64_t chunk = std::uint64_t{t.base_k} * t.step_k;
        const double chunks = std::ceil(part / static_cast<double>(chunk));
        const double way_in =
            chunks *
            chunk_bytes(t, std::min<std::uint64_t>(chunk, std::max<std::uint64_t>(problem_.k, 1)), rate) /
            rate;
        const double load =
            static_cast<double>(t.base_m) * part * problem_.size() / chip_.mte1.l0a_bytes_per_cycle +
            static_cast<double>(t.base_n) * part * problem_.size() / chip_.mte1.l0b_bytes_per_cycle;
        const double out_bytes =
            static_cast<double>(t.base_m) * t.base_n * (ascendsim::isa::bits(problem_.out) / 8);
        const double efficiency = t.split_k > 1 ? chip_.fixpipe.atomic_efficiency : 1.0;
        const double way_out =
            out_bytes / (chip_.fixpipe.gm_bytes_per_cycle * efficiency) + chip_.fixpipe.start_cycles;
        const double tile = std::max({cube, way_in, load, way_out}) + (t.l0c_buffers == 1 ? way_out : 0.0);
        return rounds * tile + way_out + way_in / chunks;  // the last tile leaves, the first chunk arrives
    }

    Problem problem_;
    const ascendsim::ChipSpec& chip_;
    std::uint32_t cores_;
};

}  // namespace matmul
