// SPDX-License-Identifier: Apache-2.0
// A network computed in float64, as a reference for tests: loops are folded by their lowering, whose
// evaluation is in doubles; what shipped kernels do is written out here, by definition.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "networks/graph/graph.hpp"
#include "networks/operators/operators.hpp"
#include "networks/operators/steps.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::networks {

/// Computes nodes of known operands.
class ExactNetwork {
public:
    using Values = std::map<std::string, Tensor, std::less<>>;

    explicit ExactNetwork(const ChipSpec& chip) : chip_{chip}, operators_{all_operators()} {}

    /// The same tensor, its reals as float64.
    [[nodiscard]] static Tensor exact(const host::Shape& shape, std::vector<double> values) {
        return constant(isa::DataType::float64, shape, std::move(values));
    }

    /// Adds the results of all nodes whose first result `wanted` accepts.
    void compute(const Graph& graph,
                 Values& values,
                 const std::function<bool(const std::string&)>& wanted) const {
        for (const auto& [name, tensor] : graph.constants) {
            const bool real = is_real(tensor.type);
            values[name] = real ? exact(tensor.shape, *tensor.values) : tensor;
        }
        for (const Node& node : graph.nodes) {
            if (!wanted(node.outputs.at(0))) {
                continue;
            }
            std::vector<Tensor> made = results(node, graph.opset, values);
            for (std::size_t i = 0; i < node.outputs.size() && i < made.size(); ++i) {
                values[node.outputs[i]] = std::move(made[i]);
            }
        }
    }

private:
    using Numbers = std::vector<double>;
    using Operands = std::vector<const Tensor*>;

    std::vector<Tensor> results(const Node& node, std::int64_t opset, const Values& values) const {
        Operands operands;
        for (const std::string& input : node.inputs) {
            operands.push_back(input.empty() ? nullptr : &values.at(input));
        }
        if (node.op == "MatMul" || node.op == "BatchMatMul" || node.op == "Gemm") {
            return {product(node, operands)};
        }
        if (node.op == "Conv" || node.op == "ConvTranspose" || node.op == "ConvFilterGrad") {
            return {convolution(node, operands)};
        }
        if (node.op == "MaxPool" || node.op == "AveragePool") {
            return {pool(node, *operands[0])};
        }
        if (node.op == "Softmax") {
            return {softmax(node, *operands[0])};
        }
        if (node.op == "LayerNormalization") {
            return {layer_norm(node, operands)};
        }
        if (node.op == "EmbeddingDenseGrad") {
            return {scattered(node, operands)};
        }
        if ((node.op == "Cast" || node.op == "CastLike") &&
            is_real(operands[0]->type)) {  // float16 or float32
            return {*operands[0]};
        }
        const Operator with{.node = node, .opset = opset, .inputs = operands, .chip = &chip_};
        const auto found = operators_.find(node.op);
        check(found != operators_.end(), "no operator '{}'", node.op);
        std::vector<Tensor> made = found->second(with).outputs;
        for (const Tensor& tensor : made) {
            check(tensor.known(), "{}: not folded", node.title());
        }
        return made;
    }

    static double at(
        const Tensor& matrix, std::uint64_t group, std::uint64_t row, std::uint64_t column, bool turned) {
        const std::uint64_t columns = matrix.shape.back();
        const std::uint64_t size = columns * matrix.shape[matrix.shape.size() - 2];
        const std::uint64_t base = group * size % matrix.count();
        return (*matrix.values)[base + (turned ? column * columns + row : row * columns + column)];
    }

    /// Operands of equal leading extents, or one matrix for all.
    static Tensor product(const Node& node, const Operands& operands) {
        const Tensor& a = *operands[0];
        const Tensor& b = *operands[1];
        const bool turned_a = node.integer("transA", 0) != 0;
        const bool turned_b = node.integer("transB", 0) != 0;
        const std::size_t last = a.shape.size() - 1;
        host::Shape shape = a.shape;
        const std::uint64_t depth = a.shape[turned_a ? last - 1 : last];
        shape[last - 1] = a.shape[turned_a ? last : last - 1];
        shape[last] = b.shape[b.shape.size() - (turned_b ? 2 : 1)];
        const std::uint64_t size = shape[last] * shape[last - 1];
        Numbers result(host::elements(shape), 0);
        for (std::uint64_t i = 0; i < result.size(); ++i) {
            const std::uint64_t row = i % size / shape[last];
            const std::uint64_t column = i % shape[last];
            for (std::uint64_t k = 0; k < depth; ++k) {
                result[i] += at(a, i / size, row, k, turned_a) * at(b, i / size, k, column, turned_b);
            }
            result[i] *= node.real("alpha", 1);
            if (operands.size() > 2 && operands[2] != nullptr) {
                const Tensor& c = *operands[2];
                result[i] += node.real("beta", 1) * (*c.values)[i % c.count()];
            }
        }
        return exact(shape, std::move(result));
    }

