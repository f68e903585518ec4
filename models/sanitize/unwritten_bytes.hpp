// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/sanitize/clock.hpp"
#include "models/sanitize/range_map.hpp"

namespace ascendsim::sanitize {

/// The bytes of a read that were never written.
class UnwrittenBytes {
public:
    /// The read takes [from, to), which were written or not.
    void see(bool written, std::uint64_t from, std::uint64_t to) {
        total_ += to - from;
        if (!written) {
            begin_ = bytes_ == 0 ? from : begin_;
            bytes_ += to - from;
            end_ = to;
            longest_ = std::max(longest_, to - from);
        }
    }

    /// True if the read uses such bytes for certain. The cube side works on whole fractals and the vector
    /// unit on whole tiles, whose unused parts are dropped later: what leaves the core or reaches the scalar
    /// unit is looked at closely, and so is what an instruction takes for addresses. Copies move whole
    /// 32-byte blocks: the rest of a block behind the last value written comes along.
    [[nodiscard]] bool used(const Touch& touch, const isa::Access& access) const {
        const bool cube = access.memory != Memory::ub && access.memory != Memory::gm;
        const bool vector = touch.strand == index(Pipe::vector) && !access.addresses;
        const bool rest =
            touch.strand == index(Pipe::mte2) && access.memory == Memory::gm && longest_ < block_bytes;
        const bool partly = touch.covering || cube || vector || rest;
        return bytes_ != 0 && (!partly || bytes_ == total_);
    }

    /// True if a vector instruction reads a whole repeat of such bytes beside others: seldom meant, but right
    /// if nothing of it arrives.
    [[nodiscard]] bool wide(const Touch& touch) const {
        return touch.strand == index(Pipe::vector) && !touch.covering && longest_ >= repeat_bytes;
    }

    [[nodiscard]] bool any() const { return bytes_ != 0; }

    /// From the first such byte to behind the last one.
    [[nodiscard]] std::uint64_t begin() const { return begin_; }

    [[nodiscard]] std::uint64_t end() const { return end_; }

private:
    static constexpr std::uint64_t repeat_bytes = 256;  // of a vector instruction
    static constexpr std::uint64_t block_bytes = 32;    // of a copy

    std::uint64_t total_ = 0;  // bytes of the access
    std::uint64_t bytes_ = 0;
    std::uint64_t longest_ = 0;  // run of them
    std::uint64_t begin_ = 0;
    std::uint64_t end_ = 0;
};

}  // namespace ascendsim::sanitize
