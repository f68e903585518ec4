// SPDX-License-Identifier: Apache-2.0
// GEMM: matrix products.
#include "app/validation/rows/matmul_rows.hpp"

namespace ascendsim::validation {
namespace {

class Gemm final : public Family {
public:
    [[nodiscard]] bool recognises(const Row& row) const override {
        return row.kernel_has({"matmul", "gemm", "gemv", "addmm", "addmv", "linear"});
    }

    [[nodiscard]] Adapted adapt(const Row& row, const Context& context) const override {
        return matmul_case(row, context);
    }
};

}  // namespace

std::unique_ptr<Family> make_gemm_family() {
    return std::make_unique<Gemm>();
}

}  // namespace ascendsim::validation
