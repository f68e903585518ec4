// SPDX-License-Identifier: Apache-2.0
// FAD: attention of few queries over a cache of keys.
#include "app/validation/rows/attention_rows.hpp"

namespace ascendsim::validation {
namespace {

class Decode final : public Family {
public:
    [[nodiscard]] bool recognises(const Row& row) const override { return attends(row); }

    [[nodiscard]] Adapted adapt(const Row& row, const Context& context) const override {
        return attention_case(row, context);
    }
};

}  // namespace

std::unique_ptr<Family> make_fad_family() {
    return std::make_unique<Decode>();
}

}  // namespace ascendsim::validation
