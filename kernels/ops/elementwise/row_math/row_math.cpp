// SPDX-License-Identifier: Apache-2.0
// Rows: logarithm of softmax, cross entropy, division by a norm, gradients of softmax and norms
// (kernels/ops/elementwise/row_math/row_math.h).
#include "kernels/ops/elementwise/row_math/row_math.h"

extern "C" __global__ __aicore__ void row_math_float16(
    GM_ADDR x, GM_ADDR z, GM_ADDR gamma, GM_ADDR target, GM_ADDR y, GM_ADDR sums, RowMathTiling tiling) {
    RowMath<half>(x, z, gamma, target, y, sums, tiling).Process();
}

extern "C" __global__ __aicore__ void row_math_bfloat16(
    GM_ADDR x, GM_ADDR z, GM_ADDR gamma, GM_ADDR target, GM_ADDR y, GM_ADDR sums, RowMathTiling tiling) {
    RowMath<bfloat16_t>(x, z, gamma, target, y, sums, tiling).Process();
}

extern "C" __global__ __aicore__ void row_math_float32(
    GM_ADDR x, GM_ADDR z, GM_ADDR gamma, GM_ADDR target, GM_ADDR y, GM_ADDR sums, RowMathTiling tiling) {
    RowMath<float>(x, z, gamma, target, y, sums, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/shared/float_types.hpp"
#include "kernels/shared/row_host.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

constexpr std::array<const char*, 8> kind_names{"log_softmax",
                                                "cross_entropy",
                                                "l1_norm",
                                                "l2_norm",
                                                "softmax_grad",
                                                "log_softmax_grad",
                                                "rms_norm_grad",
                                                "layer_norm_grad"};

RowMathKind kind_of(const std::string& word) {
    return static_cast<RowMathKind>(std::ranges::find(kind_names, word) - kind_names.begin());
}

/// Rows in double: what each kind expects.
class Expectation {
public:
    Expectation(const RowMathTiling& tiling, ReferenceData& data) : m_{tiling}, data_{data} {}

    void write() {
        for (std::uint64_t r = 0; r < m_.row.rows; ++r) {
            row(r);
        }
    }

private:
    [[nodiscard]] double x(std::uint64_t i) { return static_cast<double>(data_.floats("x")[i]); }

    [[nodiscard]] double z(std::uint64_t i) { return static_cast<double>(data_.floats("z")[i]); }

    template <class F>
    [[nodiscard]] double sum(std::uint64_t from, F each) {
        double total = 0;
        for (std::uint64_t i = from; i < from + m_.row.width; ++i) {
            total += each(i);
        }
        return total;
    }

    /// The logarithm of the sum of a row's exponentials.
    [[nodiscard]] double log_sum(std::uint64_t from) {
        return std::log(sum(from, [&](auto i) { return std::exp(x(i)); }));
    }

    void class_loss(std::uint64_t r) {
        const std::uint64_t from = r * m_.row.width;
        const double loss =
            log_sum(from) - x(from + static_cast<std::uint64_t>(data_.view<std::int32_t>("target")[r]));
        data_.expected("y")[m_.mean != 0 ? 0 : r] +=
            m_.mean != 0 ? loss / static_cast<double>(m_.row.rows) : loss;
    }

    void row(std::uint64_t r) {
        using enum RowMathKind;
        const std::uint64_t from = r * m_.row.width;
        const auto give = [&](auto each) {
            for (std::uint64_t i = from; i < from + m_.row.width; ++i) {
                data_.expected("y")[i] = each(i);
            }
        };
        switch (m_.kind) {
            case log_softmax: {
                const double all = log_sum(from);
                give([&](auto i) { return x(i) - all; });
                break;
            }
            case cross_entropy:
                class_loss(r);
                break;
            case l1_norm: {
                const double all = sum(from, [&](auto i) { return std::abs(x(i)); });
                give([&](auto i) { return x(i) / all; });
                break;
            }
            case l2_norm: {
                const double all = std::sqrt(sum(from, [&](auto i) { return x(i) * x(i); }));
                give([&](auto i) { return x(i) / all; });
                break;
            }
            case softmax_grad: {
                const double all = sum(from, [&](auto i) { return x(i) * z(i); });
                give([&](auto i) { return x(i) * (z(i) - all); });
                break;
            }
            case log_softmax_grad: {
                const double all = sum(from, [&](auto i) { return z(i); });
                give([&](auto i) { return z(i) - std::exp(x(i)) * all; });
                break;
            }
            case rms_norm_grad:
            case layer_norm_grad:
                norm_grad(from);
                break;
        }
    }

    void norm_grad(std::uint64_t from) {
        const bool centred = m_.kind == RowMathKind::layer_norm_grad;
        const auto width = static_cast<double>(m_.row.width);
        const double middle = centred ? sum(from, [&](auto i) { return x(i); }) / width : 0;
        const double square = sum(from, [&](auto i) { return (x(i) - middle) * (x(i) - middle); }) / width;
        const double inverse = 1 / std::sqrt(square + static_cast<double>(m_.row.epsilon));
        const auto n = [&](std::uint64_t i) { return (x(i) - middle) * inverse; };
        const auto g = [&](std::uint64_t i) {
            return z(i) * static_cast<double>(data_.floats("gamma")[i - from]);
        };
        const double along = sum(from, [&](auto i) { return g(i) * n(i); }) / width;
        const double mean = centred ? sum(from, g) / width : 0;
        for (std::uint64_t i = from; i < from + m_.row.width; ++i) {
            data_.expected("y")[i] = (g(i) - mean - n(i) * along) * inverse;
            data_.expected("sums")[i - from] += z(i) * n(i);
            if (centred) {
                data_.expected("sums")[m_.row.width + i - from] += z(i);
            }
        }
    }

    const RowMathTiling& m_;
    ReferenceData& data_;
};

class RowMathHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "rows: logarithm of softmax, cross entropy, division by a norm, gradients of softmax and "
               "norms";
    }

    std::vector<Knob> knobs() const override {
        std::vector<Knob> knobs = row_knobs({1024, 1024});
        knobs.push_back(Knob::word("kind", {kind_names.begin(), kind_names.end()}, "what is computed"));
        knobs.push_back(Knob::flag("mean", false, "cross entropy: one mean for all rows"));
        knobs.push_back(Knob::real("epsilon", 1e-6, 0, 1, "", "norms: added to the mean square"));
        return knobs;
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const DataType type = checked_float_type(knobs, chip);
        const Shape& shape = knobs.shape("shape");
        RowMathTiling m{.kind = kind_of(knobs.word("kind")), .mean = knobs.flag("mean") ? 1U : 0U};
        const bool two = RowMathTakesTwo(m.kind);
        const std::uint64_t size = isa::bits(type) / 8;
        const std::uint64_t buffers = knobs.count("buffers");
        RowProblem problem = row_problem(knobs, chip, type);
        problem.local_bytes = buffers * size * (two ? 3 : 2) + 4 * (two ? 3 : 2) + 2;
        problem.row_bytes = 64 * 4 + 4 * 4 + 32 + 16;
        problem.weight_bytes = RowMathHasWeights(m.kind) ? 12 + size : 0;
        problem.may_chunk = false;
        problem.epsilon = static_cast<float>(knobs.real("epsilon"));
        std::uint32_t blocks = 1;
        m.row = row_tiling(chip, problem, knobs, blocks);
        if (m.kind == RowMathKind::cross_entropy) {
            m.row.tile = std::min(m.row.tile, 64U);  // losses that one instruction sums
        }
        m.scale = 1.0F / static_cast<float>(std::max<std::uint64_t>(m.row.rows, 1));
        Plan plan;
        plan.chosen = {{"tile", m.row.tile}};
        plan.problem = fmt::format("{} {} {}", knobs.word("kind"), text(shape), isa::name(type));
        add_buffers(plan, m, type, shape);
        const auto address = [&plan](const char* name) {
            const bool there = std::ranges::find(plan.buffers, name, &Buffer::name) != plan.buffers.end();
            return Argument::address(there ? name : "x");
        };
        plan.launches = {{.entry = fmt::format("row_math_{}", isa::name(type)),
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {address("x"),
                                        address("z"),
                                        address("gamma"),
                                        address("target"),
                                        address("y"),
                                        address("sums"),
                                        Argument::of(m)}}};
        plan.work = {.vector_flops = 6.0 * static_cast<double>(elements(shape)),
                     .vector_type = DataType::float32,
                     .gm_bytes = least_traffic(plan.buffers)};
        plan.reference = [m](ReferenceData& data) { Expectation{m, data}.write(); };
        return plan;
    }

private:
    static void add_buffers(Plan& plan, const RowMathTiling& m, DataType type, const Shape& shape) {
        using enum RowMathKind;
        const std::uint64_t width = m.row.width;
        const Fill of_x = m.kind == softmax_grad       ? Fill{fill::Uniform{0, 0.1}}
                          : m.kind == log_softmax_grad ? Fill{fill::Uniform{-6, -1}}
                                                       : Fill{fill::Normal{0, 1}};
        plan.buffers = {Buffer::input("x", type, shape, of_x)};
        // Sums of a row's products in float, and one rounding of the result.
        const double sums = 1e-6 * std::sqrt(static_cast<double>(width)) + 1e-5;
        if (RowMathTakesTwo(m.kind)) {
            plan.buffers.push_back(Buffer::input("z", type, shape, fill::Normal{0, 1}));
        }
        if (m.kind == cross_entropy) {
            Buffer target = Buffer::input("target",
                                          DataType::int32,
                                          {m.row.rows},
                                          fill::Integers{0, static_cast<std::int64_t>(width) - 1});
            target.control = true;
            plan.buffers.push_back(target);
            plan.buffers.push_back(
                Buffer::output("y", DataType::float32, m.mean != 0 ? Shape{1} : Shape{m.row.rows}));
            plan.buffers.back().role = m.mean != 0 ? Role::in_out : Role::output;
            plan.tolerances = {{.output = "y", .absolute = sums, .relative = 1e-5}};
            return;
        }
        plan.buffers.push_back(Buffer::output("y", type, shape));
        plan.tolerances = {rounded_once("y", type, sums)};
        if (RowMathHasWeights(m.kind)) {
            plan.buffers.push_back(Buffer::input("gamma", type, {width}, fill::Uniform{0.5, 1.5}));
            Buffer all = Buffer::output(
                "sums", DataType::float32, m.kind == layer_norm_grad ? Shape{2, width} : Shape{width});
            all.role = Role::in_out;  // zeroed by whoever launches
            plan.buffers.push_back(all);
            plan.tolerances.push_back({.output = "sums",
                                       .absolute = 1e-5 * std::sqrt(static_cast<double>(m.row.rows)) + 1e-5,
                                       .relative = 1e-5});
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::RowMathHost host;
    return &host;
}
#endif
