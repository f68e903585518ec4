// SPDX-License-Identifier: Apache-2.0
// NORM: normalisation, softmax, quantisation, reductions.
#include "app/validation/rows/operator_rows.hpp"

namespace ascendsim::validation {
namespace {

class Norms final : public Family {
public:
    [[nodiscard]] bool recognises(const Row& row) const override { return is_row_operator(row); }

    [[nodiscard]] Adapted adapt(const Row& row, const Context& context) const override {
        return operator_case(row, context);
    }
};

}  // namespace

std::unique_ptr<Family> make_norm_family() {
    return std::make_unique<Norms>();
}

}  // namespace ascendsim::validation
