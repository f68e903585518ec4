// SPDX-License-Identifier: Apache-2.0
// s = x + residual, y = s / sqrt(mean(s^2) + epsilon) * gamma + beta, in the orders of the published operator
// (vllm-ascend, csrc/moe/add_rms_norm_bias at 182b75ea; ops-nn, norm/add_rms_norm, has the same without
// beta):
//   row      rows one by one, one buffer each: a row is read when the one before has left, and the scalar
//            unit reads its factor back
//   single   one row for each core, in one buffer that is cut by hand
//   tiles    several short rows at a time, in two buffers (add_rms_norm_tiles.h)
//   pairs    several rows at a time as `tiles`, each reduced by itself (add_rms_norm_tiles.h)
// bfloat16 and float16 are rounded between the factor and gamma, as there.
#pragma once

#include "kernels/shared/await.h"
#include "kernels/shared/gm_copy.h"
#include "kernels/shared/row_ops.h"

enum class AddNormOrder : uint32_t { row, single, tiles, pairs };

struct AddRmsNormTiling {
    uint64_t rows;
    uint64_t share;  // rows of a core
    uint32_t width;
    uint32_t pitch;  // of rows in the unified buffer, in elements
    uint32_t tile;   // rows at a time; of order `row`, rows whose factors are written together
    uint32_t room;   // elements of a buffer
    float epsilon;
    float average;  // 1 / width
    AddNormOrder order;
    uint32_t bias;  // 1: beta is added
};

struct AddRmsNormAddresses {
    GM_ADDR x;
    GM_ADDR residual;
    GM_ADDR gamma;
    GM_ADDR beta;
    GM_ADDR y;
    GM_ADDR deviation;
    GM_ADDR sum;
};

/// What all orders share: the core's rows and the arithmetic of one of them.
template <typename T>
class AddRmsNormBase {
protected:
    using Floats = AscendC::LocalTensor<float>;
    using Elements = AscendC::LocalTensor<T>;
    using Event = AscendC::HardEvent;
    static constexpr bool wide = std::is_same_v<T, float>;

    __aicore__ inline AddRmsNormBase(const AddRmsNormAddresses& a, const AddRmsNormTiling& tiling)
        : t(tiling) {
        first = t.share * AscendC::GetBlockIdx();
        count = first >= t.rows ? 0 : t.rows - first < t.share ? t.rows - first : t.share;
        xGm.SetGlobalBuffer((__gm__ T*)a.x + first * t.width, count * t.width);
        residualGm.SetGlobalBuffer((__gm__ T*)a.residual + first * t.width, count * t.width);
        gammaGm.SetGlobalBuffer((__gm__ T*)a.gamma, t.width);
        betaGm.SetGlobalBuffer((__gm__ T*)a.beta, t.width);
        yGm.SetGlobalBuffer((__gm__ T*)a.y + first * t.width, count * t.width);
        sumGm.SetGlobalBuffer((__gm__ T*)a.sum + first * t.width, count * t.width);
        deviationGm.SetGlobalBuffer((__gm__ float*)a.deviation + first, count);
    }

