// SPDX-License-Identifier: Apache-2.0
// What attention_grad.cpp is to compute, in doubles.
#pragma once

#include <cmath>
#include <vector>

#include "kernels/ops/attention/attention/attention_reference.hpp"
#include "kernels/ops/attention/attention_grad/attention_grad_tiling.hpp"
#include "kernels/plan/reference_data.hpp"

namespace attention_grad {

class Reference {
public:
    Reference(ascendsim::host::ReferenceData& data, const Tiling& t)
        : t_{t},
          q_{data.floats("q")},
          k_{data.floats("k")},
          v_{data.floats("v")},
          dy_{data.floats("dy")},
          o_{data.floats("o")},
          maxima_{data.floats("maxima")},
          row_sums_{data.floats("row_sums")},
          dq_{data.expected("dq")},
          dk_{data.expected("dk")},
          dv_{data.expected("dv")} {}

    void run() {
        attention::for_each_query(t_, [&](std::uint32_t batch, std::uint32_t head, std::uint32_t row) {
            differentiate(batch, head, row);
        });
    }

private:
    void differentiate(std::uint32_t batch, std::uint32_t head, std::uint32_t row) {
        const std::uint32_t seen = attention::keys_seen(t_, row);
        const std::uint64_t query = attention::head_row(t_, batch, head, row, t_.heads, t_.q_len) * t_.dim;
        const std::uint64_t kept = (std::uint64_t{batch} * t_.heads + head) * t_.q_len + row;
        const auto scale = static_cast<double>(t_.scale);
        const double of_output = dot(dy_, query, o_, query);
        for (std::uint32_t i = 0; i < seen; ++i) {
            const std::uint64_t key =
                attention::head_row(t_, batch, head / (t_.heads / t_.kv_heads), i, t_.kv_heads, t_.kv_len) *
                t_.dim;
            const double score = dot(q_, query, k_, key) * scale;
            const double p =
                std::exp(score - static_cast<double>(maxima_[kept])) / static_cast<double>(row_sums_[kept]);
            const double ds = p * (dot(dy_, query, v_, key) - of_output) * scale;
            for (std::uint32_t column = 0; column < t_.dim; ++column) {
                dq_[query + column] += ds * static_cast<double>(k_[key + column]);
                dk_[key + column] += ds * static_cast<double>(q_[query + column]);
                dv_[key + column] += p * static_cast<double>(dy_[query + column]);
            }
        }
    }

    [[nodiscard]] double dot(const std::vector<float>& a,
                             std::uint64_t a_at,
                             const std::vector<float>& b,
                             std::uint64_t b_at) const {
        double sum = 0;
        for (std::uint32_t i = 0; i < t_.dim; ++i) {
            sum += static_cast<double>(a[a_at + i]) * static_cast<double>(b[b_at + i]);
        }
        return sum;
    }

    const Tiling& t_;
    const std::vector<float>& q_;
    const std::vector<float>& k_;
    const std::vector<float>& v_;
    const std::vector<float>& dy_;
    const std::vector<float>& o_;
    const std::vector<float>& maxima_;
    const std::vector<float>& row_sums_;
    std::vector<double>& dq_;
    std::vector<double>& dk_;
    std::vector<double>& dv_;
};

}  // namespace attention_grad
