// SPDX-License-Identifier: Apache-2.0
// One operand's chunks in L1: which lie there, where the next one goes.
#pragma once

#include "kernels/ascendc/ascendc/cube.h"
#include "kernels/ascendc/matmul/operand_loads.h"

namespace AscendC::matmul_detail {

/// A chunk in L1, of the operand's outer dimension (m or n) and of k; and when it was last read.
struct Slot {
    int32_t outer = -1;
    int32_t inner = -1;
    uint64_t loaded = 0;  // the announcement to wait for
    uint64_t read = 0;    // the announcement after which it may be overwritten
    bool valid = false;
};

/// A ring of chunks of `outer_size` x `k_size` elements: an MDL object's are steps of base blocks, a Norm
/// object's single base blocks.
template <typename T>
class L1Chunks {
public:
    static constexpr uint32_t most = 32;

    /// Divides L1 into `slots` chunks; returns the bytes that they need beyond what was taken before.
    uint32_t Divide(int32_t outer_size, int32_t k_size, int32_t slots, bool either_way) {
        constexpr int32_t unit = OperandLoads<T>::row_unit;
        constexpr int32_t c0 = block_elements<T>;
        int32_t elements = CeilTo(outer_size, unit) * CeilTo(k_size, c0);
        const int32_t transposed = CeilTo(k_size, unit) * CeilTo(outer_size, c0);
        elements = either_way && transposed > elements ? transposed : elements;
        bytes_ = (static_cast<uint32_t>(BytesOf<T>(static_cast<uint64_t>(elements))) + 511U) / 512U * 512U;
        count_ = static_cast<uint32_t>(slots) < most ? static_cast<uint32_t>(slots) : most;
        Forget();
        next_ = 0;
        return bytes_ * count_ > taken_ ? bytes_ * count_ : 0;
    }

    /// Takes the bytes that Divide() asked for at `start`.
    void Place(uint32_t start, Site site) {
        start_ = start;
        taken_ = bytes_ * count_;
        Announce(site);
    }

    /// What lies there is this operand's from here on.
    void Announce(Site site) const {
        if (taken_ != 0) {
            ascendsim::isa::CorePort::current().notice(
                ascendsim::isa::BufferNotice::live, {ascendsim::Memory::l1, start_}, taken_, site);
        }
    }

    /// What lies there is of another matrix.
    void Forget() {
        for (Slot& slot : slots_) {
            slot.valid = false;
        }
    }

    [[nodiscard]] Slot* Find(int32_t outer, int32_t inner) {
        for (uint32_t i = 0; i < count_; ++i) {
            if (slots_[i].valid && slots_[i].outer == outer && slots_[i].inner == inner) {
                return &slots_[i];
            }
        }
        return nullptr;
    }

    /// The slot that a new chunk goes to; null if it is `busy`, the one under way.
    [[nodiscard]] Slot* Replace(int32_t outer, int32_t inner, const Slot* busy) {
        Slot* slot = &slots_[next_];
        if (slot == busy) {
            return nullptr;
        }
        next_ = next_ + 1 == count_ ? 0 : next_ + 1;
        slot->outer = outer;
        slot->inner = inner;
        slot->valid = true;
        return slot;
    }

    [[nodiscard]] LocalTensor<T> Tensor(const Slot& slot) const {
        const auto index = static_cast<uint32_t>(&slot - slots_);
        return LocalTensor<T>(
            TBuffAddr{bytes_, start_ + index * bytes_, nullptr, static_cast<uint8_t>(TPosition::A1)});
    }

    [[nodiscard]] uint32_t count() const { return count_; }

private:
    Slot slots_[most];
    uint32_t start_ = 0;
    uint32_t bytes_ = 0;
    uint32_t taken_ = 0;
    uint32_t count_ = 0;
    uint32_t next_ = 0;
};

}  // namespace AscendC::matmul_detail
