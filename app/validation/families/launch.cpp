// SPDX-License-Identifier: Apache-2.0
// LAUNCH: operators so small that starting them is what takes the time.
#include "app/validation/rows/operator_rows.hpp"
#include "app/validation/rows/row_words.hpp"

namespace ascendsim::validation {
namespace {

class Launches final : public Family {
public:
    [[nodiscard]] bool recognises(const Row& /*row*/) const override { return false; }

    [[nodiscard]] Adapted adapt(const Row& row, const Context& context) const override {
        if (row.measurement->metric == "overhead") {
            return WhyNot{"an overhead by itself, without a kernel"};
        }
        const bool by_host = row.measurement->metric.find("host") != std::string::npos;
        if (by_host && context.source.host_us == 0) {
            return WhyNot{"a host's time for launch and synchronisation, which is not simulated"};
        }
        Adapted adapted = operator_case(row, context);
        Case* const one = std::get_if<Case>(&adapted);
        const auto cores =
            number_in(row.measurement->kernel, "([0-9]+) cores?\\b");  // "relu (Ascend C, 1 core?)"
        for (std::size_t i = 0; one != nullptr && cores && i < one->runs.size(); ++i) {
            one->runs[i].knob("blocks", *cores);
        }
        return adapted;
    }
};

}  // namespace

std::unique_ptr<Family> make_launch_family() {
    return std::make_unique<Launches>();
}

}  // namespace ascendsim::validation
