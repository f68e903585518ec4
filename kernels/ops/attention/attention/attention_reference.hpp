// SPDX-License-Identifier: Apache-2.0
// What attention.cpp is to compute, in doubles.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/ops/attention/attention/attention_tiling.hpp"
#include "kernels/plan/reference_data.hpp"

namespace attention {

/// Calls `each(batch, head, row)` for each row of each head's queries.
template <class Each>
void for_each_query(const Tiling& t, Each each) {
    for (std::uint32_t batch = 0; batch < t.batch; ++batch) {
        for (std::uint32_t head = 0; head < t.heads; ++head) {
            for (std::uint32_t row = 0; row < t.q_len; ++row) {
                each(batch, head, row);
            }
        }
    }
}

/// Keys that the query of a row sees.
[[nodiscard]] inline std::uint32_t keys_seen(const Tiling& t, std::uint32_t row) {
    return t.causal != 0 ? row + t.kv_len - t.q_len + 1 : t.kv_len;
}

/// The row of a token's head in [batch, length, heads] or [batch, heads, length], as the tiling says.
[[nodiscard]] inline std::uint64_t head_row(const Tiling& t,
                                            std::uint64_t batch,
                                            std::uint64_t head,
                                            std::uint64_t token,
                                            std::uint64_t heads,
                                            std::uint64_t length) {
    return t.by_head != 0 ? (batch * heads + head) * length + token : (batch * length + token) * heads + head;
}

class Reference {
public:
    Reference(ascendsim::host::ReferenceData& data, const Tiling& t)
        : data_{data},
          t_{t},
          q_{data.floats("q")},
          k_{data.floats("k")},
          v_{data.floats(t.shared_values != 0 ? "k" : "v")},
          q_rope_{t.rope_dim != 0 ? data.floats("q_rope").data() : nullptr},
          k_rope_{t.rope_dim != 0 ? data.floats("k_rope").data() : nullptr},
          mask_{t.masked != 0 ? data.floats("mask").data() : nullptr},
          q_scale_{t.byte_queries != 0 ? data.floats("q_scale").data() : nullptr},
          o_{data.expected("o")} {
        if (t.block_keys != 0) {
            const auto table = data.view<std::int32_t>("table");
            table_.assign(table.begin(), table.end());
        }
    }

    void run() {
        for_each_query(t_, [&](std::uint32_t batch, std::uint32_t head, std::uint32_t row) {
            attend(batch, head, row);
        });
        if (mask_ != nullptr || q_scale_ != nullptr) {
            data_.set_errors("o", [errors = std::move(errors_)](std::uint64_t i) { return errors[i]; });
        }
    }

private:
    void attend(std::uint32_t batch, std::uint32_t head, std::uint32_t row) {
        const std::uint32_t seen = keys_seen(t_, row);
        const std::uint64_t query = head_row(t_, batch, head, row, t_.heads, t_.q_len);
        scores_.resize(seen);
        double maximum = -1e300;
        for (std::uint32_t key = 0; key < seen; ++key) {
            if (left_out(row, key)) {
                scores_[key] = -1e300;
                continue;
            }
            scores_[key] = score(query, key_row(batch, head, key)) * static_cast<double>(t_.scale);
            if (mask_ != nullptr) {
                const std::uint64_t line = (t_.masked == 2 ? std::uint64_t{batch} * t_.q_len : 0) + row;
                scores_[key] += static_cast<double>(mask_[line * t_.kv_len + key]);
            }
            maximum = std::max(maximum, scores_[key]);
        }
        double total = 0;
        std::vector<double> sizes(t_.value_dim, 0);  // of the sums, whatever the values' signs
        double* o = &o_[query * t_.value_dim];
        for (std::uint32_t key = 0; key < seen; ++key) {
            const double p = std::exp(scores_[key] - maximum);
            const float* v = &v_[key_row(batch, head, key) * value_pitch(t_)];
            total += p;
            for (std::uint32_t i = 0; i < t_.value_dim; ++i) {
                o[i] += p * static_cast<double>(v[i]);
                sizes[i] += p * std::abs(static_cast<double>(v[i]));
            }
        }
        const float value_scale = t_.shared_values != 0 ? t_.key_scale : t_.value_scale;
        const double unit = t_.byte_cache != 0 ? static_cast<double>(value_scale) : 1;
        for (std::uint32_t i = 0; i < t_.value_dim; ++i) {
            o[i] *= unit / total;
            sizes[i] *= unit / total;
        }
        if (mask_ != nullptr) {
            note_errors(query, std::abs(maximum), sizes);
        }
        if (q_scale_ != nullptr) {
            note_steps(query, row, batch, head, unit / total);
        }
    }

