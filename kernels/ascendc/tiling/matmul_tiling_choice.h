// SPDX-License-Identifier: Apache-2.0
// How a matrix product is cut for one core: the base block that keeps the cube busiest, and as much of k in
// L1 as two buffers allow.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/ascendc/tiling/matmul_tiling_types.h"

namespace matmul_tiling {

constexpr int64_t CeilDiv(int64_t value, int64_t unit) {
    return unit == 0 ? 0 : (value + unit - 1) / unit;
}

constexpr int64_t CeilTo(int64_t value, int64_t unit) {
    return CeilDiv(value, unit) * unit;
}

/// Memories of one core, in bytes; those of a 910B unless told otherwise.
struct CoreMemory {
    int64_t l1 = 512 * 1024;
    int64_t l0a = 64 * 1024;
    int64_t l0b = 64 * 1024;
    int64_t l0c = 128 * 1024;
    int64_t ub = 192 * 1024;
    int64_t bias_table = 1024;
};

/// One core's share of a product, and what the caller has fixed (-1: open).
struct CoreProblem {
    int64_t m = 0;
    int64_t n = 0;
    int64_t k = 0;
    int64_t a_bits = 16;
    int64_t b_bits = 16;
    int64_t c_bits = 32;
    bool transpose_a = false;
    bool transpose_b = false;
    bool bias = false;
    bool c_in_ub = false;
    int64_t base_m = -1;
    int64_t base_n = -1;
    int64_t base_k = -1;
    int64_t most_m = -1;
    int64_t most_n = -1;
    int64_t most_k = -1;
};

struct CoreChoice {
    int64_t base_m = 0;
    int64_t base_n = 0;
    int64_t base_k = 0;
    int64_t step_ka = 1;
    int64_t step_kb = 1;
    int64_t depth_a = 1;
    int64_t depth_b = 1;
    int64_t db_l0a = 2;
    int64_t db_l0b = 2;
    int64_t db_l0c = 1;
    double cost = 0;  // cycles, for comparison only
};

/// Searches base blocks; all sizes in elements.
class CoreTiling {
public:
    CoreTiling(const CoreMemory& memory, const CoreProblem& problem) : memory_{memory}, p_{problem} {
        // Where k is a column of what is stored, whole blocks of 32 bytes; where it is a row, whole fractals.
        const int64_t c0 = 256 / p_.a_bits;
        k_unit_ = p_.transpose_a || !p_.transpose_b ? std::max<int64_t>(c0, 16) : c0;
        n_unit_ = !p_.transpose_b && p_.b_bits < 16 ? 256 / p_.b_bits : 16;
        m_unit_ = p_.transpose_a && p_.a_bits < 16 ? 256 / p_.a_bits : 16;
    }

    /// False if nothing fits.
    bool Best(CoreChoice& best) const {
        bool found = false;
        const int64_t last_m = p_.base_m > 0 ? p_.base_m : Limit(p_.m, m_unit_, p_.most_m);
        const int64_t last_n = p_.base_n > 0 ? p_.base_n : Limit(p_.n, n_unit_, p_.most_n);
        for (int64_t m = p_.base_m > 0 ? p_.base_m : m_unit_; m <= last_m; m += m_unit_) {
            for (int64_t n = p_.base_n > 0 ? p_.base_n : n_unit_; n <= last_n; n += n_unit_) {
                CoreChoice choice;
                if (Complete(m, n, choice) && (!found || choice.cost < best.cost)) {
                    best = choice;
                    found = true;
                }
            }
        }
        return found;
    }

private:
    static constexpr int64_t largest_side = 512;
    // Published kernels keep a block that comes in and one that goes out, and something beside.
    static constexpr int64_t blocks_in_ub = 3;

    static int64_t Limit(int64_t size, int64_t unit, int64_t most) {
        const int64_t whole = std::min<int64_t>(CeilTo(std::max<int64_t>(size, 1), unit), largest_side);
        return most > 0 ? std::max(unit, std::min(whole, most / unit * unit)) : whole;
    }

    [[nodiscard]] int64_t ABytes(int64_t elements) const { return elements * p_.a_bits / 8; }

    [[nodiscard]] int64_t BBytes(int64_t elements) const { return elements * p_.b_bits / 8; }

    bool Complete(int64_t m, int64_t n, CoreChoice& choice) const {
        choice.base_m = m;
        choice.base_n = n;
        // Who fixes a block knows where its result goes: published operators state less of the unified buffer
        // than it takes.
        const bool fixed = p_.base_m > 0 && p_.base_n > 0;
        if (m * n * 4 > memory_.l0c || (p_.bias && n * 4 > memory_.bias_table) ||
            (p_.c_in_ub && !fixed && m * n * p_.c_bits / 8 > memory_.ub / blocks_in_ub)) {
            return false;
        }
        choice.db_l0c = m * n * 4 * 2 <= memory_.l0c ? 2 : 1;
        if (!Depth(choice)) {
            return false;
        }
        Steps(choice);
        choice.cost = Cost(choice);
        return true;
    }

