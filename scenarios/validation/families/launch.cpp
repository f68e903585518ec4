// SPDX-License-Identifier: Apache-2.0
// LAUNCH: operators so small that starting them is what takes the time.
#include "scenarios/validation/operator_rows.hpp"

namespace ascendsim::validation {
namespace {

class Launches final : public Family {
public:
    [[nodiscard]] bool recognises(const Row& /*row*/) const override { return false; }

    [[nodiscard]] Adapted adapt(const Row& row, const Context& context) const override {
        if (row.measurement->metric == "overhead") {
            return WhyNot{"an overhead by itself, without a kernel"};
        }
        if (row.measurement->metric.find("host") != std::string::npos) {
            return WhyNot{"a host's time for launch and synchronisation, which is not simulated"};
        }
        return operator_case(row, context);
    }
};

}  // namespace

std::unique_ptr<Family> make_launch_family() {
    return std::make_unique<Launches>();
}

}  // namespace ascendsim::validation