    __aicore__ inline void Narrow(const Elements& to, const Floats& from, uint32_t n) const {
        AscendC::Cast(to,
                      from,
                      std::is_same_v<T, half> ? AscendC::RoundMode::CAST_NONE : AscendC::RoundMode::CAST_RINT,
                      n);
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Widen(const Floats& to, const Elements& from, uint32_t n) const {
        AscendC::Cast(to, from, AscendC::RoundMode::CAST_NONE, n);
        AscendC::PipeBarrier<PIPE_V>();
    }

    /// to[0] = the sum of a row, folded into one vector; `work` holds a vector.
    __aicore__ inline void SumOfRow(const Floats& to, const Floats& row, const Floats& work) const {
        const uint32_t whole = t.width / row_lanes;
        const uint32_t tail = t.width % row_lanes;
        AscendC::Duplicate(work, 0.0f, row_lanes);
        AscendC::PipeBarrier<PIPE_V>();
        for (uint32_t at = 0; at < whole; at += row_repeats) {
            const uint8_t repeats = whole - at < row_repeats ? whole - at : row_repeats;
            AscendC::Add(work,
                         row[at * row_lanes],
                         work,
                         uint64_t{row_lanes},
                         repeats,
                         AscendC::BinaryRepeatParams(1, 1, 1, 0, 8, 0));
            AscendC::PipeBarrier<PIPE_V>();
        }
        if (tail != 0) {
            AscendC::Add(work,
                         row[whole * row_lanes],
                         work,
                         uint64_t{tail},
                         uint8_t{1},
                         AscendC::BinaryRepeatParams());
            AscendC::PipeBarrier<PIPE_V>();
        }
        RowSum::Reduce(to, work, row_lanes, 1, 8);
        AscendC::PipeBarrier<PIPE_V>();
    }

    /// The row's factor 1 / sqrt(mean + epsilon), left in squares[0] and read by the scalar unit.
    __aicore__ inline float FactorOfRow(const Floats& squares, const Floats& x, const Floats& work) const {
        AscendC::Mul(squares, x, x, t.width);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(squares, squares, t.average, t.width);
        AscendC::PipeBarrier<PIPE_V>();
        SumOfRow(squares, squares, work);
        AscendC::Adds(squares, squares, t.epsilon, 1);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Sqrt(squares, squares, 1);
        AscendC::Duplicate(work, 1.0f, 1);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(squares, work, squares, 1);
        AscendC::PipeBarrier<PIPE_V>();
        Await<Event::V_S>();
        const float factor = squares.GetValue(0);
        Await<Event::S_V>();
        return factor;
    }

    AddRmsNormTiling t;
    uint64_t first, count;
    AscendC::GlobalTensor<T> xGm, residualGm, gammaGm, betaGm, yGm, sumGm;
    AscendC::GlobalTensor<float> deviationGm;
};

/// Rows one by one, through one buffer each.
template <typename T>
class AddRmsNormByRow : private AddRmsNormBase<T> {
    using Base = AddRmsNormBase<T>;
    using Base::count;
    using Base::t;
    using Base::wide;
    using typename Base::Elements;
    using typename Base::Event;
    using typename Base::Floats;

public:
    __aicore__ inline AddRmsNormByRow(const AddRmsNormAddresses& addresses,
                                      const AddRmsNormTiling& tiling,
                                      AscendC::TPipe& pipe)
        : Base(addresses, tiling) {
        pipe.InitBuffer(inX, 1, t.room * sizeof(T));
        pipe.InitBuffer(inGamma, 1, t.room * sizeof(T));
        if (t.bias != 0) {
            pipe.InitBuffer(inBeta, 1, t.room * sizeof(T));
        }
        pipe.InitBuffer(outY, 1, t.room * sizeof(T));
        pipe.InitBuffer(outFactors, 1, t.tile * sizeof(float));
        if constexpr (!wide) {
            pipe.InitBuffer(wideX, t.room * sizeof(float));
        }
        pipe.InitBuffer(scratch, t.room * sizeof(float));
        pipe.InitBuffer(folded, row_lanes * sizeof(float));
    }

    __aicore__ inline void Process() {
        if (count == 0) {
            return;
        }
        Fetch(inGamma, Base::gammaGm);
        if (t.bias != 0) {
            Fetch(inBeta, Base::betaGm);
        }
        gamma = inGamma.template DeQue<T>();
        if (t.bias != 0) {
            beta = inBeta.template DeQue<T>();
        }
        for (uint64_t at = 0; at < count; at += t.tile) {
            const uint32_t rows = count - at < t.tile ? count - at : t.tile;
            const Floats factors = outFactors.template AllocTensor<float>();
            for (uint32_t r = 0; r < rows; ++r) {
                Row(at + r, factors, r);
            }
            Await<Event::S_MTE3>();  // the scalar unit wrote them
            outFactors.EnQue(factors);
            Floats ready = outFactors.template DeQue<float>();
            CopyElementsOut(Base::deviationGm[at], ready, rows);
            outFactors.FreeTensor(ready);
        }
        inGamma.FreeTensor(gamma);
        if (t.bias != 0) {
            inBeta.FreeTensor(beta);
        }
    }

private:
    using In = AscendC::TQue<AscendC::TPosition::VECIN, 1>;
    using Out = AscendC::TQue<AscendC::TPosition::VECOUT, 1>;

    // (width) GM -> UB
    __aicore__ inline void Fetch(In& queue, const AscendC::GlobalTensor<T>& from) {
        const Elements to = queue.template AllocTensor<T>();
        CopyElementsIn(to, from, t.width);
        queue.EnQue(to);
    }