    // The deepest piece of k of which L0A and L0B hold two, or one if the caller wants it deeper.
    bool Depth(CoreChoice& choice) const {
        const int64_t whole = CeilTo(std::max<int64_t>(p_.k, 1), k_unit_);
        int64_t depth = std::min(memory_.l0a / 2 * 8 / p_.a_bits / choice.base_m,
                                 memory_.l0b / 2 * 8 / p_.b_bits / choice.base_n);
        depth = std::min(depth / k_unit_ * k_unit_, whole);
        // Powers of two divide the usual depths, so that the last piece is as long as the others.
        for (int64_t power = k_unit_; power <= depth; power *= 2) {
            if (power * 2 > depth && depth != whole) {
                depth = power;
            }
        }
        if (p_.most_k > 0) {
            depth = std::min(depth, std::max(k_unit_, p_.most_k / k_unit_ * k_unit_));
        }
        choice.base_k = p_.base_k > 0 ? p_.base_k : depth;
        if (choice.base_k <= 0) {
            return false;
        }
        choice.db_l0a = ABytes(choice.base_m * choice.base_k) * 2 <= memory_.l0a ? 2 : 1;
        choice.db_l0b = BBytes(choice.base_n * choice.base_k) * 2 <= memory_.l0b ? 2 : 1;
        return ABytes(choice.base_m * choice.base_k) <= memory_.l0a &&
               BBytes(choice.base_n * choice.base_k) <= memory_.l0b;
    }

    [[nodiscard]] int64_t L1Bytes(const CoreChoice& choice,
                                  int64_t step_ka,
                                  int64_t step_kb,
                                  int64_t twice) const {
        return twice * (ABytes(choice.base_m * choice.base_k) * step_ka +
                        BBytes(choice.base_n * choice.base_k) * step_kb) +
               (p_.bias ? choice.base_n * 4 : 0);
    }

    // Steps along k double in turn while two chunks of each operand fit.
    void Steps(CoreChoice& choice) const {
        const int64_t pieces = CeilDiv(std::max<int64_t>(p_.k, 1), choice.base_k);
        const int64_t twice = L1Bytes(choice, 1, 1, 2) <= memory_.l1 ? 2 : 1;
        constexpr int64_t most = 16;
        bool grew = true;
        while (grew) {
            grew = false;
            const int64_t next_a = std::min(choice.step_ka * 2, pieces);
            if (next_a > choice.step_ka && next_a <= most &&
                L1Bytes(choice, next_a, choice.step_kb, twice) <= memory_.l1) {
                choice.step_ka = next_a;
                grew = true;
            }
            const int64_t next_b = std::min(choice.step_kb * 2, pieces);
            if (next_b > choice.step_kb && next_b <= most &&
                L1Bytes(choice, choice.step_ka, next_b, twice) <= memory_.l1) {
                choice.step_kb = next_b;
                grew = true;
            }
        }
        choice.depth_a = choice.step_ka * twice;
        choice.depth_b = choice.step_kb * twice;
    }

    // Whichever is longer of multiplying and fetching; and something for each block, which favours large
    // ones.
    [[nodiscard]] double Cost(const CoreChoice& choice) const {
        constexpr double bytes_per_cycle = 64;
        constexpr double block_cycles = 100;
        const auto blocks_m = static_cast<double>(CeilDiv(p_.m, choice.base_m));
        const auto blocks_n = static_cast<double>(CeilDiv(p_.n, choice.base_n));
        const auto steps_k = static_cast<double>(CeilDiv(p_.k, 256 / p_.a_bits));
        const double slow = p_.a_bits == 32 ? 4 : 1;
        double cube = 0;
        for (const int64_t m : {choice.base_m, p_.m % choice.base_m}) {
            for (const int64_t n : {choice.base_n, p_.n % choice.base_n}) {
                const double many = (m == choice.base_m ? static_cast<double>(p_.m / choice.base_m) : 1) *
                                    (n == choice.base_n ? static_cast<double>(p_.n / choice.base_n) : 1);
                cube += many * static_cast<double>(CeilDiv(m, 16) * CeilDiv(n, 16)) * steps_k * slow;
            }
        }
        const double bytes = static_cast<double>(ABytes(p_.m * p_.k)) * blocks_n +
                             static_cast<double>(BBytes(p_.n * p_.k)) * blocks_m;
        const double pieces = blocks_m * blocks_n * static_cast<double>(CeilDiv(p_.k, choice.base_k));
        return std::max(cube + pieces * 30, bytes / bytes_per_cycle) + 0.2 * bytes / bytes_per_cycle +
               blocks_m * blocks_n * block_cycles;
    }

    CoreMemory memory_;
    CoreProblem p_;
    int64_t m_unit_ = 16;
    int64_t n_unit_ = 16;
    int64_t k_unit_ = 16;
};

}  // namespace matmul_tiling
