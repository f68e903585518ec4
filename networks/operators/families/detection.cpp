// SPDX-License-Identifier: Apache-2.0
// What detectors do with boxes. How many boxes are left, and which elements a region sees, data decides: CANN
// gives it to the AI CPU, or to kernels that branch for each box, which none here does.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;
using Numbers = std::vector<double>;

struct Box {
    double top = 0;
    double left = 0;
    double bottom = 0;
    double right = 0;

    [[nodiscard]] double area() const { return (bottom - top) * (right - left); }
};

/// Four numbers as a box: two opposite corners, y first, or, `centred`, x and y of its centre and its
/// extents.
Box box_of(const double* at, bool centred) {
    if (centred) {
        return {.top = at[1] - at[3] / 2,
                .left = at[0] - at[2] / 2,
                .bottom = at[1] + at[3] / 2,
                .right = at[0] + at[2] / 2};
    }
    return {.top = std::min(at[0], at[2]),
            .left = std::min(at[1], at[3]),
            .bottom = std::max(at[0], at[2]),
            .right = std::max(at[1], at[3])};
}

/// The part of both boxes together that both cover.
double overlap(const Box& a, const Box& b) {
    const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
    const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
    if (height <= 0 || width <= 0 || a.area() <= 0 || b.area() <= 0) {
        return 0;
    }
    const double both = height * width;
    return both / (a.area() + b.area() - both);
}

struct Suppression {
    std::uint64_t most = 0;  // boxes of a class
    double overlap = 0;
    double score = -INFINITY;
    bool centred = false;
};

