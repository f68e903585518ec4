// SPDX-License-Identifier: Apache-2.0
// The order of work of attention.cpp, the same for the cube core and its vector cores: all tiles of keys of
// all tiles of queries of a core, as one sequence.
#pragma once

#include "kernels/ops/attention/attention/attention_staggered.h"
#include "kernels/ops/attention/attention/attention_tiling.hpp"
#include "kernels/shared/cube_loads.h"

namespace attention {

using namespace AscendC;
using cube::CeilTo;
using cube::Parts;
using cube::Smaller;

// Cross-core flags: scores are in the workspace, probabilities are, their product with v is. Each is counted;
// that a stage is free again follows from the order of these three.
constexpr uint16_t scores_flag = 0;
constexpr uint16_t probabilities_flag = 1;
constexpr uint16_t product_flag = 2;
// Where vector cores gather keys: these are in the workspace, and the cube core has read keys and values.
constexpr uint16_t gathered_flag = 3;
constexpr uint16_t keys_read_flag = 4;

/// One tile of queries by one tile of keys.
struct Step {
    uint32_t sequence;
    uint32_t part;     // of the keys
    uint32_t task;     // number of the tile of queries, of this core's
    uint32_t row;      // first row
    uint32_t rows;     // of the tile
    uint32_t column;   // first key
    uint32_t columns;  // keys
    bool first;        // of its tile of queries
    bool last;
};

/// The query that a row of a sequence belongs to.
__aicore__ inline uint32_t QueryOf(const Tiling& t, uint32_t row) {
    return t.merged == 1 ? row : t.by_head != 0 ? row % t.q_len : row / t.merged;
}

class Steps {
public:
    __aicore__ inline Steps(const Tiling& t, uint32_t core, uint32_t cores)
        : t_(t), index_(core), stride_(cores), end_(t.sequences * tiles(t) * t.splits) {
        Open();
    }

    [[nodiscard]] __aicore__ inline bool Valid() const { return index_ < end_; }

    [[nodiscard]] __aicore__ inline const Step& Get() const { return step_; }

    /// Leaves out the keys of the first tile of queries that come before `column`.
    __aicore__ inline void From(uint32_t column) {
        step_.column = column;
        Bound();
    }

    __aicore__ inline void Next() {
        if (!step_.last) {
            step_.column = After();
            step_.first = false;
            Bound();
            return;
        }
        index_ += stride_;
        ++step_.task;
        Open();
    }

private:
    // Neighbouring cores take neighbouring tiles of queries, which share keys and values in L2.
    __aicore__ inline void Open() {
        for (; Valid(); index_ += stride_) {
            const uint32_t tile = Place();
            step_.row = tile * t_.base_m;
            step_.rows = Smaller(t_.base_m, t_.rows - step_.row);
            step_.column = step_.part * t_.split_keys;
            seen_ = Smaller(Seen(), step_.column + t_.split_keys);
            Gap();
            if (step_.column < seen_) {
                step_.first = true;
                Bound();
                return;
            }
        }
    }

    __aicore__ inline uint32_t Place() {
        const uint32_t all = tiles(t_);
        step_.part = index_ % t_.splits;
        const uint32_t i = index_ / t_.splits;
        if (t_.longest_first != 0) {
            step_.sequence = i % t_.sequences;
            return all - 1 - i / t_.sequences;
        }
        step_.sequence = i / all;
        return i % all;
    }

    // Keys that any row of the tile sees.
    [[nodiscard]] __aicore__ inline uint32_t Seen() const {
        if (t_.causal == 0) {
            return t_.kv_len;
        }
        uint32_t query = QueryOf(t_, step_.row + step_.rows - 1);
        if (t_.merged > 1 && t_.by_head != 0 && step_.rows > query + 1) {
            query = t_.q_len - 1;  // the tile runs over the end of a head
        }
        return Smaller(t_.kv_len, query + 1 + t_.kv_len - t_.q_len);
    }

