// SPDX-License-Identifier: Apache-2.0
// GLU: gated linear units, and the turning of heads that goes with them.
#include "app/validation/rows/operator_rows.hpp"

namespace ascendsim::validation {
namespace {

class GatedUnits final : public Family {
public:
    [[nodiscard]] bool recognises(const Row& row) const override { return is_glu(row) || is_rotary(row); }

    [[nodiscard]] Adapted adapt(const Row& row, const Context& context) const override {
        return operator_case(row, context);
    }
};

}  // namespace

std::unique_ptr<Family> make_glu_family() {
    return std::make_unique<GatedUnits>();
}

}  // namespace ascendsim::validation
