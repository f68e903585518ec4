// SPDX-License-Identifier: Apache-2.0
// VEC: element-wise operators and optimiser steps.
#include "app/validation/rows/operator_rows.hpp"

namespace ascendsim::validation {
namespace {

class Elementwise final : public Family {
public:
    [[nodiscard]] bool recognises(const Row& row) const override { return is_elementwise(row); }

    [[nodiscard]] Adapted adapt(const Row& row, const Context& context) const override {
        return operator_case(row, context);
    }
};

}  // namespace

std::unique_ptr<Family> make_vec_family() {
    return std::make_unique<Elementwise>();
}

}  // namespace ascendsim::validation
