// SPDX-License-Identifier: Apache-2.0
// A tensor's sum or extreme in stages. The vector unit reduces repeats to results in `work`, and those again,
// until one is left; the scalar unit takes it to its place and lets the vector unit and MTE3 go on. So a call
// ends with a round trip between two units, which takes longer than the passes of a short tensor.
#pragma once

#include <algorithm>

#include "kernels/ascendc/ascendc/pipe.h"
#include "kernels/ascendc/ascendc/vector/vector_reduce.h"

namespace AscendC {

/// Sets a flag and waits for it: with an id that is free, or 0 in a kernel without a TPipe.
template <HardEvent event>
inline void PassFlag(Site site) {
    auto* pipe = static_cast<TPipe*>(ascendsim::isa::CorePort::current().framework);
    const int32_t id = pipe == nullptr ? 0 : pipe->FetchEventID(event);
    SetFlag<event>(id, site);
    WaitFlag<event>(id, site);
}

/// One call of ReduceSum, ReduceMax or ReduceMin, whose result goes to offset `dst` of the unified buffer.
template <typename T>
class StagedReduction {
public:
    StagedReduction(Reduction how, uint32_t dst, uint32_t work, bool with_index, Site site)
        : how_(how), dst_(dst), work_(work), with_index_(with_index), site_(site) {}

    /// Reduces repeats that lie `stride` blocks apart.
    void Repeats(uint32_t src, uint16_t stride, const ascendsim::isa::VectorShape& shape) const {
        const uint32_t repeats = shape.repeat_count(lanes);
        if (repeats == 0) {
            return;
        }
        if (with_index_ && repeats == 1) {
            Pass(dst_, src, stride, shape);
            return;
        }
        FirstPass(src, stride, shape, repeats);
        if (repeats == 1) {
            Take(work_);
        } else if (how_ == Reduction::sum) {
            AddSums(repeats);
        } else if (with_index_) {
            FollowIndices(repeats, stride);
        } else {
            FoldPairs(repeats);
        }
    }

    /// Reduces `count` consecutive elements: full repeats first, then the rest, then these two.
    void Count(uint32_t src, uint32_t count) const {
        const uint32_t full = count / lanes;
        const uint32_t rest = full == 0 ? 0 : count % lanes;
        SetMaskNorm();
        Repeats(src, dense, full == 0 ? Lanes(count) : Lanes(lanes, full));
        if (rest != 0) {
            AddRest(src + full * repeat_bytes, rest, full * lanes);
        } else if (how_ == Reduction::sum && count != 0) {
            PassFlag<HardEvent::V_S>(site_);
        }
    }

    /// The scalar unit's access to an element of the unified buffer.
    template <typename U = T>
    [[nodiscard]] static U Load(uint32_t offset, Site site) {
        U value;
        __builtin_memcpy(static_cast<void*>(&value), Access(offset, sizeof(U), false, site), sizeof(U));
        return value;
    }

    template <typename U>
    static void Store(uint32_t offset, U value, Site site) {
        __builtin_memcpy(Access(offset, sizeof(U), true, site), static_cast<void*>(&value), sizeof(U));
    }

    /// Lets the vector unit and MTE3 see what the scalar unit has stored.
    static void Release(Site site) {
        PassFlag<HardEvent::S_V>(site);
        PassFlag<HardEvent::S_MTE3>(site);
    }

private:
    using Index = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;

    static constexpr uint32_t repeat_bytes = 256;
    static constexpr uint32_t block_bytes = 32;
    static constexpr uint16_t dense = 8;           // blocks from repeat to repeat
    static constexpr uint32_t most_repeats = 255;  // of one instruction
    static constexpr uint32_t most_levels = 8;
    static constexpr uint32_t lanes = repeat_bytes / sizeof(T);
    static constexpr uint32_t pair_bytes = 2 * sizeof(T);
    static constexpr uint32_t pairs_per_repeat = lanes / 2;

