// SPDX-License-Identifier: Apache-2.0
// Gradients of convolutions and pools. The operand's gradient of a convolution is a transposed convolution
// with the same filters, and the other way round.
#include <algorithm>
#include <utility>

#include "networks/operators/operators.hpp"
#include "networks/training/backward.hpp"

namespace ascendsim::networks {
namespace {

using Integers = std::vector<std::int64_t>;

/// Windows as attributes state them, each with an entry for every axis.
struct StatedWindows {
    Integers strides;
    Integers dilations;
    Integers pads;
};

StatedWindows stated_windows(const Differentiated& d, std::size_t rank) {
    if (const std::string pad = d.node.word("auto_pad", "NOTSET"); pad != "NOTSET" && pad != "VALID") {
        throw Refused{"auto_pad '{}'; pads in numbers have a gradient", pad};
    }
    const auto list = [&](const char* name, std::size_t count, std::int64_t otherwise) {
        Integers values = d.node.integers(name, Integers(count, otherwise));
        values.resize(count, otherwise);
        return values;
    };
    return {list("strides", rank, 1), list("dilations", rank, 1), list("pads", 2 * rank, 0)};
}

/// Sums over all but the channels.
void give_channel_sums(const Differentiated& d, std::size_t index) {
    if (!d.wanted(index)) {
        return;
    }
    const std::size_t rank = d.backward.shape(d.output()).size();
    Integers axes{0};
    for (std::size_t i = 2; i < rank; ++i) {
        axes.push_back(static_cast<std::int64_t>(i));
    }
    const std::string sums =
        d.backward.add("ReduceSum", {d.gradient()}, {{"axes", axes}, {"keepdims", std::int64_t{0}}});
    d.backward.give(d.input(index), sums);
}

void gradient_of_conv(const Differentiated& d) {
    Backward& b = d.backward;
    const host::Shape& x = d.shape(0);
    const host::Shape& w = d.shape(1);
    const host::Shape& y = b.shape(d.output());
    const std::size_t rank = x.size() - 2;
    const StatedWindows windows = stated_windows(d, rank);
    Backward::Attributes attributes{{"strides", windows.strides},
                                    {"dilations", windows.dilations},
                                    {"pads", windows.pads},
                                    {"group", d.node.integer("group", 1)}};
    if (d.wanted(1)) {
        Backward::Attributes of_filter = attributes;
        of_filter["kernel_shape"] = as_integers({w.begin() + 2, w.end()});
        b.give(d.input(1), b.add("ConvFilterGrad", {d.gradient(), d.input(0)}, of_filter));
    }
    give_channel_sums(d, 2);
    if (!d.wanted(0)) {
        return;
    }
    Integers rest;  // rows and columns that no window reached
    for (std::size_t i = 0; i < rank; ++i) {
        const auto reach = static_cast<std::int64_t>(w[2 + i] - 1) * windows.dilations[i] + 1;
        rest.push_back(static_cast<std::int64_t>(x[2 + i]) -
                       (windows.strides[i] * (static_cast<std::int64_t>(y[2 + i]) - 1) + reach -
                        windows.pads[i] - windows.pads[rank + i]));
    }
    attributes["output_padding"] = rest;
    b.give(d.input(0), b.add("ConvTranspose", {d.gradient(), d.input(1)}, attributes));
}

void gradient_of_transposed_conv(const Differentiated& d) {
    Backward& b = d.backward;
    const host::Shape& w = d.shape(1);
    if (d.node.has("output_shape")) {
        throw Refused{"a stated output_shape; pads in numbers have a gradient"};
    }
    const StatedWindows windows = stated_windows(d, w.size() - 2);
    Backward::Attributes attributes{{"strides", windows.strides},
                                    {"dilations", windows.dilations},
                                    {"pads", windows.pads},
                                    {"group", d.node.integer("group", 1)}};
    if (d.wanted(1)) {
        Backward::Attributes of_filter = attributes;
        of_filter["kernel_shape"] = as_integers({w.begin() + 2, w.end()});
        b.give(d.input(1), b.add("ConvFilterGrad", {d.input(0), d.gradient()}, of_filter));
    }
    give_channel_sums(d, 2);
    if (d.wanted(0)) {
        b.give(d.input(0), b.add("Conv", {d.gradient(), d.input(1)}, attributes));
    }
}

void gradient_of_max_pool(const Differentiated& d) {
    Backward::Attributes attributes = d.node.attributes;
    d.backward.give(d.input(0),
                    d.backward.add("MaxPoolGrad", {d.gradient(), d.input(0), d.output()}, attributes));
}

/// Each window gives every tap the same share: a transposed convolution of each channel by itself, with
/// filters of that share.
void gradient_of_average_pool(const Differentiated& d) {
    Backward& b = d.backward;
    const host::Shape& x = d.shape(0);
    const host::Shape& y = b.shape(d.output());
    const std::size_t rank = x.size() - 2;
    const StatedWindows windows = stated_windows(d, rank);
    const bool padded = std::ranges::any_of(windows.pads, [](std::int64_t pad) { return pad != 0; });
    if (d.node.integer("ceil_mode", 0) != 0 || (padded && d.node.integer("count_include_pad", 0) == 0)) {
        throw Refused{"windows that divide by different numbers of elements"};
    }
    const Integers taps = d.node.integers("kernel_shape", {});
    double count = 1;
    Integers rest;
    host::Shape filters{x[1], 1};
    for (std::size_t i = 0; i < rank; ++i) {
        count *= static_cast<double>(taps.at(i));
        filters.push_back(static_cast<std::uint64_t>(taps[i]));
        rest.push_back(static_cast<std::int64_t>(x[2 + i]) -
                       (windows.strides[i] * (static_cast<std::int64_t>(y[2 + i]) - 1) +
                        (taps[i] - 1) * windows.dilations[i] + 1 - windows.pads[i] - windows.pads[rank + i]));
    }
    const std::string ones =
        b.add("Expand", {b.number(1 / count, d.output()), b.integers(as_integers(filters))});
    b.give(d.input(0),
           b.add("ConvTranspose",
                 {d.gradient(), ones},
                 {{"strides", windows.strides},
                  {"dilations", windows.dilations},
                  {"pads", windows.pads},
                  {"group", static_cast<std::int64_t>(x[1])},
                  {"output_padding", rest}}));
}

}  // namespace

Gradients convolutions_gradients() {
    return {{"Conv", gradient_of_conv},
            {"ConvTranspose", gradient_of_transposed_conv},
            {"MaxPool", gradient_of_max_pool},
            {"AveragePool", gradient_of_average_pool}};
}

}  // namespace ascendsim::networks
