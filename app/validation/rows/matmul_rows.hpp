// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "app/validation/family.hpp"

namespace ascendsim::validation {

/// Scalar cycles that the high-level Matmul API with its tiling known while compiling spends in each step of
/// the cube beyond those of our kernels [aic_scalar_time of GEMM-008 and GEMM-009].
inline constexpr std::uint32_t constant_library_cycles = 55;
/// The same with the MDL template and long chunks of K, its tiling known when it runs [GEMM-006].
inline constexpr std::uint32_t mdl_library_cycles = 180;

/// A product as a row states it.
struct Product {
    std::uint64_t batch = 1;
    std::uint64_t m = 0;
    std::uint64_t n = 0;
    std::uint64_t k = 0;
    bool transpose_a = false;
    bool transpose_b = false;
    isa::DataType type = isa::DataType::half;
    std::optional<isa::DataType> out;

    [[nodiscard]] double flops() const {
        return 2.0 * static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(n) *
               static_cast<double>(k);
    }
};

/// Reads "M8192 N8192 K8192" and "4096x1536; 12288x1536" alike.
[[nodiscard]] std::optional<Product> product_of(const Row& row);

/// The run of a product, or a batch of them, with what the row says of its schedule.
[[nodiscard]] Adapted matmul_case(const Row& row, const Context& context);

/// A run of kernels/ops/matmul/matmul/matmul.cpp for a product.
[[nodiscard]] KernelRun matmul_run(const Product& product, const Context& context);

/// What a row says of schedule and cores, as knobs of kernels/ops/matmul/matmul/matmul.cpp.
void add_matmul_schedule(KernelRun& run, const Row& row, const Product& product, const Context& context);

}  // namespace ascendsim::validation