/// The boxes of one class that stay, best first: each overlaps none that is better by more than allowed.
std::vector<std::size_t> kept_boxes(const double* boxes,
                                    const double* scores,
                                    std::size_t count,
                                    const Suppression& how) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < count; ++i) {
        if (scores[i] > how.score) {
            order.push_back(i);
        }
    }
    std::ranges::stable_sort(order, [scores](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    std::vector<std::size_t> kept;
    std::vector<Box> standing;
    for (const std::size_t i : order) {
        if (kept.size() == how.most) {
            break;
        }
        const Box box = box_of(boxes + 4 * i, how.centred);
        const bool covered = std::ranges::any_of(
            standing, [&](const Box& other) { return overlap(box, other) > how.overlap; });
        if (!covered) {
            kept.push_back(i);
            standing.push_back(box);
        }
    }
    return kept;
}

/// The number that an operand holds; `otherwise` if it is left out.
double number_or(const Operator& with, std::size_t index, double otherwise) {
    if (!with.has(index) || with.input(index).count() == 0) {
        return otherwise;
    }
    return with.steering(index).front();
}

Lowered non_max_suppression(const Operator& with) {
    const host::Shape& boxes = with.input(0).shape;
    const host::Shape& scores = with.input(1).shape;
    if (boxes.size() != 3 || scores.size() != 3 || boxes[2] != 4 || boxes[0] != scores[0] ||
        boxes[1] != scores[2]) {
        throw Refused{"scores {} of boxes {}", with.input(1).text(), with.input(0).text()};
    }
    const double most = number_or(with, 2, 0);
    const Suppression how{
        .most = static_cast<std::uint64_t>(std::clamp(most, 0.0, static_cast<double>(boxes[1]))),
        .overlap = number_or(with, 3, 0),
        .score = number_or(with, 4, -INFINITY),
        .centred = with.node.integer("center_point_box", 0) != 0};
    const std::uint64_t classes = scores[1];
    const std::uint64_t count = boxes[1];
    const DataFunction function = [=](const std::vector<const Numbers*>& operands) {
        Numbers chosen;  // batch, class and box of each
        for (std::uint64_t row = 0; row < boxes[0] * classes; ++row) {
            const double* of_image = operands[0]->data() + row / classes * count * 4;
            for (const std::size_t box :
                 kept_boxes(of_image, operands[1]->data() + row * count, count, how)) {
                chosen.insert(chosen.end(),
                              {static_cast<double>(row / classes),
                               static_cast<double>(row % classes),
                               static_cast<double>(box)});
            }
        }
        const std::uint64_t rows = chosen.size() / 3;
        return std::vector<Tensor>{constant(DataType::int64, {rows, 3}, std::move(chosen))};
    };
    return decided_by_data(
        with, function, {{.type = DataType::int64, .shape = {boxes[0] * classes * how.most, 3}}});
}

/// One region of an image, and how its samples lie.
struct Region {
    double top = 0;
    double left = 0;
    double row = 0;  // extents of one bin
    double column = 0;
    std::uint64_t down = 1;  // samples of a bin
    std::uint64_t across = 1;
};

struct RoiAlign {
    std::uint64_t channels = 1;
    std::uint64_t height = 1;
    std::uint64_t width = 1;
    std::uint64_t rows = 1;  // of bins
    std::uint64_t columns = 1;
    std::int64_t sampling = 0;
    double scale = 1;
    bool half_pixel = true;
    bool largest = false;
};

Region region_of(const RoiAlign& how, const double* roi) {
    const double offset = how.half_pixel ? 0.5 : 0;
    const auto at = [&](int i) { return roi[i] * how.scale - offset; };
    double width = at(2) - at(0);
    double height = at(3) - at(1);
    if (!how.half_pixel) {
        width = std::max(width, 1.0);
        height = std::max(height, 1.0);
    }
    Region region{.top = at(1),
                  .left = at(0),
                  .row = height / static_cast<double>(how.rows),
                  .column = width / static_cast<double>(how.columns)};
    const auto samples = [&](double extent) {
        return how.sampling > 0 ? static_cast<std::uint64_t>(how.sampling)
                                : static_cast<std::uint64_t>(std::max(std::ceil(extent), 0.0));
    };
    region.down = samples(region.row);
    region.across = samples(region.column);
    return region;
}

/// The four elements around a place with their weights; none outside of the image.
std::array<double, 4> around(const RoiAlign& how, const double* image, double y, double x) {
    const auto height = static_cast<double>(how.height);
    const auto width = static_cast<double>(how.width);
    if (y < -1 || y > height || x < -1 || x > width) {
        return {};
    }
    y = std::max(y, 0.0);
    x = std::max(x, 0.0);
    const auto low = [](double place, double extent) { return std::min(std::floor(place), extent - 1); };
    const double top = low(y, height);
    const double left = low(x, width);
    const double down = top >= height - 1 ? 0 : y - top;
    const double across = left >= width - 1 ? 0 : x - left;
    const auto element = [&](double row, double column) {
        return image[static_cast<std::size_t>(std::min(row, height - 1)) * how.width +
                     static_cast<std::size_t>(std::min(column, width - 1))];
    };
    return {(1 - down) * (1 - across) * element(top, left),
            (1 - down) * across * element(top, left + 1),
            down * (1 - across) * element(top + 1, left),
            down * across * element(top + 1, left + 1)};
}

/// The mean of the samples of a bin, or the largest of their weighed elements.
double bin(const RoiAlign& how, const Region& region, const double* image, std::uint64_t i) {
    double sum = 0;
    double most = -INFINITY;
    const double top = region.top + static_cast<double>(i / how.columns) * region.row;
    const double left = region.left + static_cast<double>(i % how.columns) * region.column;
    const std::uint64_t count = region.down * region.across;
    for (std::uint64_t sample = 0; sample < count; ++sample) {
        const double y = top + (static_cast<double>(sample / region.across) + 0.5) * region.row /
                                   static_cast<double>(region.down);
        const double x = left + (static_cast<double>(sample % region.across) + 0.5) * region.column /
                                    static_cast<double>(region.across);
        const std::array<double, 4> parts = around(how, image, y, x);
        sum += parts[0] + parts[1] + parts[2] + parts[3];
        most = std::max({most, parts[0], parts[1], parts[2], parts[3]});
    }
    if (count == 0) {
        return 0;
    }
    return how.largest ? most : sum / static_cast<double>(count);
}

Lowered roi_align(const Operator& with) {
    const Tensor& x = with.input(0);
    const Tensor& rois = with.input(1);
    if (x.shape.size() != 4 || rois.shape.size() != 2 || rois.shape[1] != 4 || x.count() == 0) {
        throw Refused{"regions {} of {}", rois.text(), x.text()};
    }
    const auto at_least_one = [&](const char* name) {
        return static_cast<std::uint64_t>(std::max<std::int64_t>(with.node.integer(name, 1), 1));
    };
    const std::string mode = with.node.word("coordinate_transformation_mode",
                                            with.opset < 16 ? "output_half_pixel" : "half_pixel");
    const RoiAlign how{.channels = x.shape[1],
                       .height = x.shape[2],
                       .width = x.shape[3],
                       .rows = at_least_one("output_height"),
                       .columns = at_least_one("output_width"),
                       .sampling = with.node.integer("sampling_ratio", 0),
                       .scale = with.node.real("spatial_scale", 1),
                       .half_pixel = mode == "half_pixel",
                       .largest = with.node.word("mode", "avg") == "max"};
    const std::uint64_t images = x.shape[0];
    const HostFunction function = [how, images](const std::vector<Numbers>& operands) {
        const std::uint64_t image = how.height * how.width;
        const std::uint64_t bins = how.rows * how.columns;
        Numbers result(operands[2].size() * how.channels * bins);
        for (std::uint64_t i = 0; i < result.size(); ++i) {
            const std::uint64_t roi = i / bins / how.channels;
            const auto batch = static_cast<std::uint64_t>(
                std::clamp(operands[2][roi], 0.0, static_cast<double>(images - 1)));
            const double* plane =
                operands[0].data() + (batch * how.channels + i / bins % how.channels) * image;
            result[i] = bin(how, region_of(how, operands[1].data() + 4 * roi), plane, i % bins);
        }
        return std::vector<Numbers>{std::move(result)};
    };
    Steps steps{with};
    return steps.done(
        steps.on_host(function,
                      {steps.operand(0), steps.operand(1), steps.operand(2)},
                      {{.type = x.type, .shape = {rois.shape[0], how.channels, how.rows, how.columns}}}));
}

}  // namespace

Operators detection_operators() {
    return {{"NonMaxSuppression", non_max_suppression}, {"RoiAlign", roi_align}};
}

}  // namespace ascendsim::networks
