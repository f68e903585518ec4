// SPDX-License-Identifier: Apache-2.0
// How the vector cores of attention.cpp get scores and products of the cube core.
//
// By flags: the cube core works through the same steps by itself (attention_cube.h), and the two vector
// cores of its group share each tile.
// By requests: each vector core has tiles of its own, and asks the cube core for every product by a message,
// with two Matmul objects, as the operator library's prompt attention does (ops-transformer,
// prompt_flash_attention: s1s2_bns1_x910). The scores of the next tile of keys are asked for before those
// of this one are worked on. Of one query, the heads that share keys are the rows of a tile, as the library's
// attention of decoding has them where few sequences and heads decode (incre_flash_attention:
// split_Bbn2s2_Us2, IfaPerfMode::NORMAL).
#pragma once

#include "kernels/ops/attention/attention/attention_dequantise.h"
#include "lib/matmul_intf.h"

namespace attention {

template <typename T>
class FlagHandOver {
public:
    using Inputs = CachedKeys;

    /// Number of the workspace, of those that there are, and so of the list of steps.
    [[nodiscard]] __aicore__ inline static uint32_t Number() {
        return static_cast<uint32_t>(GetBlockIdx() / GetSubBlockNum());
    }

    [[nodiscard]] __aicore__ inline static uint32_t Count() { return static_cast<uint32_t>(GetBlockNum()); }

    __aicore__ inline FlagHandOver(const Inputs& keys, const Workspace<T>& workspace, const Tiling& tiling)
        : bytes_(tiling.byte_cache != 0 && tiling.byte_queries == 0),
          gather_(keys, workspace, tiling, Number()),
          dequantise_(keys, workspace, tiling, Number()) {}

    __aicore__ inline void InitBuffer(TPipe& pipe) {
        if (bytes_) {
            dequantise_.InitBuffer(pipe);
        } else {
            gather_.InitBuffer(pipe);
        }
    }

    /// Called before the first step's scores, and before each step's again: one step ahead.
    __aicore__ inline void Ahead() {
        if (bytes_) {
            dequantise_.Next();
        } else {
            gather_.Next();
        }
    }

    __aicore__ inline void AwaitScores() { CrossCoreWaitFlag<2, PIPE_MTE2>(scores_flag); }

    __aicore__ inline void ProbabilitiesStored(const Step&, uint32_t) {
        CrossCoreSetFlag<2, PIPE_MTE3>(probabilities_flag);
    }

    __aicore__ inline void AwaitProduct() { CrossCoreWaitFlag<2, PIPE_MTE2>(product_flag); }

    __aicore__ inline void Finish() {
        if (bytes_) {
            dequantise_.Finish();
        } else {
            gather_.Finish();
        }
    }

private:
    bool bytes_;
    Gather<T> gather_;
    Dequantise<T> dequantise_;
};

template <typename T>
using ScoresObject = Matmul<MatmulType<TPosition::GM, CubeFormat::ND, T>,
                            MatmulType<TPosition::GM, CubeFormat::ND, T, true>,
                            MatmulType<TPosition::GM, CubeFormat::ND, float>,
                            MatmulType<TPosition::GM, CubeFormat::ND, float>,
                            CFG_MDL>;

template <typename T>
using ProductObject = Matmul<MatmulType<TPosition::GM, CubeFormat::ND, T>,
                             MatmulType<TPosition::GM, CubeFormat::ND, T>,
                             MatmulType<TPosition::GM, CubeFormat::ND, float>,
                             MatmulType<TPosition::GM, CubeFormat::ND, float>,
                             CFG_MDL>;

template <typename T>
class RequestHandOver {
public:
    struct Inputs {
        GM_ADDR q;
        GM_ADDR k;
        GM_ADDR v;
        ScoresObject<T>* scores;
        ProductObject<T>* product;
    };

    [[nodiscard]] __aicore__ inline static uint32_t Number() { return static_cast<uint32_t>(GetBlockIdx()); }

    [[nodiscard]] __aicore__ inline static uint32_t Count() {
        return static_cast<uint32_t>(GetBlockNum() * GetSubBlockNum());
    }

    __aicore__ inline RequestHandOver(const Inputs& inputs,
                                      const Workspace<T>& workspace,
                                      const Tiling& tiling)
        : t_(tiling),
          workspace_(workspace),
          ahead_(tiling, Number(), Count()),
          scores_(*inputs.scores),
          product_(*inputs.product) {
        q_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(inputs.q));
        k_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(inputs.k));
        v_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(inputs.v));
    }

    __aicore__ inline void InitBuffer(TPipe&) {}

    /// Asks for the next step's scores.
    __aicore__ inline void Ahead() {
        if (!ahead_.Valid()) {
            return;
        }
        const Step& step = ahead_.Get();
        const uint32_t wide = padded(step.columns);
        if (wide != scores_pitch_) {
            scores_pitch_ = wide;
            scores_.SetOrgShape(
                static_cast<int>(t_.base_m),
                static_cast<int>(wide),
                static_cast<int>(t_.by_head != 0 || t_.merged > 1 ? t_.dim : t_.heads * t_.dim),
                static_cast<int>(KeyDistance(t_) * t_.dim),
                static_cast<int>(wide));
        }
        scores_.SetTail(static_cast<int>(step.rows), static_cast<int>(step.columns));
        ForRuns(t_, step.sequence, step.row, step.rows, [&](uint32_t, uint32_t, uint64_t at, uint32_t) {
            scores_.SetTensorA(q_[at * t_.dim]);
        });
        scores_.SetTensorB(k_[KeyRow(t_, step) * t_.dim], true);
        scores_.template IterateAll<false>(workspace_.Scores(asked_), 0, false, true);
        ++asked_;
        ahead_.Next();
    }

    __aicore__ inline void AwaitScores() { scores_.WaitIterateAll(); }

    /// Asks for the product of probabilities and values.
    __aicore__ inline void ProbabilitiesStored(const Step& step, uint32_t number) {
        SetFlag<HardEvent::MTE3_S>(0);
        WaitFlag<HardEvent::MTE3_S>(0);
        const uint32_t wide = padded(step.columns);
        if (wide != product_pitch_) {
            product_pitch_ = wide;
            product_.SetOrgShape(static_cast<int>(t_.base_m),
                                 static_cast<int>(KeyDistance(t_) * value_pitch(t_)),
                                 static_cast<int>(wide),
                                 static_cast<int>(wide),
                                 static_cast<int>(padded(t_.value_dim)));
        }
        product_.SetTail(
            static_cast<int>(step.rows), static_cast<int>(t_.value_dim), static_cast<int>(step.columns));
        product_.SetTensorA(workspace_.Probabilities(number));
        product_.SetTensorB(v_[KeyRow(t_, step) * value_pitch(t_)]);
        product_.template IterateAll<false>(workspace_.Product(number), 0, false, true);
    }

    __aicore__ inline void AwaitProduct() { product_.WaitIterateAll(); }

    __aicore__ inline void Finish() {
        scores_.End();
        product_.End();
    }

private:
    const Tiling& t_;
    const Workspace<T>& workspace_;
    Steps ahead_;
    uint32_t asked_ = 0;
    uint32_t scores_pitch_ = 0;
    uint32_t product_pitch_ = 0;
    ScoresObject<T>& scores_;
    ProductObject<T>& product_;
    GlobalTensor<T> q_;
    GlobalTensor<T> k_;
    GlobalTensor<T> v_;
};

}  // namespace attention
