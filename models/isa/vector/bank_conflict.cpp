// SPDX-License-Identifier: Apache-2.0
#include "models/isa/vector/bank_conflict.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <vector>

namespace ascendsim::isa {
namespace {

constexpr std::uint32_t max_groups = 64;
constexpr std::uint32_t period = 16;  // repeats looked at; strides repeat modulo the 16 groups
constexpr double write_stall =
    0.75;  // cycles per stalled write: (115 - 64) / 64 and (109 - 64) / 64, their middle
constexpr std::size_t memo_size = 256;

// Everything the answer per repeat depends on: places modulo the groups, bank numbers, strides.
struct Key {
    std::array<std::uint64_t, 4> words{};
    friend bool operator==(const Key&, const Key&) = default;
};

/// What a repeat loses, and mostly to whom.
struct Loss {
    double per_repeat = -1;
    Collision collision = Collision::none;
};

struct Memo {
    Key key;
    Loss loss;
};

struct Geometry {
    std::uint32_t groups;
    std::uint32_t slice_blocks;  // blocks before the bank number changes

    [[nodiscard]] std::uint32_t group(std::uint32_t block) const {
        return std::has_single_bit(groups) ? block & (groups - 1) : block % groups;
    }

    [[nodiscard]] std::uint32_t bank(std::uint32_t block) const {
        return std::has_single_bit(slice_blocks) ? block >> std::countr_zero(slice_blocks)
                                                 : block / slice_blocks;
    }
};

std::uint32_t block_of(const VectorOperand& operand, std::uint32_t r, std::uint32_t b) {
    return operand.offset / block_bytes + r * operand.repeat_stride + b * operand.block_stride;
}

bool same_place(const VectorOperand& a, const VectorOperand& b) {
    return a.offset == b.offset && a.block_stride == b.block_stride && a.repeat_stride == b.repeat_stride;
}

std::uint32_t busiest_group(const Geometry& geometry,
                            std::span<const VectorOperand> operands,
                            std::uint32_t r) {
    std::array<std::uint8_t, max_groups> load{};
    for (const VectorOperand& operand : operands) {
        const std::uint32_t blocks = operand.block_stride == 0 ? 1 : blocks_per_repeat;
        for (std::uint32_t b = 0; b < blocks; ++b) {
            ++load[geometry.group(block_of(operand, r, b))];
        }
    }
    return *std::ranges::max_element(load);
}

bool write_meets_read(const Geometry& geometry,
                      const VectorOperand& dst,
                      std::span<const VectorOperand> sources,
                      std::uint32_t writes,
                      std::uint32_t reads) {
    for (std::uint32_t w = 0; w < blocks_per_repeat; ++w) {
        const std::uint32_t written = block_of(dst, writes, w);
        for (const VectorOperand& source : sources) {
            for (std::uint32_t b = 0; b < blocks_per_repeat; ++b) {
                const std::uint32_t read = block_of(source, reads, b);
                if (geometry.group(read) == geometry.group(written) &&
                    geometry.bank(read) == geometry.bank(written)) {
                    return true;
                }
            }
        }
    }
    return false;
}

/// The cycles of a repeat: reads, and writes, of the same group take turns.
double cycles_of_repeat(const Geometry& geometry,
                        const VectorOperand& dst,
                        std::span<const VectorOperand> reads,
                        std::uint32_t r) {
    return std::max(busiest_group(geometry, reads, r), busiest_group(geometry, {&dst, 1}, r));
}

/// The operand with its blocks side by side.
VectorOperand in_order(VectorOperand operand) {
    operand.block_stride = std::min<std::uint16_t>(operand.block_stride, 1);
    return operand;
}

Loss loss_per_repeat(const Geometry& geometry,
                     const VectorOperand& dst,
                     std::span<const VectorOperand> reads) {
    double lost = 0;
    std::array<double, 4> to{};  // by Collision
    std::vector<VectorOperand> dense_reads;
    std::ranges::transform(reads, std::back_inserter(dense_reads), in_order);
    for (std::uint32_t r = 0; r < period; ++r) {
        const std::uint32_t write_cycles = busiest_group(geometry, {&dst, 1}, r);
        const double extra = cycles_of_repeat(geometry, dst, reads, r) - 1.0;
        const bool stalls = extra < 0.5 && write_meets_read(geometry, dst, reads, r, r) &&
                            write_meets_read(geometry, dst, reads, r, r + 1);
        lost += extra + (stalls ? write_stall : 0.0);
        // Each is told what would go with it: with all blocks of an operand side by side, or with each
        // operand read at a time of its own.
        const double dense = cycles_of_repeat(geometry, in_order(dst), dense_reads, r);
        std::uint32_t alone = write_cycles;
        for (const VectorOperand& read : reads) {
            alone = std::max(alone, busiest_group(geometry, {&read, 1}, r));
        }
        to[static_cast<std::size_t>(Collision::stride)] += std::max(extra + 1.0 - dense, 0.0);
        to[static_cast<std::size_t>(Collision::sources)] += std::max(extra + 1.0 - alone, 0.0);
        to[static_cast<std::size_t>(Collision::destination)] += stalls ? write_stall : 0.0;
    }
    const auto most = std::ranges::max_element(to) - to.begin();
    return {lost / period, lost > 0 ? static_cast<Collision>(most) : Collision::none};
}

std::uint64_t packed(const Geometry& geometry, const VectorOperand& operand) {
    const std::uint32_t block = operand.offset / block_bytes;
    return (std::uint64_t{geometry.bank(block)} << 44U) | (std::uint64_t{geometry.group(block)} << 32U) |
           (std::uint64_t{operand.block_stride} << 16U) | operand.repeat_stride;
}

// The same operand near the start of its bank, so that the answer depends on the key alone.
VectorOperand normalised(const Geometry& geometry, VectorOperand operand) {
    const std::uint32_t block = operand.offset / block_bytes;
    operand.offset = (geometry.bank(block) * geometry.slice_blocks + geometry.group(block)) * block_bytes;
    return operand;
}

bool dense(const VectorOperand& operand) {
    return operand.block_stride == 1 && operand.repeat_stride == blocks_per_repeat;
}

}  // namespace

BankConflict bank_conflict(const BufferSpec& buffers,
                           const VectorOperand& dst,
                           std::span<const VectorOperand> sources,
                           std::uint32_t repeats) {
    if (buffers.ub_bank_groups > max_groups) {
        return {};  // what-if runs ask for a memory in which no two blocks ever meet
    }
    if (repeats < 2 ||
        (sources.size() < 2 && dense(dst) && (sources.empty() || same_place(dst, sources[0])))) {
        return {};
    }
    if (sources.size() == 2 && same_place(sources[0], sources[1])) {
        sources = sources.first(1);  // read once
    }
    const Geometry geometry{std::min(buffers.ub_bank_groups, max_groups),
                            buffers.ub_bank_groups * buffers.ub_bank_bytes / block_bytes};
    const bool two = sources.size() > 1;
    const Key key{{packed(geometry, dst),
                   sources.empty() ? 0 : packed(geometry, sources[0]),
                   two ? packed(geometry, sources[1]) : 0,
                   (std::uint64_t{geometry.groups} << 32U) | (std::uint64_t{geometry.slice_blocks} << 8U) |
                       sources.size()}};
    thread_local std::array<Memo, memo_size> memo;
    const std::uint64_t hash = (key.words[0] * 0x9E3779B97F4A7C15U) ^ (key.words[1] * 0xC2B2AE3D27D4EB4FU) ^
                               (key.words[2] * 0x165667B19E3779F9U);
    Memo& slot = memo[(hash >> 48U) % memo_size];
    if (slot.loss.per_repeat < 0 || !(slot.key == key)) {
        std::array<VectorOperand, 2> placed;
        for (std::size_t i = 0; i < sources.size(); ++i) {
            placed[i] = normalised(geometry, sources[i]);
        }
        slot = {
            .key = key,
            .loss = loss_per_repeat(geometry, normalised(geometry, dst), {placed.data(), sources.size()})};
    }
    const double cycles = slot.loss.per_repeat * repeats;
    const auto floor = static_cast<std::uint32_t>(cycles);
    return {floor + (static_cast<double>(floor) < cycles ? 1 : 0), slot.loss.collision};
}

}  // namespace ascendsim::isa
