// SPDX-License-Identifier: Apache-2.0
// E2E: whole networks, measured from the host.
#include "app/validation/family.hpp"

namespace ascendsim::validation {
namespace {

class EndToEnd final : public Family {
public:
    [[nodiscard]] bool recognises(const Row& row) const override {
        return row.measurement->unit.starts_with("token") ||
               row.kernel_has({"end to end", "tokens per", "graph call"});
    }

    [[nodiscard]] Adapted adapt(const Row& /*row*/, const Context& /*context*/) const override {
        return WhyNot{
            "a whole network by the host's clock: its layers and the time between kernels are not stated"};
    }
};

}  // namespace

std::unique_ptr<Family> make_e2e_family() {
    return std::make_unique<EndToEnd>();
}

}  // namespace ascendsim::validation
