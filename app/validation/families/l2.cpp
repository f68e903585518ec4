// SPDX-License-Identifier: Apache-2.0
// L2: copies of the same data again and again, and by all cores at once.
#include "app/validation/rows/copy_rows.hpp"

namespace ascendsim::validation {
namespace {

class Cache final : public Family {
public:
    [[nodiscard]] bool recognises(const Row& row) const override { return copies(row); }

    [[nodiscard]] Adapted adapt(const Row& row, const Context& context) const override {
        return copy_case(row, context);
    }
};

}  // namespace

std::unique_ptr<Family> make_l2_family() {
    return std::make_unique<Cache>();
}

}  // namespace ascendsim::validation
