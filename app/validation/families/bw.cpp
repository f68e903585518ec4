// SPDX-License-Identifier: Apache-2.0
// BW: copies, fills and broadcasts.
#include "app/validation/rows/copy_rows.hpp"

namespace ascendsim::validation {
namespace {

class Bandwidth final : public Family {
public:
    [[nodiscard]] bool recognises(const Row& row) const override { return copies(row); }

    [[nodiscard]] Adapted adapt(const Row& row, const Context& context) const override {
        return copy_case(row, context);
    }
};

}  // namespace

std::unique_ptr<Family> make_bw_family() {
    return std::make_unique<Bandwidth>();
}

}  // namespace ascendsim::validation
