// SPDX-License-Identifier: Apache-2.0
// FA: attention of many queries.
#include "app/validation/rows/attention_rows.hpp"

namespace ascendsim::validation {
namespace {

class Prefill final : public Family {
public:
    [[nodiscard]] bool recognises(const Row& row) const override { return attends(row); }

    [[nodiscard]] Adapted adapt(const Row& row, const Context& context) const override {
        return attention_case(row, context);
    }
};

}  // namespace

std::unique_ptr<Family> make_fa_family() {
    return std::make_unique<Prefill>();
}

}  // namespace ascendsim::validation