    static ascendsim::isa::VectorShape Lanes(uint32_t count, uint32_t repeats = 1) {
        return ascendsim::isa::shape_of_lanes(count, repeats);
    }

    /// The values of `pairs` pairs of a value and an index: every other lane.
    static ascendsim::isa::VectorShape Values(uint32_t pairs, uint32_t repeats = 1) {
        constexpr uint64_t all = 0x5555555555555555;
        const uint64_t low = pairs < 32 ? all & ((uint64_t{1} << (2 * pairs)) - 1) : all;
        const uint64_t high =
            pairs < 64 ? all & ((uint64_t{1} << (2 * (std::max(pairs, 32U) - 32))) - 1) : all;
        const uint64_t mask[2] = {low, high};
        return ascendsim::isa::shape_of_bits(mask, repeats);
    }

    static void* Access(uint32_t offset, uint32_t bytes, bool write, Site site) {
        const ascendsim::isa::Local where{ascendsim::Memory::ub, offset};
        ascendsim::isa::scalar_buffer_access(where, bytes, write, site);
        return ascendsim::isa::CorePort::current().at(where);
    }

    [[nodiscard]] uint32_t ResultBytes() const { return how_ == Reduction::sum ? sizeof(T) : pair_bytes; }

    /// One instruction: a sum, or a value and its lane, for each repeat.
    void Pass(uint32_t to, uint32_t from, uint16_t stride, const ascendsim::isa::VectorShape& shape) const {
        const ascendsim::isa::VectorOperand operand{from, 1, stride, DataTypeOf<T>()};
        if (how_ == Reduction::sum) {
            ascendsim::isa::reduce_repeats_sum({to, sizeof(T)}, operand, shape, site_);
        } else {
            ascendsim::isa::reduce_repeats_extreme(
                how_, FormOf(ReduceOrder::ORDER_VALUE_INDEX), {to, pair_bytes}, operand, shape, site_);
        }
    }

    void FirstPass(uint32_t src,
                   uint16_t stride,
                   const ascendsim::isa::VectorShape& shape,
                   uint32_t repeats) const {
        if (shape.counter) {
            Pass(work_, src, stride, shape);
            return;
        }
        for (uint32_t first = 0; first < repeats; first += most_repeats) {
            ascendsim::isa::VectorShape part = shape;
            part.repeats = std::min(repeats - first, most_repeats);
            Pass(work_ + first * ResultBytes(), src + first * stride * block_bytes, stride, part);
        }
    }

    /// Reduces pairs at `from` to pairs at `to`: whole repeats of them, then the rest. Returns how many are
    /// left.
    uint32_t PassPairs(uint32_t to, uint32_t from, uint32_t pairs) const {
        const uint32_t full = pairs / pairs_per_repeat;
        const uint32_t rest = pairs % pairs_per_repeat;
        if (full != 0) {
            Pass(to, from, dense, Values(pairs_per_repeat, full));
        }
        if (rest != 0) {
            Pass(to + full * pair_bytes, from + full * repeat_bytes, dense, Values(rest));
        }
        return full + (rest != 0 ? 1 : 0);
    }

    /// The extreme of pairs in `work`, in place: at least two passes, then the scalar unit.
    void FoldPairs(uint32_t pairs) const {
        do {
            PipeBarrier<PIPE_V>(site_);
            pairs = PassPairs(work_, work_, pairs);
        } while (pairs > pairs_per_repeat);
        PipeBarrier<PIPE_V>(site_);
        PassPairs(work_, work_, pairs);
        Take(work_);
    }

