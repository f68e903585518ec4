// SPDX-License-Identifier: Apache-2.0
// PEAK: what a chip is said to reach at best, run as the plain large problem that comes closest.
#include "app/validation/family.hpp"

namespace ascendsim::validation {
namespace {

constexpr std::uint64_t extent = 8192;

Adapted product(const Row& row, const Context& context) {
    const bool single = row.kernel_has({"fp32"});
    Case result;
    KernelRun run{.kernel = "matmul", .warm_l2 = context.source.warm_l2()};
    run.knob("m", extent).knob("n", extent).knob("k", extent);
    run.knob("dtype",
             single                     ? isa::DataType::float32
             : row.kernel_has({"bf16"}) ? isa::DataType::bfloat16
                                        : isa::DataType::half);
    result.runs.push_back(std::move(run));
    result.amount = 2.0 * extent * extent * extent;
    result.assumed = "a product of 8192 x 8192 matrices";
    return result;
}

Adapted stream(const char* op, const Context& context) {
    Case result;
    KernelRun run{.kernel = "elementwise", .warm_l2 = context.source.warm_l2()};
    run.knob("op", op).knob("shape", Extents{extent, extent});
    result.runs.push_back(std::move(run));
    result.amount = 2.0 * extent * extent;
    result.assumed = "8192 x 8192 elements of fp16; bytes read are counted";
    return result;
}

class Peak final : public Family {
public:
    [[nodiscard]] bool recognises(const Row& row) const override { return row.kernel_has({"peak"}); }

    [[nodiscard]] Adapted adapt(const Row& row, const Context& context) const override {
        if (row.notes_have("spec") || row.kernel_has({"spec"})) {
            return WhyNot{"a data sheet's figure, not a measurement"};
        }
        const std::string& unit = row.measurement->unit;
        if (unit == "x" || unit == "%" || unit.empty()) {
            return WhyNot{"a ratio of two unstated times"};
        }
        if (row.kernel_has({"matmul", "gemm"})) {
            return product(row, context);
        }
        if (row.kernel_has({"composed"})) {
            return WhyNot{"how the function is composed is not stated"};
        }
        if (row.kernel_has({"sigmoid"})) {
            return stream("sigmoid", context);
        }
        if (row.kernel_has({"exp"})) {
            return stream("exp", context);
        }
        return WhyNot{"the shape is not stated"};
    }
};

}  // namespace

std::unique_ptr<Family> make_peak_family() {
    return std::make_unique<Peak>();
}

}  // namespace ascendsim::validation
