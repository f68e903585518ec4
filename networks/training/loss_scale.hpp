// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ascendsim::networks {

/// How the loss is scaled, so that small gradients stay in the range of float16.
struct LossScaleOptions {
    double start = 65536;
    double backoff = 0.5;  // factor behind an overflow
    double growth = 2;     // factor behind enough steps without one
    std::uint32_t growth_steps = 1000;
    double least = 1;
    double most = 1e6;
    double clip_norm = 1;  // of all gradients together; 0: they are not clipped
};

/// Elements of gradients, without the loss scale.
struct GradientHealth {
    std::uint64_t elements = 0;
    std::uint64_t not_finite = 0;
    std::uint64_t zeros = 0;  // some of which were too small for float16
    double norm = 0;          // of the finite ones
    double largest = 0;

    [[nodiscard]] bool overflowed() const { return not_finite != 0; }
};

/// Looks at gradients that carry a scale.
[[nodiscard]] GradientHealth health_of(std::span<const std::vector<double>* const> gradients, double scale);

/// The scale of the loss, step by step: a step whose gradients overflowed is skipped and lowers it.
class LossScale {
public:
    explicit LossScale(const LossScaleOptions& options);

    [[nodiscard]] double value() const { return value_; }

    /// Steps that were not skipped.
    [[nodiscard]] std::uint64_t taken() const { return taken_; }

    [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

    /// What gradients are multiplied by before weights follow them: without the scale, clipped.
    [[nodiscard]] double gradient_factor(const GradientHealth& health) const;

    /// Notes a step; true if it is taken.
    bool note(const GradientHealth& health);

private:
    LossScaleOptions options_;
    double value_;
    std::uint32_t clean_ = 0;  // steps since the scale changed
    std::uint64_t taken_ = 0;
    std::uint64_t skipped_ = 0;
};

}  // namespace ascendsim::networks
