// SPDX-License-Identifier: Apache-2.0
// What matmul.cpp must compute, and how far it may be off.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "kernels/ops/matmul/matmul/matmul_choice.hpp"
#include "kernels/plan/plan.hpp"
#include "kernels/plan/reference_matmul.hpp"
#include "kernels/plan/rounding.hpp"
#include "kernels/shared/epilogue_host.hpp"

namespace matmul {

namespace host = ascendsim::host;

/// The products of a problem in doubles.
class Reference {
public:
    // Each product of values below 1 is rounded to fp32, each sum too; with a random sign the errors of k
    // sums grow as k^1/2 times the sum's size, k^1/2 / 3. Ten of these deviations are allowed, and one step
    // of the output's type; for other values, what fp32_sum_error() says of their rows and columns.
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
            Bounds bounds = compute(problem, data);
            complete(problem, with, std::move(bounds), data);
        };
    }

private:
    // The norms of each row of A, and of the columns of each group's B.
    struct Bounds {
        std::vector<double> rows;
        std::vector<std::size_t> columns_of;  // of a row, where its group's norms begin
        std::vector<double> columns;
    };

    static Bounds compute(const Problem& problem, host::ReferenceData& data) {
        Bounds bounds{.rows = std::vector<double>(problem.m, 0.0),
                      .columns_of = std::vector<std::size_t>(problem.m, 0),
                      .columns = std::vector<double>(problem.n, 0.0)};  // of rows of no group
        const std::vector<float> b = rows_of_b(problem, data.floats("b"));
        const std::span<const float> a = data.floats("a");
        std::vector<double>& c = data.expected("c");
        c.assign(problem.m * problem.n, 0.0);  // rows of no group stay as they were
        std::uint64_t row = 0;
        for (std::uint64_t group = 0; group < problem.groups; ++group) {
            const std::uint64_t end = problem.ends.empty() ? row + problem.group_rows() : problem.ends[group];
            const std::uint64_t size = problem.k * problem.n;
            const host::ReferenceProduct operands{
                .a = problem.transpose_a ? a : a.subspan(row * problem.k, (end - row) * problem.k),
                .b = std::span{b}.subspan(group * size, size),
                .m = end - row,
                .n = problem.n,
                .k = problem.k,
                .transpose_a = problem.transpose_a,
                .transpose_b = problem.transpose_b};
            const std::vector<double> product = host::multiply(operands);
            note_norms(operands, row, bounds);
            for (std::size_t i = 0; i < product.size(); ++i) {
                c[row * problem.n + i] = product[i] * problem.scale;
            }
            row = end;
        }
        return bounds;
    }

    static void note_norms(const host::ReferenceProduct& operands, std::uint64_t first, Bounds& bounds) {
        const std::vector<double> rows = host::row_norms(operands);
        const std::vector<double> columns = host::column_norms(operands);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            bounds.rows[first + i] = rows[i];
            bounds.columns_of[first + i] = bounds.columns.size();
        }
        bounds.columns.insert(bounds.columns.end(), columns.begin(), columns.end());
    }

    static void complete(const Problem& problem,
                         const epilogue::Epilogue& with,
                         Bounds bounds,
                         host::ReferenceData& data) {
        std::vector<double>& c = data.expected("c");
        std::vector<double> sums = epilogue::any(with) ? c : std::vector<double>{};
        const std::vector<float> bias = with.bias != 0 ? data.floats("bias") : std::vector<float>(problem.n);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            sums[i] += static_cast<double>(bias[i % problem.n]);
            c[i] = epilogue::activated(with, sums[i]);
        }
        if (problem.type == DataType::int8) {  // its sums are exact
            return;
        }
        data.set_errors("c", [=, sums = std::move(sums), bounds = std::move(bounds)](std::uint64_t i) {
            const std::uint64_t column = i % problem.n;
            const std::uint64_t row = i / problem.n;
            const double magnitudes = bounds.rows[row] * bounds.columns[bounds.columns_of[row] + column] +
                                      std::abs(static_cast<double>(bias[column]));
            const double error = host::fp32_sum_error(static_cast<double>(problem.k), magnitudes);
            return sums.empty() ? error : epilogue::error_behind(with, problem.out, error, sums[i]);
        });
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
