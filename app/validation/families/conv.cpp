// SPDX-License-Identifier: Apache-2.0
// CONV: convolutions and pooling.
#include <algorithm>

#include "app/validation/rows/convolution_rows.hpp"
#include "app/validation/rows/operator_rows.hpp"

namespace ascendsim::validation {
namespace {

class Convolutions final : public Family {
public:
    [[nodiscard]] bool recognises(const Row& row) const override { return row.kernel_has({"conv", "pool"}); }

    [[nodiscard]] Adapted adapt(const Row& row, const Context& context) const override {
        if (row.kernel_has({"pool", "reducemean"})) {
            return pooled(row, context);
        }
        const Extents* const x = row.shape.tensor(0);
        const Extents* const w = row.shape.tensor(1);
        if (!row.kernel_has({"conv"})) {
            return operator_case(row, context);
        }
        const bool input_gradient = row.kernel_has({"backpropinput", "backwardinput"});
        if (row.kernel_has({"backpropfilter", "backwardfilter", "backprop filter", "backward filter"})) {
            if (x != nullptr && w != nullptr && x->size() == w->size() &&
                (x->size() == 4 || x->size() == 5)) {
                return filter_grad_case(row, context, *x, *w);
            }
            return WhyNot{"the shape does not say images and gradient"};
        }
        if (row.kernel_has({"conv3d", "conv 3d", "transpose"}) ||
            (row.kernel_has({"backprop", "backward", "grad"}) && !input_gradient)) {
            return WhyNot{"three-dimensional and transposed convolutions have no kernel yet"};
        }
        if (x != nullptr && w != nullptr && x->size() == 5 && w->size() == 4) {
            return blocked(row, context, *x, *w);
        }
        if (x != nullptr && w != nullptr && x->size() == 4 && (w->size() == 4 || w->size() == 3)) {
            return convolution_case(row, context, *x, *w, input_gradient);
        }
        return WhyNot{"the shape does not say images and filter"};
    }

private:
    /// X as NC1HWC0, W as (C1*KH*KW, N1, 16, 16).
    [[nodiscard]] static Adapted blocked(const Row& row,
                                         const Context& context,
                                         const Extents& x,
                                         const Extents& w) {
        if (x[4] != 16 || w[0] % x[1] != 0) {
            return WhyNot{"the filter does not fit the image's channels"};
        }
        std::uint64_t filter = 1;
        while (filter * filter < w[0] / x[1]) {
            ++filter;
        }
        KernelRun run = kernel_of(row, context, "conv2d");
        run.knob("batch", x[0]).knob("c1", x[1]).knob("height", x[2]).knob("width", x[3]).knob("n1", w[1]);
        run.knob("filter", filter)
            .knob("pad", row.shape.get("pad").value_or(filter / 2))
            .knob("stride", row.shape.get("stride").value_or(1));
        run.knob("dtype", first_type(row));
        Case result;
        result.runs.push_back(std::move(run));
        return result;
    }

    /// A mean over all but the first two axes: rows of everything behind them.
    [[nodiscard]] static Adapted pooled(const Row& row, const Context& context) {
        const Extents* const x = row.shape.tensor(0);
        if (x == nullptr || x->size() < 3) {
            return WhyNot{"the shape does not say images"};
        }
        std::vector<std::int64_t> wanted = row.list("output_size");
        if (wanted.empty() && !row.shape.outputs.empty() && row.shape.outputs.front().size() == x->size()) {
            wanted.assign(row.shape.outputs.front().begin() + 2, row.shape.outputs.front().end());
        }
        const bool all = row.kernel_has({"global", "adaptive"}) || !wanted.empty();
        if (!all || std::ranges::any_of(wanted, [](std::int64_t extent) { return extent != 1; })) {
            return WhyNot{"pooling to more than one value has no kernel yet"};
        }
        KernelRun run = kernel_of(row, context, "reduce");
        run.knob("shape", *x)
            .knob("first", 2)
            .knob("axes", 0)
            .knob("op", "mean")
            .knob("dtype", first_type(row));
        Case result;
        result.runs.push_back(std::move(run));
        return result;
    }
};

}  // namespace

std::unique_ptr<Family> make_conv_family() {
    return std::make_unique<Convolutions>();
}

}  // namespace ascendsim::validation