    /// One axis of windows, as attributes state them.
    struct Window {
        std::int64_t taps = 1;
        std::int64_t stride = 1;
        std::int64_t dilation = 1;
        std::int64_t before = 0;
        std::int64_t behind = 0;
        std::int64_t added = 0;
    };

    static std::vector<Window> windows(const Node& node, const std::vector<std::int64_t>& taps) {
        std::vector<Window> axes;
        const std::size_t rank = taps.size();
        const auto stated = [&](const char* name, std::size_t i, std::int64_t otherwise) {
            const std::vector<std::int64_t> all = node.integers(name, {});
            return i < all.size() ? all[i] : otherwise;
        };
        for (std::size_t i = 0; i < rank; ++i) {
            axes.push_back({.taps = taps[i],
                            .stride = stated("strides", i, 1),
                            .dilation = stated("dilations", i, 1),
                            .before = stated("pads", i, 0),
                            .behind = stated("pads", rank + i, 0),
                            .added = stated("output_padding", i, 0)});
        }
        return axes;
    }

    /// Calls f(image element, tap, window) for all that meet, each counted over the axes in row-major order.
    static void each_meeting(const std::vector<Window>& axes,
                             const host::Shape& in,
                             const host::Shape& out,
                             const std::function<void(std::uint64_t, std::uint64_t, std::uint64_t)>& f) {
        std::uint64_t all_taps = 1;
        for (const Window& axis : axes) {
            all_taps *= static_cast<std::uint64_t>(axis.taps);
        }
        for (std::uint64_t window = 0; window < host::elements(out); ++window) {
            for (std::uint64_t tap = 0; tap < all_taps; ++tap) {
                std::uint64_t place = 0;
                std::uint64_t unit = 1;
                std::uint64_t rest_window = window;
                std::uint64_t rest_tap = tap;
                bool inside = true;
                for (std::size_t i = axes.size(); i-- > 0;) {
                    const auto o = static_cast<std::int64_t>(rest_window % out[i]);
                    const auto t = static_cast<std::int64_t>(rest_tap) % axes[i].taps;
                    const std::int64_t p = o * axes[i].stride - axes[i].before + t * axes[i].dilation;
                    inside = inside && p >= 0 && p < static_cast<std::int64_t>(in[i]);
                    place += unit * static_cast<std::uint64_t>(std::max<std::int64_t>(p, 0));
                    unit *= in[i];
                    rest_window /= out[i];
                    rest_tap /= static_cast<std::uint64_t>(axes[i].taps);
                }
                if (inside) {
                    f(place, tap, window);
                }
            }
        }
    }