    __aicore__ inline void Bound() {
        const uint32_t end = step_.column < gap_ ? gap_ : seen_;
        step_.columns = Smaller(t_.base_n, end - step_.column);
        step_.last = After() >= seen_;
    }

    // The first key behind the step's that the tile of queries sees.
    [[nodiscard]] __aicore__ inline uint32_t After() const {
        const uint32_t next = step_.column + step_.columns;
        return next >= gap_ && next < gap_end_ ? gap_end_ : next;
    }

    // Keys that a block-sparse tile of queries leaves out.
    __aicore__ inline void Gap() {
        gap_ = seen_;
        gap_end_ = seen_;
        if (t_.sparse != 0) {
            const SparseKeys keys = sparse_keys(t_, step_.row);
            seen_ = Smaller(seen_, keys.until);
            gap_ = Smaller(keys.first, seen_);
            gap_end_ = Smaller(keys.from, seen_);
            if (gap_ == 0) {
                step_.column = gap_end_;
            }
        }
    }

    const Tiling& t_;
    uint32_t index_;
    uint32_t stride_;
    uint32_t end_;
    uint32_t seen_ = 0;     // keys that the task's rows see
    uint32_t gap_ = 0;      // keys from here on
    uint32_t gap_end_ = 0;  // up to here are left out
    Step step_{};
};

/// Calls use(first, rows, row_of_tensor, pitch) for runs of equal distance in q and o, whose row is one head
/// of a token.
template <typename Use>
__aicore__ inline void ForRuns(
    const Tiling& t, uint32_t sequence, uint32_t row, uint32_t rows, const Use& use) {
    const uint32_t groups = t.heads / t.merged;
    const uint64_t batch = sequence / groups;
    const uint64_t head = sequence % groups * t.merged;
    if (t.by_head != 0) {
        use(0U, rows, (batch * t.heads + head) * t.q_len + row, 1U);
        return;
    }
    const uint64_t token = batch * t.q_len;
    if (t.merged == 1) {
        use(0U, rows, (token + row) * t.heads + head, t.heads);
        return;
    }
    for (uint32_t done = 0; done < rows;) {
        const uint32_t within = (row + done) % t.merged;
        const uint32_t count = Smaller(t.merged - within, rows - done);
        use(done, count, (token + (row + done) / t.merged) * t.heads + head + within, 1U);
        done += count;
    }
}

/// Rows between one key and the next of a head, in k and v, whose row is one head of a token.
__aicore__ inline uint32_t KeyDistance(const Tiling& t) {
    return t.by_head != 0 ? 1 : t.kv_heads;
}

/// Row of k and v of a step's first key, where keys lie in a row.
__aicore__ inline uint64_t KeyRow(const Tiling& t, const Step& step) {
    const uint32_t groups = t.heads / t.merged;
    const uint64_t batch = step.sequence / groups;
    const uint32_t head = step.sequence % groups * t.merged / (t.heads / t.kv_heads);
    return t.by_head != 0 ? (batch * t.kv_heads + head) * t.kv_len + step.column
                          : (batch * t.kv_len + step.column) * t.kv_heads + head;
}

/// Where a core's stages lie in global memory, and the results of parts of the keys.
template <typename T>
struct Workspace {
    __aicore__ inline Workspace(GM_ADDR workspace, const Tiling& t, uint32_t group, uint32_t groups) : t_(t) {
        base_ = workspace + group * group_bytes(t);
        partials_ = workspace + groups * group_bytes(t);
    }

    [[nodiscard]] __aicore__ inline GlobalTensor<float> Scores(uint32_t number) const {
        return At<float>(Stage(number));
    }

    [[nodiscard]] __aicore__ inline GlobalTensor<T> Probabilities(uint32_t number) const {
        return At<T>(Stage(number) + scores_bytes(t_));
    }

