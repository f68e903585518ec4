// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/reference_matmul.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ascendsim::host {
namespace {

constexpr std::uint64_t run = 32;    // products summed in fp32
constexpr std::uint64_t rows = 4;    // of C at a time
constexpr std::uint64_t width = 64;  // columns of C at a time

// A row-major copy of a matrix of outer x inner, transposed or padded with zeros to whole blocks.
std::vector<float> packed(std::span<const float> from,
                          std::uint64_t outer,
                          std::uint64_t inner,
                          bool transpose,
                          std::uint64_t padded_outer,
                          std::uint64_t padded_inner) {
    std::vector<float> to(padded_outer * padded_inner, 0.0F);
    constexpr std::uint64_t tile = 32;
    for (std::uint64_t i0 = 0; i0 < outer; i0 += tile) {
        for (std::uint64_t j0 = 0; j0 < inner; j0 += tile) {
            for (std::uint64_t i = i0; i < std::min(outer, i0 + tile); ++i) {
                for (std::uint64_t j = j0; j < std::min(inner, j0 + tile); ++j) {
                    to[i * padded_inner + j] = from[transpose ? j * outer + i : i * inner + j];
                }
            }
        }
    }
    return to;
}

struct Block {
    const float* a;  // rows x depth, pitch k
    const float* b;  // depth x width, pitch n
    double* c;       // rows x width, pitch n
    std::uint64_t depth;
    std::uint64_t a_pitch;
    std::uint64_t b_pitch;
};

[[gnu::always_inline]] inline void add_run(const Block& block, std::uint64_t first, std::uint64_t last) {
    alignas(64) float sums[rows][width] = {};
    for (std::uint64_t k = first; k < last; ++k) {
        const float* b = block.b + k * block.b_pitch;
        for (std::uint64_t i = 0; i < rows; ++i) {
            const float a = block.a[i * block.a_pitch + k];
            for (std::uint64_t j = 0; j < width; ++j) {
                sums[i][j] += a * b[j];
            }
        }
    }
    for (std::uint64_t i = 0; i < rows; ++i) {
        for (std::uint64_t j = 0; j < width; ++j) {
            block.c[i * block.b_pitch + j] += static_cast<double>(sums[i][j]);
        }
    }
}

[[gnu::always_inline]] inline void add_block(const Block& block) {
    for (std::uint64_t k = 0; k < block.depth; k += run) {
        add_run(block, k, std::min(block.depth, k + run));
    }
}

#if defined(__x86_64__)
[[gnu::target("avx512f")]] void add_block_avx512(const Block& block) {
    add_block(block);
}

[[gnu::target("avx2")]] void add_block_avx2(const Block& block) {
    add_block(block);
}
#endif
void add_block_portable(const Block& block) {
    add_block(block);
}

using AddBlock = void (*)(const Block&);

AddBlock best_add_block() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        return add_block_avx512;
    }
    if (__builtin_cpu_supports("avx2")) {
        return add_block_avx2;
    }
#endif
    return add_block_portable;
}

// Of a matrix of outer x inner, or of inner x outer if transposed, the norm along each inner axis.
std::vector<double> norms(std::span<const float> from,
                          std::uint64_t outer,
                          std::uint64_t inner,
                          bool transpose) {
    std::vector<double> sums(outer, 0.0);
    for (std::uint64_t row = 0; row < (transpose ? inner : outer); ++row) {
        const std::uint64_t columns = transpose ? outer : inner;
        for (std::uint64_t column = 0; column < columns; ++column) {
            const double value = from[row * columns + column];
            sums[transpose ? column : row] += value * value;
        }
    }
    for (double& sum : sums) {
        sum = std::sqrt(sum);
    }
    return sums;
}

constexpr std::uint64_t whole(std::uint64_t value, std::uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

}  // namespace

std::vector<double> multiply(const ReferenceProduct& product) {
    const std::uint64_t m = whole(product.m, rows);
    const std::uint64_t n = whole(product.n, width);
    const std::vector<float> a = packed(product.a, product.m, product.k, product.transpose_a, m, product.k);
    const std::vector<float> b = packed(product.b, product.k, product.n, product.transpose_b, product.k, n);
    std::vector<double> c(m * n, 0.0);
    const AddBlock add = best_add_block();
    for (std::uint64_t j = 0; j < n; j += width) {
        for (std::uint64_t i = 0; i < m; i += rows) {
            add({.a = a.data() + i * product.k,
                 .b = b.data() + j,
                 .c = c.data() + i * n + j,
                 .depth = product.k,
                 .a_pitch = product.k,
                 .b_pitch = n});
        }
    }
    for (std::uint64_t i = 1; i < product.m && n != product.n; ++i) {
        std::copy_n(c.begin() + static_cast<std::ptrdiff_t>(i * n),
                    product.n,
                    c.begin() + static_cast<std::ptrdiff_t>(i * product.n));
    }
    c.resize(product.m * product.n);
    return c;
}

std::vector<double> row_norms(const ReferenceProduct& product) {
    return norms(product.a, product.m, product.k, product.transpose_a);
}

std::vector<double> column_norms(const ReferenceProduct& product) {
    return norms(product.b, product.n, product.k, !product.transpose_b);
}

}  // namespace ascendsim::host