    /// A probability in a byte is off by up to half a step, and a half before it by an eighth of one more;
    /// the steps of many keys are independent of each other, so that their sum is within six standard
    /// deviations.
    void note_steps(
        std::uint64_t query, std::uint32_t row, std::uint32_t batch, std::uint32_t head, double unit) {
        constexpr double most_off = 0.5625;
        constexpr double deviations = 6 * 0.28868;  // of a step: the root of 1/12
        const double step = unit / static_cast<double>(byte_steps);
        errors_.resize(o_.size());
        for (std::uint32_t i = 0; i < t_.value_dim; ++i) {
            double sum = 0;
            double squares = 0;
            for (std::uint32_t key = 0; key < keys_seen(t_, row); ++key) {
                const double v = v_[key_row(batch, head, key) * value_pitch(t_) + i];
                sum += std::abs(v);
                squares += v * v;
            }
            errors_[query * t_.value_dim + i] =
                step * std::min(most_off * sum, deviations * std::sqrt(squares));
        }
    }

    /// A score and its mask are added in float32, which rounds the sum, and the largest that is taken from
    /// it, by 2^-24 of their size; weights and what they are divided by then differ by twice that each. It
    /// counts where the mask of a whole row is far from 0.
    void note_errors(std::uint64_t query, double largest, const std::vector<double>& sizes) {
        errors_.resize(o_.size());
        for (std::uint32_t i = 0; i < t_.value_dim; ++i) {
            errors_[query * t_.value_dim + i] = 4 * 0x1p-24 * largest * sizes[i];
        }
    }

    [[nodiscard]] bool left_out(std::uint32_t row, std::uint32_t key) const {
        if (t_.sparse == 0) {
            return false;
        }
        const SparseKeys keys = sparse_keys(t_, row / t_.base_m * t_.base_m);
        return key >= keys.until || (key >= keys.first && key < keys.from);
    }

    [[nodiscard]] double score(std::uint64_t query, std::uint64_t key) const {
        double sum = 0;
        for (std::uint32_t i = 0; i < t_.dim; ++i) {
            sum += static_cast<double>(q_[query * t_.dim + i]) * static_cast<double>(k_[key * t_.dim + i]);
        }
        sum *= t_.byte_cache != 0 ? static_cast<double>(t_.key_scale) : 1;
        sum *= q_scale_ != nullptr ? static_cast<double>(q_scale_[query]) : 1;
        for (std::uint32_t i = 0; i < t_.rope_dim; ++i) {
            sum += static_cast<double>(q_rope_[query * t_.rope_dim + i]) *
                   static_cast<double>(k_rope_[key * t_.rope_dim + i]);
        }
        return sum;
    }

    [[nodiscard]] std::uint64_t key_row(std::uint32_t batch, std::uint32_t head, std::uint32_t key) const {
        const std::uint32_t key_head = head / (t_.heads / t_.kv_heads);
        if (t_.block_keys == 0) {
            return head_row(t_, batch, key_head, key, t_.kv_heads, t_.kv_len);
        }
        const auto block = static_cast<std::uint64_t>(table_[batch * t_.table_pitch + key / t_.block_keys]);
        return (block * t_.block_keys + key % t_.block_keys) * t_.kv_heads + key_head;
    }

    ascendsim::host::ReferenceData& data_;
    const Tiling& t_;
    const std::vector<float>& q_;
    const std::vector<float>& k_;
    const std::vector<float>& v_;
    const float* q_rope_;
    const float* k_rope_;
    const float* mask_;
    const float* q_scale_;
    std::vector<double>& o_;
    std::vector<std::int32_t> table_;
    std::vector<double> scores_;
    std::vector<double> errors_;
};

}  // namespace attention