    [[nodiscard]] __aicore__ inline GlobalTensor<float> Product(uint32_t number) const {
        return At<float>(Stage(number) + scores_bytes(t_) * 3 / 2);
    }

    // Of queries in bytes: sums of products of bytes, what the rotated parts add, and probabilities.
    [[nodiscard]] __aicore__ inline GlobalTensor<int32_t> WholeScores(uint32_t number) const {
        return At<int32_t>(Stage(number));
    }

    [[nodiscard]] __aicore__ inline GlobalTensor<float> RotatedScores(uint32_t number) const {
        return At<float>(Stage(number) + scores_bytes(t_) * 3 / 2 + product_bytes(t_));
    }

    [[nodiscard]] __aicore__ inline GlobalTensor<int8_t> ByteProbabilities(uint32_t number) const {
        return At<int8_t>(Stage(number) + scores_bytes(t_));
    }

    [[nodiscard]] __aicore__ inline GlobalTensor<int32_t> WholeProduct(uint32_t number) const {
        return At<int32_t>(Stage(number) + scores_bytes(t_) * 3 / 2);
    }

    /// The sum of products of a vector core, if it does not stay in UB.
    [[nodiscard]] __aicore__ inline GlobalTensor<float> Sum(uint32_t sub_block) const {
        return At<float>(base_ + t_.stages * stage_bytes(t_) +
                         uint64_t{sub_block} * half_rows(t_) * padded(t_.value_dim) * sizeof(float));
    }

    /// Gathered keys, their rotated parts and values: (base_n, width) each.
    [[nodiscard]] __aicore__ inline GlobalTensor<T> Keys(uint32_t number) const {
        return Gathered(number, 0);
    }

    [[nodiscard]] __aicore__ inline GlobalTensor<T> RotatedKeys(uint32_t number) const {
        return Gathered(number, t_.dim);
    }

    [[nodiscard]] __aicore__ inline GlobalTensor<T> Values(uint32_t number) const {
        return Gathered(number, t_.shared_values != 0 ? 0 : t_.dim + t_.rope_dim);
    }

    /// Row maxima, row sums or undivided outputs of a part of the keys; rows of tile i start at i * 2 *
    /// half_rows.
    [[nodiscard]] __aicore__ inline GlobalTensor<float> PartMaxima(uint32_t sequence, uint32_t part) const {
        return At<float>(Part(sequence, part));
    }

    [[nodiscard]] __aicore__ inline GlobalTensor<float> PartSums(uint32_t sequence, uint32_t part) const {
        return At<float>(Part(sequence, part) + partial_rows(t_) * sizeof(float));
    }

    [[nodiscard]] __aicore__ inline GlobalTensor<float> PartOutput(uint32_t sequence, uint32_t part) const {
        return At<float>(Part(sequence, part) + 2 * partial_rows(t_) * sizeof(float));
    }

private:
    [[nodiscard]] __aicore__ inline GM_ADDR Stage(uint32_t number) const {
        return base_ + number % t_.stages * stage_bytes(t_);
    }

    [[nodiscard]] __aicore__ inline GlobalTensor<T> Gathered(uint32_t number, uint32_t columns_before) const {
        return At<T>(base_ + group_bytes(t_) - (gather_places - number % gather_places) * gather_bytes(t_) +
                     uint64_t{columns_before} * padded(t_.base_n) * sizeof(T));
    }

    [[nodiscard]] __aicore__ inline GM_ADDR Part(uint32_t sequence, uint32_t part) const {
        return partials_ + (uint64_t{sequence} * t_.splits + part) * partial_bytes(t_);
    }

    template <typename U>
    [[nodiscard]] __aicore__ inline static GlobalTensor<U> At(GM_ADDR at) {
        GlobalTensor<U> tensor;
        tensor.SetGlobalBuffer(reinterpret_cast<__gm__ U*>(at));
        return tensor;
    }

    const Tiling& t_;
    GM_ADDR base_;
    GM_ADDR partials_;
};

}  // namespace attention
