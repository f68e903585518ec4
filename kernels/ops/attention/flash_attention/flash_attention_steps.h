// SPDX-License-Identifier: Apache-2.0
// The order of work of flash_attention.cpp, the same for the cube core and its vector cores: all tiles of
// keys of all tiles of queries of a core, as one sequence.
#pragma once

#include "kernels/ops/attention/attention/attention_staggered.h"
#include "kernels/ops/attention/flash_attention/flash_attention_tiling.hpp"
#include "kernels/shared/cube_loads.h"

namespace flash_attention {

using namespace AscendC;
using attention::RunStaggered;
using cube::CeilTo;
using cube::Parts;
using cube::Smaller;

// Cross-core flags: scores are in the workspace, probabilities are, their product with v is. Each is counted;
// that a stage is free again follows from the order of these three.
constexpr uint16_t scores_flag = 0;
constexpr uint16_t probabilities_flag = 1;
constexpr uint16_t product_flag = 2;

/// One tile of queries by one tile of keys.
struct Step {
    uint32_t batch;
    uint32_t head;
    uint32_t task;     // number of the tile of queries, of this core's
    uint32_t row;      // first query
    uint32_t rows;     // queries
    uint32_t column;   // first key
    uint32_t columns;  // keys
    bool first;        // of its tile of queries
    bool last;
};

class Steps {
public:
    __aicore__ inline Steps(const Tiling& t, uint32_t core, uint32_t cores)
        : t_(t),
          tiles_(Parts(t.q_len, t.base_m)),
          index_(core),
          stride_(cores),
          end_(t.batch * t.heads * tiles_) {
        Open();
    }

    [[nodiscard]] __aicore__ inline bool Valid() const { return index_ < end_; }

    [[nodiscard]] __aicore__ inline const Step& Get() const { return step_; }

    __aicore__ inline void Next() {
        if (!step_.last) {
            step_.column += t_.base_n;
            Bound();
            return;
        }
        index_ += stride_;
        ++step_.task;
        Open();
    }

private:
    // Neighbouring cores take neighbouring tiles of queries: they share keys and values in L2.
    __aicore__ inline void Open() {
        if (!Valid()) {
            return;
        }
        const uint32_t sequence = index_ / tiles_;
        step_.batch = sequence / t_.heads;
        step_.head = sequence % t_.heads;
        step_.row = index_ % tiles_ * t_.base_m;
        step_.rows = Smaller(t_.base_m, t_.q_len - step_.row);
        step_.column = 0;
        seen_ =
            t_.causal != 0 ? Smaller(t_.kv_len, step_.row + step_.rows + t_.kv_len - t_.q_len) : t_.kv_len;
        Bound();
    }

    __aicore__ inline void Bound() {
        step_.columns = Smaller(t_.base_n, seen_ - step_.column);
        step_.first = step_.column == 0;
        step_.last = step_.column + step_.columns == seen_;
    }

    const Tiling& t_;
    uint32_t tiles_;
    uint32_t index_;
    uint32_t stride_;
    uint32_t end_;
    uint32_t seen_ = 0;  // keys that the tile's queries see
    Step step_{};
};

/// Where a core's stages lie in global memory.
template <typename T>
struct Workspace {
    __aicore__ inline Workspace(GM_ADDR workspace, const Tiling& t, uint32_t group) : t_(t) {
        base_ = workspace + group * t.stages * stage_bytes(t);
    }

    [[nodiscard]] __aicore__ inline GlobalTensor<float> Scores(uint32_t number) const {
        return At<float>(number, 0);
    }

    [[nodiscard]] __aicore__ inline GlobalTensor<T> Probabilities(uint32_t number) const {
        return At<T>(number, uint64_t{t_.base_m} * t_.base_n * sizeof(float));
    }

    [[nodiscard]] __aicore__ inline GlobalTensor<float> Product(uint32_t number) const {
        return At<float>(number, uint64_t{t_.base_m} * t_.base_n * (sizeof(float) + sizeof(T)));
    }

private:
    template <typename U>
    [[nodiscard]] __aicore__ inline GlobalTensor<U> At(uint32_t number, uint64_t offset) const {
        GlobalTensor<U> tensor;
        tensor.SetGlobalBuffer(
            reinterpret_cast<__gm__ U*>(base_ + number % t_.stages * stage_bytes(t_) + offset));
        return tensor;
    }

    const Tiling& t_;
    GM_ADDR base_;
};

}  // namespace flash_attention
