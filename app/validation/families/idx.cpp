// SPDX-License-Identifier: Apache-2.0
// IDX: moving, choosing and ordering elements.
#include "app/validation/rows/operator_rows.hpp"

namespace ascendsim::validation {
namespace {

class Movement final : public Family {
public:
    [[nodiscard]] bool recognises(const Row& row) const override { return is_movement(row); }

    [[nodiscard]] Adapted adapt(const Row& row, const Context& context) const override {
        return operator_case(row, context);
    }
};

}  // namespace

std::unique_ptr<Family> make_idx_family() {
    return std::make_unique<Movement>();
}

}  // namespace ascendsim::validation
