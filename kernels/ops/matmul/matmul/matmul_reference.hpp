// SPDX-License-Identifier: Apache-2.0
// What matmul.cpp must compute, and how far it may be off.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "kernels/ops/matmul/matmul/matmul_choice.hpp"
#include "kernels/plan/plan.hpp"
#include "kernels/plan/reference_matmul.hpp"
#include "kernels/shared/epilogue_host.hpp"

namespace matmul {

namespace host = ascendsim::host;

/// The products of a problem in doubles.
class Reference {
public:
    // Each product of values below 1 is rounded to fp32, each sum too; with a random sign the errors of k
    // sums grow as k^1/2 times the sum's size, k^1/2 / 3. Ten of these deviations are allowed, and one step
    // of the output's type.
    static void add(host::Plan& plan,
                    const Problem& problem,
                    const Tiling& tiling,
                    const epilogue::Epilogue& with) {
        const bool exact = problem.type == DataType::int8 && problem.out != DataType::half;
        const double depth = static_cast<double>(std::max<std::uint64_t>(problem.k, 1));
        const double product_error = problem.hf32 ? 0x1p-11 * std::sqrt(depth) : 0.0;
        const double absolute = exact ? 0.0 : 10.0 * (0x1p-24 * depth / 3 + product_error / 3);
        // Adding up in 16 bits: as many values as parts, and as many sums, are rounded by up to 2^-11 of
        // themselves (2^-8 for bfloat16), and few values exceed five deviations.
        const double largest = 5 * std::sqrt(depth) / 3;
        const double step = problem.out == DataType::bfloat16 ? 0x1p-8 : 0x1p-11;
        const double parts = tiling.split_k > 1 ? 2 * tiling.split_k * step * largest : 0.0;
        const bool narrow = problem.out == DataType::half || problem.out == DataType::bfloat16;
        plan.tolerances.push_back({.output = "c",
                                   .absolute = absolute + (narrow ? parts : 0.0),
                                   .relative = exact ? 0.0 : 0x1p-20,
                                   .ulp = exact ? 0U : 1U});
        epilogue::widen(plan.tolerances.back(), with, problem.out, depth);
        plan.reference = [problem, with](host::ReferenceData& data) {
            compute(problem, data);
            complete(problem, with, data);
        };
    }

private:
    static void compute(const Problem& problem, host::ReferenceData& data) {
        const std::vector<float> b = rows_of_b(problem, data.floats("b"));
        const std::span<const float> a = data.floats("a");
        std::vector<double>& c = data.expected("c");
        c.assign(problem.m * problem.n, 0.0);  // rows of no group stay as they were
        std::uint64_t row = 0;
        for (std::uint64_t group = 0; group < problem.groups; ++group) {
            const std::uint64_t end = problem.ends.empty() ? row + problem.group_rows() : problem.ends[group];
            const std::uint64_t size = problem.k * problem.n;
            const std::vector<double> product = host::multiply(
                {.a = problem.transpose_a ? a : a.subspan(row * problem.k, (end - row) * problem.k),
                 .b = std::span{b}.subspan(group * size, size),
                 .m = end - row,
                 .n = problem.n,
                 .k = problem.k,
                 .transpose_a = problem.transpose_a,
                 .transpose_b = problem.transpose_b});
            for (std::size_t i = 0; i < product.size(); ++i) {
                c[row * problem.n + i] = product[i] * problem.scale;
            }
            row = end;
        }
    }

    static void complete(const Problem& problem, const epilogue::Epilogue& with, host::ReferenceData& data) {
        std::vector<double>& c = data.expected("c");
        for (std::size_t i = 0; epilogue::any(with) && i < c.size(); ++i) {
            const double bias = with.bias != 0 ? data.floats("bias")[i % problem.n] : 0.0;
            c[i] = epilogue::activated(with, c[i] + bias);
        }
    }

    // B as rows, whatever it is stored as.
    [[nodiscard]] static std::vector<float> rows_of_b(const Problem& problem, std::span<const float> stored) {
        std::vector<float> b{stored.begin(), stored.end()};
        const std::uint64_t block = problem.block();
        for (std::uint64_t i = 0; problem.b_blocked && i < stored.size(); ++i) {
            const std::uint64_t inside = i % (problem.k * problem.n);
            const std::uint64_t column = inside / (problem.k * block) * block + inside % block;
            const std::uint64_t row = inside / block % problem.k;
            b[i - inside + row * problem.n + column] = stored[i];
        }
        return b;
    }
};

}  // namespace matmul
