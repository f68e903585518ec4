// SPDX-License-Identifier: Apache-2.0
// CONV: convolutions and pooling.
#include <algorithm>

#include "scenarios/validation/operator_rows.hpp"
#include "scenarios/validation/row_words.hpp"

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
        if (row.kernel_has({"depthwise", "conv3d", "conv 3d", "transpose"}) ||
            (row.kernel_has({"backprop", "backward", "grad"}) && !input_gradient)) {
            return WhyNot{"depthwise, three-dimensional and backward convolutions have no kernel yet"};
        }
        if (x != nullptr && w != nullptr && x->size() == 5 && w->size() == 4) {
            return blocked(row, context, *x, *w);
        }
        if (x != nullptr && w != nullptr && x->size() == 4 && w->size() == 4) {
            return plain(row, context, *x, *w, input_gradient);
        }
        return WhyNot{"the shape does not say images and filter"};
    }

private:
    /// X as NC1HWC0, W as (C1*KH*KW, N1, 16, 16).
    [[nodiscard]] static Adapted blocked(const Row& row, const Context& context, const Extents& x, const Extents& w) {
        if (x[4] != 16 || w[0] % x[1] != 0) {
            return WhyNot{"the filter does not fit the image's channels"};
        }
        std::uint64_t filter = 1;
        while (filter * filter < w[0] / x[1]) {
            ++filter;
        }
        KernelRun run = kernel_of(row, context, "conv2d");
        run.knob("batch", x[0]).knob("c1", x[1]).knob("height", x[2]).knob("width", x[3]).knob("n1", w[1]);
        run.knob("filter", filter).knob("pad", row.shape.get("pad").value_or(filter / 2)).knob("stride", row.shape.get("stride").value_or(1));
        run.knob("dtype", first_type(row));
        Case result;
        result.runs.push_back(std::move(run));
        return result;
    }

    /// The only number of a list, or nothing.
    [[nodiscard]] static std::optional<std::uint64_t> same(const Row& row, std::initializer_list<const char*> keys, std::uint64_t otherwise) {
        for (const char* key : keys) {
            const std::vector<std::int64_t> list = row.list(key);
            if (!list.empty()) {
                const bool alike = std::ranges::all_of(list, [&](std::int64_t value) { return value == list.front() && value >= 0; });
                return alike ? std::optional{static_cast<std::uint64_t>(list.front())} : std::nullopt;
            }
        }
        return otherwise;
    }

    static void add_turn(Case& result, const Row& row, const Context& context, const Extents& shape, const Extents& perm) {
        KernelRun run = kernel_of(row, context, "transpose");
        run.knob("shape", shape).knob("perm", perm).knob("dtype", isa::DataType::half);
        result.runs.push_back(std::move(run));
    }

    /// Images (N, C, H, W), filter (O, C, K, K): what the kernel takes is made of them first, where the row lists those kernels.
    /// The gradient of the images is a convolution of the gradient with the filter turned round: as many products.
    [[nodiscard]] static Adapted plain(const Row& row, const Context& context, const Extents& x, const Extents& w, bool gradient) {
        const isa::DataType type = first_type(row);
        if (type != isa::DataType::half && type != isa::DataType::bfloat16) {
            return WhyNot{"convolutions of 16-bit elements can be run"};
        }
        const std::uint64_t channels = gradient ? w[0] : w[1];
        const auto pad = same(row, {"pads", "padding", "pad"}, w[2] / 2);
        const auto stride = same(row, {"strides", "stride"}, 1);
        const auto dilation = same(row, {"dilations", "dilation"}, 1);
        if (x[1] != channels || w[2] != w[3] || !pad || !stride || dilation != 1 || row.integer("groups").value_or(1) != 1 ||
            (gradient && stride != 1)) {
            return WhyNot{"convolutions in groups, dilated, or unlike in rows and columns have no kernel yet"};
        }
        constexpr std::uint64_t block = 16;
        const std::uint64_t c1 = (x[1] + block - 1) / block;
        const std::uint64_t n1 = ((gradient ? w[1] : w[0]) + block - 1) / block;
        std::uint64_t turns = number_in(row.notes, "transdata[^0-9+]*([0-9]+)").value_or(row.notes_have("transdata") ? 1 : 0);
        if (row.notes_have("several") && turns == 0) {
            turns = 3;
        }
        Case result;
        if (turns > 0) {
            add_turn(result, row, context, {x[0], c1, block, x[2] * x[3]}, {0, 1, 3, 2});
        }
        if (turns > 1) {
            add_turn(result, row, context, {n1 * block, c1, block, w[2] * w[3]}, {1, 3, 0, 2});
        }
        KernelRun run = kernel_of(row, context, "conv2d");
        run.knob("batch", x[0]).knob("c1", c1).knob("height", x[2]).knob("width", x[3]).knob("n1", n1);
        run.knob("filter", w[2]).knob("pad", *pad).knob("stride", *stride).knob("dtype", type);
        result.runs.push_back(std::move(run));
        if (turns > 2) {
            const auto positions = [&](std::uint64_t extent) { return (extent + 2 * *pad - w[2]) / *stride + 1; };
            add_turn(result, row, context, {x[0], n1, positions(x[2]) * positions(x[3]), block}, {0, 1, 3, 2});
        }
        if (turns == 0) {
            result.assumed = "images and filter lie in the kernel's format";
        }
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
        run.knob("shape", *x).knob("first", 2).knob("axes", 0).knob("op", "mean").knob("dtype", first_type(row));
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