    __aicore__ inline void Row(uint64_t row, const Floats& factors, uint32_t r) {
        const Floats x = Added(row);
        const Floats squares = scratch.template Get<float>();
        const float factor = Base::FactorOfRow(squares, x, folded.template Get<float>());
        factors.SetValue(r, factor);
        Elements y = outY.template AllocTensor<T>();
        if constexpr (wide) {
            AscendC::Muls(y, x, factor, t.width);
            AscendC::PipeBarrier<PIPE_V>();
            Elements used = x;
            inX.FreeTensor(used);
            AscendC::Mul(y, gamma, y, t.width);
            AscendC::PipeBarrier<PIPE_V>();
            if (t.bias != 0) {
                AscendC::Add(y, beta, y, t.width);
                AscendC::PipeBarrier<PIPE_V>();
            }
        } else {
            AscendC::Muls(x, x, factor, t.width);
            AscendC::PipeBarrier<PIPE_V>();
            Base::Narrow(y, x, t.width);
            Weigh(y, x, squares);
        }
        Await<Event::V_MTE2>();  // the scratch takes the next row's residual
        outY.EnQue(y);
        Elements ready = outY.template DeQue<T>();
        CopyElementsOut(Base::yGm[row * t.width], ready, t.width);
        outY.FreeTensor(ready);
    }

    /// x + residual in floats, written out as well. The residual comes into the scratch's upper half.
    __aicore__ inline Floats Added(uint64_t row) {
        const Elements x = inX.template AllocTensor<T>();
        const Floats squares = scratch.template Get<float>();
        const Elements residual = scratch.template Get<T>()[wide ? 0 : t.room];
        const Elements sum = outY.template AllocTensor<T>();
        CopyElementsIn(x, Base::xGm[row * t.width], t.width);
        CopyElementsIn(residual, Base::residualGm[row * t.width], t.width);
        inX.EnQue(x);
        Elements here = inX.template DeQue<T>();
        Floats added;
        if constexpr (wide) {
            AscendC::Add(here, here, residual, t.width);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Adds(sum, here, 0.0f, t.width);
            added = here;
        } else {
            added = wideX.template Get<float>();
            if constexpr (std::is_same_v<T, half>) {
                AscendC::Add(sum, here, residual, t.width);
                AscendC::PipeBarrier<PIPE_V>();
                Base::Widen(added, sum, t.width);
            } else {
                AscendC::Cast(added, here, AscendC::RoundMode::CAST_NONE, t.width);
                Base::Widen(squares, residual, t.width);
                AscendC::Add(added, added, squares, t.width);
                AscendC::PipeBarrier<PIPE_V>();
                Base::Narrow(sum, added, t.width);
            }
            inX.FreeTensor(here);
        }
        outY.EnQue(sum);
        Elements ready = outY.template DeQue<T>();
        CopyElementsOut(Base::sumGm[row * t.width], ready, t.width);
        outY.FreeTensor(ready);
        return added;
    }

    /// y * gamma + beta: of float16 as it is, of bfloat16 by way of floats.
    __aicore__ inline void Weigh(const Elements& y, const Floats& x, const Floats& work) {
        if constexpr (std::is_same_v<T, half>) {
            AscendC::Mul(y, gamma, y, t.width);
            AscendC::PipeBarrier<PIPE_V>();
            if (t.bias != 0) {
                AscendC::Add(y, beta, y, t.width);
                AscendC::PipeBarrier<PIPE_V>();
            }
        } else {
            Base::Widen(x, y, t.width);
            Base::Widen(work, gamma, t.width);
            AscendC::Mul(x, x, work, t.width);
            AscendC::PipeBarrier<PIPE_V>();
            if (t.bias != 0) {
                Base::Widen(work, beta, t.width);
                AscendC::Add(x, x, work, t.width);
                AscendC::PipeBarrier<PIPE_V>();
            }
            Base::Narrow(y, x, t.width);
        }
    }

    In inX, inGamma, inBeta;
    Out outY, outFactors;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wideX, scratch, folded;
    Elements gamma, beta;
};

/// One row for a core. Gamma, then beta, come into the residual's place while the vector unit is at work.
template <typename T>
class AddRmsNormOfOne : private AddRmsNormBase<T> {
    using Base = AddRmsNormBase<T>;
    using Base::t;
    using Base::wide;
    using typename Base::Elements;
    using typename Base::Event;
    using typename Base::Floats;

public:
    __aicore__ inline AddRmsNormOfOne(const AddRmsNormAddresses& addresses,
                                      const AddRmsNormTiling& tiling,
                                      AscendC::TPipe& pipe)
        : Base(addresses, tiling) {
        pipe.InitBuffer(all, bytes);
    }

