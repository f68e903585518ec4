// SPDX-License-Identifier: Apache-2.0
// Where things lie in the workspace of attention_grad.cpp.
#pragma once

#include "kernels/ops/attention/attention/attention_rows.h"
#include "kernels/ops/attention/attention_grad/attention_grad_tiling.hpp"

namespace attention_grad {

using namespace AscendC;
using attention::Step;
using attention::Steps;
using cube::Parts;
using cube::Smaller;

template <typename T>
class Workspace {
public:
    __aicore__ inline Workspace(GM_ADDR workspace, const Tiling& t) : t_(t), shared_(workspace) {
        own_ = workspace + shared_bytes(t) + uint64_t{Number()} * places * place_bytes(t);
    }

    /// This vector core, of all that there are.
    [[nodiscard]] __aicore__ inline static uint32_t Number() { return static_cast<uint32_t>(GetBlockIdx()); }

    [[nodiscard]] __aicore__ inline static uint32_t Count() {
        return static_cast<uint32_t>(GetBlockNum() * GetSubBlockNum());
    }

    [[nodiscard]] __aicore__ inline GlobalTensor<float> Scores(uint32_t number) const {
        return At<float>(Place(number));
    }

    [[nodiscard]] __aicore__ inline GlobalTensor<float> ProbabilityGrads(uint32_t number) const {
        return At<float>(Place(number) + block_elements(t_) * 4);
    }

    [[nodiscard]] __aicore__ inline GlobalTensor<T> Probabilities(uint32_t number) const {
        return At<T>(Place(number) + block_elements(t_) * 8);
    }

    [[nodiscard]] __aicore__ inline GlobalTensor<T> ScoreGrads(uint32_t number) const {
        return At<T>(Place(number) + block_elements(t_) * 10);
    }

    /// Sums of dy * o, one for each query of each sequence.
    [[nodiscard]] __aicore__ inline GlobalTensor<float> Sums() const { return At<float>(shared_); }

    [[nodiscard]] __aicore__ inline GlobalTensor<float> QueryGrad() const {
        return At<float>(shared_ + sums_bytes(t_));
    }

    [[nodiscard]] __aicore__ inline GlobalTensor<float> KeyGrad() const {
        return At<float>(shared_ + sums_bytes(t_) + query_elements(t_) * 4);
    }

    [[nodiscard]] __aicore__ inline GlobalTensor<float> ValueGrad() const {
        return At<float>(shared_ + sums_bytes(t_) + (query_elements(t_) + key_elements(t_)) * 4);
    }

private:
    [[nodiscard]] __aicore__ inline GM_ADDR Place(uint32_t number) const {
        return own_ + number % places * place_bytes(t_);
    }

    template <typename U>
    [[nodiscard]] __aicore__ inline static GlobalTensor<U> At(GM_ADDR at) {
        GlobalTensor<U> tensor;
        tensor.SetGlobalBuffer(reinterpret_cast<__gm__ U*>(at));
        return tensor;
    }

    const Tiling& t_;
    GM_ADDR shared_;
    GM_ADDR own_;
};

}  // namespace attention_grad