    /// The same with the extreme's place among all elements. Each level stays, behind the one before: its
    /// index says which pair of the level below the value is from.
    void FollowIndices(uint32_t repeats, uint16_t stride) const {
        uint32_t starts[most_levels]{work_};
        uint32_t pairs[most_levels]{repeats};
        uint32_t top = 0;
        do {
            PipeBarrier<PIPE_V>(site_);
            const uint32_t bytes = pairs[top] * pair_bytes;
            starts[top + 1] = starts[top] + (bytes + block_bytes - 1) / block_bytes * block_bytes;
            pairs[top + 1] = PassPairs(starts[top + 1], starts[top], pairs[top]);
            ++top;
        } while (pairs[top] > 1);
        if (top == 1) {
            PipeBarrier<PIPE_V>(site_);
        }
        PassFlag<HardEvent::V_S>(site_);
        const T value = Load(starts[top], site_);
        uint32_t place = 0;
        for (; top > 0; --top) {
            place = place * pairs_per_repeat + LoadIndex(starts[top] + place * pair_bytes) / 2;
            place = std::min(place, pairs[top - 1] - 1);  // a run without values has any index there
        }
        const uint32_t elements = stride * block_bytes / sizeof(T);
        const uint32_t index = place * elements + LoadIndex(work_ + place * pair_bytes);
        Store(dst_, value, site_);
        Store(dst_ + sizeof(T), static_cast<Index>(index), site_);
        Release(site_);
    }

    [[nodiscard]] uint32_t LoadIndex(uint32_t pair) const {
        return Load<Index>(pair + sizeof(T), site_) % lanes;
    }

    /// The sum of the sums in `work`. More than a repeat of them leaves several, which are the last
    /// instruction's; its result needs no scalar unit.
    void AddSums(uint32_t sums) const {
        PipeBarrier<PIPE_V>(site_);
        if constexpr (__NPU_ARCH__ == 1001) {
            AddSumsByRepeats(sums);
        } else {
            Pass(work_, work_, dense, CountShape(static_cast<int32_t>(sums)));
        }
        PipeBarrier<PIPE_V>(site_);
        const uint32_t left = (sums + lanes - 1) / lanes;
        if (left == 1) {
            Take(work_);
        } else {
            Pass(dst_, work_, dense, Lanes(left));
        }
    }

    /// Without a mask that counts: whole repeats, then the rest, whose sum the scalar unit puts behind
    /// theirs.
    void AddSumsByRepeats(uint32_t sums) const {
        const uint32_t full = sums / lanes;
        const uint32_t rest = sums % lanes;
        if (full != 0) {
            Pass(work_, work_, dense, Lanes(lanes, full));
        }
        if (rest == 0) {
            return;
        }
        Pass(dst_, work_ + full * repeat_bytes, dense, Lanes(rest));
        PassFlag<HardEvent::V_S>(site_);
        Store(work_ + full * static_cast<uint32_t>(sizeof(T)), Load(dst_, site_), site_);
        if (full != 0) {
            PassFlag<HardEvent::S_V>(site_);
        }
    }

    /// Has the scalar unit take the result that the vector unit left at `from`.
    void Take(uint32_t from) const {
        PassFlag<HardEvent::V_S>(site_);
        Store(dst_, Load(from, site_), site_);
        Release(site_);
    }

    /// Joins what stands in `dst` and `count` elements more, of which the first is number `first`.
    void AddRest(uint32_t src, uint32_t count, uint32_t first) const {
        PassFlag<HardEvent::V_S>(site_);
        const T body = Load(dst_, site_);
        const Index place = with_index_ ? Load<Index>(dst_ + sizeof(T), site_) : Index{};
        Repeats(src, dense, Lanes(count));
        PassFlag<HardEvent::V_S>(site_);
        const T rest = Load(dst_, site_);
        const Index behind = with_index_ ? Load<Index>(dst_ + sizeof(T), site_) : Index{};
        Store(work_, body, site_);
        Store(work_ + sizeof(T), rest, site_);
        PassFlag<HardEvent::S_V>(site_);
        Repeats(work_, dense, Lanes(2));
        if (with_index_) {
            PassFlag<HardEvent::V_S>(site_);
            const bool second = Load<Index>(dst_ + sizeof(T), site_) == 1;
            Store(dst_ + sizeof(T), second ? static_cast<Index>(first + behind) : place, site_);
            Release(site_);
        }
    }

    Reduction how_;
    uint32_t dst_;
    uint32_t work_;
    bool with_index_;
    Site site_;
};

}  // namespace AscendC
