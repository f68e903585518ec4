// SPDX-License-Identifier: Apache-2.0
// The gate of a mixture of experts as the operator library does it, token by token (ops-transformer,
// moe/moe_gating_top_k): a score for each expert, the best by score + bias, their scores as weights.
//   groups  256 experts in 8 groups of 32: the four groups with the largest sums of two, then the best of
//           those, by one merge of four sorted lists (moe_gating_top_k_e_k_fullload.h)
//   all     any number of experts, all sorted (moe_gating_top_k_without_group.h)
#pragma once

#include "kernels/shared/await.h"

struct MoeGatingTiling {
    uint32_t tokens;
    uint32_t experts;
    uint32_t pitch;  // experts in whole groups of 32, as they are sorted
    uint32_t k;
    uint32_t share;    // tokens of a core
    uint32_t groups;   // 0: all experts are sorted
    uint32_t softmax;  // 1: of all scores; 0: a sigmoid of each, and weights are divided by their sum
    uint32_t bias;     // 1: a row is added before the choice
    float scale;       // of the weights
};

struct MoeGatingAddresses {
    GM_ADDR x;
    GM_ADDR bias;
    GM_ADDR weights;
    GM_ADDR indices;
};

/// What both orders share: a token's scores, and the weights of those chosen.
template <typename T>
class MoeGatingBase {
protected:
    using Floats = AscendC::LocalTensor<float>;
    using Indices = AscendC::LocalTensor<int32_t>;
    using Event = AscendC::HardEvent;
    static constexpr bool wide = std::is_same_v<T, float>;
    static constexpr uint32_t sorted = 32;  // pairs of one Sort32
    static constexpr float lowest = -3.4028235e38f;

    __aicore__ inline MoeGatingBase(const MoeGatingAddresses& a,
                                    const MoeGatingTiling& tiling,
                                    AscendC::TPipe& pipe)
        : t(tiling) {
        xGm.SetGlobalBuffer((__gm__ T*)a.x, static_cast<uint64_t>(t.tokens) * t.experts);
        biasGm.SetGlobalBuffer((__gm__ T*)a.bias, t.experts);
        weightsGm.SetGlobalBuffer((__gm__ T*)a.weights, static_cast<uint64_t>(t.tokens) * t.k);
        indicesGm.SetGlobalBuffer((__gm__ int32_t*)a.indices, static_cast<uint64_t>(t.tokens) * t.k);
        first = t.share * AscendC::GetBlockIdx();
        count = first >= t.tokens ? 0 : t.tokens - first < t.share ? t.tokens - first : t.share;
        const uint32_t floats = t.pitch * sizeof(float);
        pipe.InitBuffer(inX, t.groups != 0 ? 2 : 1, floats * (wide ? 1 : 2));
        pipe.InitBuffer(biasRow, floats * (wide ? 1 : 2));
        pipe.InitBuffer(scores, floats);
        pipe.InitBuffer(biased, floats);
        pipe.InitBuffer(outWeights, 1, Chosen() * sizeof(float) * 2);
        pipe.InitBuffer(outIndices, 1, Chosen() * sizeof(int32_t));
        pipe.InitBuffer(work, 8 * floats);
    }

    /// Room for the indices and weights of those chosen: whole vectors of pairs.
    __aicore__ inline uint32_t Chosen() const { return (t.k + sorted - 1) / sorted * sorted; }

    // (experts) GM -> UB; of 16 bits behind the floats that they become
    __aicore__ inline void FetchRow(const Floats& to, const AscendC::GlobalTensor<T>& from) const {
        const AscendC::DataCopyExtParams row(1, t.experts * static_cast<uint32_t>(sizeof(T)), 0, 0, 0);
        const AscendC::DataCopyPadExtParams<T> none;
        if constexpr (wide) {
            AscendC::DataCopyPad(to, from, row, none);
        } else {
            AscendC::DataCopyPad(to[t.pitch].template ReinterpretCast<T>(), from, row, none);
        }
    }

    __aicore__ inline void Widen(const Floats& row) const {
        if constexpr (!wide) {
            AscendC::Cast(
                row, row[t.pitch].template ReinterpretCast<T>(), AscendC::RoundMode::CAST_NONE, t.experts);
            AscendC::PipeBarrier<PIPE_V>();
        }
    }