    /// Images x, filters w and results y meet in the same places whichever of them is computed of the others.
    static Tensor convolution(const Node& node, const Operands& operands) {
        const bool forward = node.op == "Conv";
        const bool of_images = node.op == "ConvTranspose";
        const Tensor& first = *operands[0];
        const Tensor& second = *operands[1];
        std::vector<std::int64_t> taps = node.integers("kernel_shape", {});
        if (forward || of_images) {
            taps.assign(second.shape.begin() + 2, second.shape.end());
        }
        const std::vector<Window> axes = windows(node, taps);
        const auto groups = static_cast<std::uint64_t>(node.integer("group", 1));
        host::Shape x = forward ? first.shape : second.shape;
        host::Shape y = first.shape;
        host::Shape w = second.shape;
        if (forward) {
            y = {x[0], w[0]};
        } else if (of_images) {
            x = {y[0], w[1] * groups};
        } else {
            w = {y[1], x[1] / groups};
            w.insert(w.end(), taps.begin(), taps.end());
        }
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const Window& axis = axes[i];
            const std::int64_t reach = (axis.taps - 1) * axis.dilation + 1;
            if (forward) {
                const std::int64_t room =
                    static_cast<std::int64_t>(x[2 + i]) + axis.before + axis.behind - reach;
                y.push_back(static_cast<std::uint64_t>(room / axis.stride + 1));
            } else if (of_images) {
                const std::int64_t extent = axis.stride * (static_cast<std::int64_t>(y[2 + i]) - 1) +
                                            axis.added + reach - axis.before - axis.behind;
                x.push_back(static_cast<std::uint64_t>(extent));
            }
        }
        const host::Shape in{x.begin() + 2, x.end()};
        const host::Shape out{y.begin() + 2, y.end()};
        const std::uint64_t image = host::elements(in);
        const std::uint64_t windows = host::elements(out);
        const std::uint64_t all_taps = host::elements({w.begin() + 2, w.end()});
        const host::Shape shape = forward ? y : of_images ? x : w;
        Numbers result(host::elements(shape), 0);
        const auto add = [&](std::uint64_t at_x, std::uint64_t at_w, std::uint64_t at_y) {
            if (forward) {
                result[at_y] += (*first.values)[at_x] * (*second.values)[at_w];
            } else if (of_images) {
                result[at_x] += (*first.values)[at_y] * (*second.values)[at_w];
            } else {
                result[at_w] += (*first.values)[at_y] * (*second.values)[at_x];
            }
        };
        for (std::uint64_t n = 0; n < x[0]; ++n) {
            for (std::uint64_t o = 0; o < y[1]; ++o) {
                for (std::uint64_t c = 0; c < w[1]; ++c) {
                    const std::uint64_t channel = o / (y[1] / groups) * w[1] + c;
                    each_meeting(
                        axes, in, out, [&](std::uint64_t p, std::uint64_t tap, std::uint64_t window) {
                            add((n * x[1] + channel) * image + p,
                                (o * w[1] + c) * all_taps + tap,
                                (n * y[1] + o) * windows + window);
                        });
                }
            }
        }
        if ((forward || of_images) && operands.size() > 2 && operands[2] != nullptr) {
            for (std::uint64_t i = 0; i < result.size(); ++i) {
                result[i] += (*operands[2]->values)[i / (forward ? windows : image) % shape[1]];
            }
        }
        return exact(shape, std::move(result));
    }

    static Tensor pool(const Node& node, const Tensor& x) {
        const bool most = node.op == "MaxPool";
        const std::vector<std::int64_t> taps = node.integers("kernel_shape", {});
        const std::vector<Window> axes = windows(node, taps);
        host::Shape shape{x.shape[0], x.shape[1]};
        double count = 1;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const std::int64_t room = static_cast<std::int64_t>(x.shape[2 + i]) + axes[i].before +
                                      axes[i].behind - (axes[i].taps - 1) * axes[i].dilation - 1;
            shape.push_back(static_cast<std::uint64_t>(room / axes[i].stride + 1));
            count *= static_cast<double>(axes[i].taps);
        }
        const host::Shape in{x.shape.begin() + 2, x.shape.end()};
        const host::Shape out{shape.begin() + 2, shape.end()};
        Numbers result(host::elements(shape), most ? -std::numeric_limits<double>::infinity() : 0);
        for (std::uint64_t plane = 0; plane < shape[0] * shape[1]; ++plane) {
            each_meeting(
                axes, in, out, [&](std::uint64_t place, std::uint64_t /*tap*/, std::uint64_t window) {
                    double& y = result[plane * host::elements(out) + window];
                    const double value = (*x.values)[plane * host::elements(in) + place];
                    y = most ? std::max(y, value) : y + value / count;
                });
        }
        return exact(shape, std::move(result));
    }

    static Tensor softmax(const Node& node, const Tensor& x) {
        check(node.integer("axis", -1) == -1, "softmax over another axis than the last");
        Numbers result = *x.values;
        const std::uint64_t width = x.shape.back();
        for (std::uint64_t row = 0; row < result.size(); row += width) {
            double sum = 0;
            for (std::uint64_t i = row; i < row + width; ++i) {
                sum += result[i] = std::exp(result[i]);
            }
            for (std::uint64_t i = row; i < row + width; ++i) {
                result[i] /= sum;
            }
        }
        return exact(x.shape, std::move(result));
    }

    static Tensor layer_norm(const Node& node, const Operands& operands) {
        check(node.integer("axis", -1) == -1, "a norm over other axes than the last");
        const Tensor& x = *operands[0];
        Numbers result = *x.values;
        const std::uint64_t width = x.shape.back();
        for (std::uint64_t row = 0; row < result.size(); row += width) {
            double mean = 0;
            double square = 0;
            for (std::uint64_t i = row; i < row + width; ++i) {
                mean += result[i] / static_cast<double>(width);
            }
            for (std::uint64_t i = row; i < row + width; ++i) {
                square += (result[i] - mean) * (result[i] - mean) / static_cast<double>(width);
            }
            for (std::uint64_t i = row; i < row + width; ++i) {
                const double normal = (result[i] - mean) / std::sqrt(square + node.real("epsilon", 1e-5));
                result[i] = normal * (*operands[1]->values)[i - row] +
                            (operands.size() > 2 ? (*operands[2]->values)[i - row] : 0);
            }
        }
        return exact(x.shape, std::move(result));
    }

    static Tensor scattered(const Node& node, const Operands& operands) {
        const std::uint64_t width = operands[0]->shape.back();
        const auto rows = static_cast<std::uint64_t>(node.integer("rows", 0));
        Numbers result(rows * width, 0);
        for (std::uint64_t i = 0; i < operands[0]->count(); ++i) {
            const auto row = static_cast<std::uint64_t>((*operands[1]->values)[i / width]);
            result[row * width + i % width] += (*operands[0]->values)[i];
        }
        return exact({rows, width}, std::move(result));
    }

    const ChipSpec& chip_;
    const std::map<std::string, Lower, std::less<>> operators_;
};

}  // namespace ascendsim::networks