    static constexpr uint32_t bytes = 191 * 1024;

    __aicore__ inline void Process() {
        if (Base::count == 0) {
            return;
        }
        const Floats floats = all.template Get<float>();
        const Elements x = all.template Get<T>();
        const Elements other = x[t.room];
        const Floats wide_x = wide ? floats : floats[t.room];
        const Floats squares = floats[2 * t.room];
        const Floats work = floats[3 * t.room];
        CopyElementsIn(x, Base::xGm, t.width);
        CopyElementsIn(other, Base::residualGm, t.width);
        Await<Event::MTE2_V>();
        Added(x, other, wide_x, squares);
        Await<Event::V_MTE2>();
        CopyElementsIn(other, Base::gammaGm, t.width);
        const event_t weights = Begin<Event::MTE2_V>();
        Await<Event::V_MTE3>();
        CopyElementsOut(Base::sumGm, x, t.width);
        const event_t written = Begin<Event::MTE3_V>();
        if constexpr (!wide) {
            Base::Widen(wide_x, x, t.width);
        }
        const float factor = Base::FactorOfRow(squares, wide_x, work);
        Await<Event::V_MTE3>();
        CopyElementsOut(Base::deviationGm, squares, 1);
        const event_t left = Begin<Event::MTE3_V>();
        if constexpr (wide) {
            End<Event::MTE3_V>(written);
            AscendC::Muls(x, x, factor, t.width);
            AscendC::PipeBarrier<PIPE_V>();
        } else {
            AscendC::Muls(wide_x, wide_x, factor, t.width);
            AscendC::PipeBarrier<PIPE_V>();
            End<Event::MTE3_V>(written);
            Base::Narrow(x, wide_x, t.width);
        }
        End<Event::MTE2_V>(weights);
        End<Event::MTE3_V>(left);
        Weigh(x, other, wide_x, squares);
        Await<Event::V_MTE3>();
        CopyElementsOut(Base::yGm, x, t.width);
    }

private:
    template <Event event>
    __aicore__ inline event_t Begin() const {
        const event_t id = static_cast<event_t>(GetTPipePtr()->AllocEventID<event>());
        AscendC::SetFlag<event>(id);
        return id;
    }

    template <Event event>
    __aicore__ inline void End(event_t id) const {
        AscendC::WaitFlag<event>(id);
        GetTPipePtr()->ReleaseEventID<event>(id);
    }

    /// x = x + other, rounded.
    __aicore__ inline void Added(const Elements& x,
                                 const Elements& other,
                                 const Floats& wide_x,
                                 const Floats& work) const {
        if constexpr (std::is_same_v<T, bfloat16_t>) {
            AscendC::Cast(wide_x, x, AscendC::RoundMode::CAST_NONE, t.width);
            Base::Widen(work, other, t.width);
            AscendC::Add(wide_x, wide_x, work, t.width);
            AscendC::PipeBarrier<PIPE_V>();
            Base::Narrow(x, wide_x, t.width);
        } else {
            AscendC::Add(x, x, other, t.width);
            AscendC::PipeBarrier<PIPE_V>();
        }
    }

    __aicore__ inline void Weigh(const Elements& x,
                                 const Elements& other,
                                 const Floats& wide_x,
                                 const Floats& work) const {
        if constexpr (std::is_same_v<T, bfloat16_t>) {
            Base::Widen(wide_x, x, t.width);
            Base::Widen(work, other, t.width);
            AscendC::Mul(wide_x, wide_x, work, t.width);
            AscendC::PipeBarrier<PIPE_V>();
        } else {
            AscendC::Mul(x, x, other, t.width);
            AscendC::PipeBarrier<PIPE_V>();
        }
        if (t.bias != 0) {
            Await<Event::V_MTE2>();
            CopyElementsIn(other, Base::betaGm, t.width);
            Await<Event::MTE2_V>();
            if constexpr (std::is_same_v<T, bfloat16_t>) {
                Base::Widen(work, other, t.width);
                AscendC::Add(wide_x, wide_x, work, t.width);
            } else {
                AscendC::Add(x, x, other, t.width);
            }
            AscendC::PipeBarrier<PIPE_V>();
        }
        if constexpr (std::is_same_v<T, bfloat16_t>) {
            Base::Narrow(x, wide_x, t.width);
        }
    }

    AscendC::TBuf<AscendC::TPosition::VECCALC> all;
};