    __aicore__ inline void FetchBias() {
        if (t.bias != 0) {
            const Floats row = biasRow.template Get<float>();
            FetchRow(row, biasGm);
            Await<Event::MTE2_V>();
            Widen(row);
        }
    }

    /// The token's scores, and those with the bias, by which experts are chosen.
    __aicore__ inline void Score(uint32_t token) {
        Floats x = inX.template AllocTensor<float>();
        FetchRow(x, xGm[static_cast<uint64_t>(token) * t.experts]);
        inX.EnQue(x);
        x = inX.template DeQue<float>();
        Widen(x);
        const Floats score = scores.template Get<float>();
        const Floats chosen_by = biased.template Get<float>();
        if (t.softmax != 0) {
            Softmax(score, x);
        } else {
            AscendC::Sigmoid(score, x, work.template Get<uint8_t>(), t.experts);
            AscendC::PipeBarrier<PIPE_V>();
        }
        inX.FreeTensor(x);
        if (t.bias != 0) {
            AscendC::Add(chosen_by, score, biasRow.template Get<float>(), t.experts);
        } else {
            AscendC::Adds(chosen_by, score, 0.0f, t.experts);
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

    /// Largest and sum go by way of the scalar unit.
    __aicore__ inline void Softmax(const Floats& to, const Floats& x) const {
        const Floats value = work.template Get<float>();
        const Floats space = value[8];
        AscendC::ReduceMax(value, x, space, t.experts);
        const float most = Read(value);
        AscendC::Adds(to, x, -most, t.experts);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Exp(to, to, t.experts);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::ReduceSum(value, to, space, t.experts);
        const float sum = Read(value);
        AscendC::Muls(to, to, 1.0f / sum, t.experts);
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline float Read(const Floats& from) const {
        Await<Event::V_S>();
        const float value = from.GetValue(0);
        Await<Event::S_V>();
        return value;
    }

    /// Scores of those chosen, divided by their sum if they are sigmoids, and both written out.
    __aicore__ inline void Keep(uint32_t token, Indices& chosen) {
        const Floats score = scores.template Get<float>();
        const Indices offsets = work.template Get<int32_t>();
        const Floats space = work.template Get<float>()[64 + Chosen()];
        const auto k = static_cast<int32_t>(t.k);
        const AscendC::LocalTensor<T> out = outWeights.template AllocTensor<T>();
        Floats weights;
        if constexpr (wide) {
            weights = out;
        } else {
            weights = out.template ReinterpretCast<float>()[Chosen()];
        }
        AscendC::Muls(offsets, chosen, static_cast<int32_t>(sizeof(float)), k);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Gather(weights, score, offsets.template ReinterpretCast<uint32_t>(), 0U, t.k);
        AscendC::PipeBarrier<PIPE_V>();
        if (t.softmax == 0) {
            AscendC::ReduceSum(space, weights, space[64], k);
            const float sum = Read(space) + 1e-20f;
            AscendC::Duplicate(space, sum, k);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Div(weights, weights, space, k);
            AscendC::PipeBarrier<PIPE_V>();
        }
        AscendC::Muls(weights, weights, t.scale, k);
        if constexpr (!wide) {
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Cast(out, weights, AscendC::RoundMode::CAST_RINT, k);
        }
        outIndices.EnQue(chosen);
        outWeights.EnQue(out);
        AscendC::LocalTensor<T> ready = outWeights.template DeQue<T>();
        chosen = outIndices.template DeQue<int32_t>();
        const uint64_t at = static_cast<uint64_t>(token) * t.k;
        AscendC::DataCopyPad(weightsGm[at],
                             ready,
                             AscendC::DataCopyExtParams(1, t.k * static_cast<uint32_t>(sizeof(T)), 0, 0, 0));
        AscendC::DataCopyPad(
            indicesGm[at],
            chosen,
            AscendC::DataCopyExtParams(1, t.k * static_cast<uint32_t>(sizeof(int32_t)), 0, 0, 0));
        outIndices.FreeTensor(chosen);
        outWeights.FreeTensor(ready);
    }

    /// The second words of the first k pairs.
    __aicore__ inline void SecondWords(const Indices& to, const Floats& pairs) const {
        uint64_t kept = 0;
        AscendC::GatherMask(
            to, pairs.template ReinterpretCast<int32_t>(), uint8_t{2}, true, 2 * t.k, {1, 1, 0, 0}, kept);
        AscendC::ResetMask();
        AscendC::PipeBarrier<PIPE_V>();
    }

    MoeGatingTiling t;
    uint32_t first, count;
    AscendC::GlobalTensor<T> xGm, biasGm, weightsGm;
    AscendC::GlobalTensor<int32_t> indicesGm;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> inX;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outWeights, outIndices;
    AscendC::TBuf<AscendC::TPosition::VECCALC> biasRow, scores, biased, work;
};

/// All experts are sorted.
template <typename T>
class MoeGatingOfAll : private MoeGatingBase<T> {
    using Base = MoeGatingBase<T>;
    using Base::t;
    using typename Base::Event;
    using typename Base::Floats;
    using typename Base::Indices;

public:
    __aicore__ inline MoeGatingOfAll(const MoeGatingAddresses& addresses,
                                     const MoeGatingTiling& tiling,
                                     AscendC::TPipe& pipe)
        : Base(addresses, tiling, pipe) {
        pipe.InitBuffer(numbers, t.pitch * sizeof(int32_t));
    }

    __aicore__ inline void Process() {
        Base::FetchBias();
        const Indices number = numbers.template Get<int32_t>();
        AscendC::ArithProgression(number, 0, 1, t.pitch);
        for (uint32_t row = Base::first; row < Base::first + Base::count; ++row) {
            Base::Score(row);
            const Floats by = Base::biased.template Get<float>();
            if (t.pitch != t.experts) {
                const uint32_t whole = t.experts / Base::sorted * Base::sorted;
                const uint64_t behind[2]{~uint64_t{0} << (t.experts - whole) & 0xffffffff, 0};
                AscendC::Duplicate(by[whole], Base::lowest, behind, uint8_t{1}, uint16_t{1}, uint8_t{8});
                AscendC::PipeBarrier<PIPE_V>();
            }
            const Floats pairs = Base::work.template Get<float>();
            Floats other = pairs[2 * t.pitch];
            AscendC::Sort<float, true>(
                pairs, by, number.template ReinterpretCast<uint32_t>(), other, t.pitch / Base::sorted);
            AscendC::PipeBarrier<PIPE_V>();
            Indices chosen = Base::outIndices.template AllocTensor<int32_t>();
            Base::SecondWords(chosen, pairs);
            Base::Keep(row, chosen);
        }
    }

private:
    AscendC::TBuf<AscendC::TPosition::VECCALC> numbers;
};

/// Eight groups of 32, of which four are merged.
template <typename T>
class MoeGatingOfGroups : private MoeGatingBase<T> {
    using Base = MoeGatingBase<T>;
    using Base::t;
    using typename Base::Event;
    using typename Base::Floats;
    using typename Base::Indices;
    static constexpr uint32_t kept = 4;    // groups
    static constexpr uint32_t pair = 2;    // words of a sorted element
    static constexpr uint32_t lanes = 64;  // words of a vector

public:
    __aicore__ inline MoeGatingOfGroups(const MoeGatingAddresses& addresses,
                                        const MoeGatingTiling& tiling,
                                        AscendC::TPipe& pipe)
        : Base(addresses, tiling, pipe) {
        pipe.InitBuffer(in_groups, t.pitch * pair * sizeof(float));
        pipe.InitBuffer(of_groups, lanes * sizeof(float));
        pipe.InitBuffer(small, lanes * sizeof(float));
        pipe.InitBuffer(numbers, t.pitch * sizeof(int32_t));
    }

    __aicore__ inline void Process() {
        Base::FetchBias();
        for (uint32_t row = Base::first; row < Base::first + Base::count; ++row) {
            Base::Score(row);
            const Indices number = numbers.template Get<int32_t>();
            AscendC::ArithProgression(number, 0, 1, t.experts);
            AscendC::PipeBarrier<PIPE_V>();
            const Floats lists = in_groups.template Get<float>();
            AscendC::Sort32(lists,
                            Base::biased.template Get<float>(),
                            number.template ReinterpretCast<uint32_t>(),
                            t.experts / Base::sorted);
            AscendC::PipeBarrier<PIPE_V>();
            ChooseGroups(lists);
            Indices chosen = Base::outIndices.template AllocTensor<int32_t>();
            Merge(chosen, lists);
            Base::Keep(row, chosen);
        }
    }

private:
    /// numbers[0 ... 3] = the groups with the largest sums of two, by falling number.
    __aicore__ inline void ChooseGroups(const Floats& lists) {
        const Indices number = numbers.template Get<int32_t>();
        const Floats two = small.template Get<float>();
        const Floats pairs = of_groups.template Get<float>();
        uint64_t count = 0;
        Await<Event::V_S>();
        number.SetValue(0, 5);  // the values of the first two pairs
        number.SetValue(1, 0);
        Await<Event::S_V>();
        AscendC::GatherMask(two,
                            lists,
                            number.template ReinterpretCast<uint32_t>(),
                            true,
                            lanes,
                            {1, static_cast<uint16_t>(t.groups), 8, 0},
                            count);
        AscendC::ResetMask();
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::PairReduceSum(two, two, 1, static_cast<int32_t>(2 * t.groups), 1, 1, 1);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::ArithProgression(number, 0, 1, t.groups);
        AscendC::PipeBarrier<PIPE_V>();
        FillBehind(two, t.groups);
        AscendC::Sort32(pairs, two, number.template ReinterpretCast<uint32_t>(), 1);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::GatherMask(
            number, pairs.template ReinterpretCast<int32_t>(), uint8_t{2}, false, 0U, {1, 1, 0, 0}, count);
        AscendC::PipeBarrier<PIPE_V>();
        // Sorted once more, by their numbers.
        AscendC::Cast(pairs, number, AscendC::RoundMode::CAST_ROUND, kept);
        AscendC::PipeBarrier<PIPE_V>();
        FillBehind(pairs, kept);
        AscendC::Sort32(two, pairs, number.template ReinterpretCast<uint32_t>(), 1);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::GatherMask(pairs, two, uint8_t{1}, false, 0U, {1, 1, 0, 0}, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(number, pairs, AscendC::RoundMode::CAST_ROUND, kept);
    }

    /// What lies behind `n` of 32 loses against any score.
    __aicore__ inline void FillBehind(const Floats& row, uint32_t n) const {
        const uint64_t behind[2]{~uint64_t{0} << n & 0xffffffff, 0};
        AscendC::Duplicate(row, Base::lowest, behind, uint8_t{1}, uint16_t{1}, uint8_t{8});
        AscendC::PipeBarrier<PIPE_V>();
    }

    /// The best k of the kept groups' lists. Merging stops when one list is used up, with k at least.
    __aicore__ inline void Merge(const Indices& chosen, const Floats& lists) {
        const Indices number = numbers.template Get<int32_t>();
        Floats merged = Base::inX.template AllocTensor<float>();
        AscendC::MrgSort4Info info;
        for (uint32_t i = 0; i < kept; ++i) {
            info.elementLengths[i] = t.k;
        }
        info.ifExhaustedSuspension = true;
        info.validBit = 0b1111;
        info.repeatTimes = 1;
        Await<Event::V_S>();
        const uint32_t length = Base::sorted * pair;
        AscendC::MrgSortSrcList<float> from;
        from.src1 = lists[number.GetValue(3) * length];
        from.src2 = lists[number.GetValue(2) * length];
        from.src3 = lists[number.GetValue(1) * length];
        from.src4 = lists[number.GetValue(0) * length];
        Await<Event::S_V>();
        AscendC::MrgSort<float>(merged, from, info);
        AscendC::PipeBarrier<PIPE_V>();
        Base::SecondWords(chosen, merged);
        Base::inX.FreeTensor(merged);
    }

    AscendC::TBuf<AscendC::TPosition::VECCALC> in_groups, of_groups, small, numbers;
};
