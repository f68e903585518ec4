// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <utility>

#include "networks/operators/moved_word.hpp"
#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

/// The extents of parts beside each other. Throws Refused for parts that differ along other axes.
host::Shape extents_beside(const std::vector<Part>& parts, std::size_t axis) {
    const Tensor& first = parts[0].tensor;
    host::Shape extents;
    for (const Part& part : parts) {
        host::Shape like = part.tensor.shape;
        if (like.size() == first.shape.size()) {
            like[axis] = first.shape[axis];
        }
        if (like != first.shape) {
            throw Refused{"{} beside {} along axis {}", part.tensor.text(), first.text(), axis};
        }
        extents.push_back(part.tensor.shape[axis]);
    }
    return extents;
}

std::vector<double> known_beside(const std::vector<Part>& parts, std::uint64_t outer) {
    std::vector<double> values;
    for (std::uint64_t row = 0; row < outer; ++row) {
        for (const Part& part : parts) {
            const auto each = static_cast<std::ptrdiff_t>(part.tensor.count() / outer);
            const auto begin = part.tensor.values->begin() + static_cast<std::ptrdiff_t>(row) * each;
            values.insert(values.end(), begin, begin + each);
        }
    }
    return values;
}

/// True if what each part puts beside the others, and where, is whole blocks of 32 B.
bool in_whole_blocks(const std::vector<Part>& parts, std::size_t axis) {
    constexpr std::uint64_t block = 256;  // bits
    return std::ranges::all_of(parts, [axis](const Part& part) {
        const host::Shape& shape = part.tensor.shape;
        const std::uint64_t run =
            host::elements({shape.begin() + static_cast<std::ptrdiff_t>(axis), shape.end()});
        return run * isa::bits(part.tensor.type) % block == 0;
    });
}

/// The elements of all parts, one part behind the other, as they lie beside each other.
Arrange side_by_side(const std::vector<Part>& parts, std::size_t axis) {
    const host::Shape& first = parts[0].tensor.shape;
    const std::uint64_t outer =
        host::elements({first.begin(), first.begin() + static_cast<std::ptrdiff_t>(axis)});
    std::vector<std::uint64_t> runs;
    for (const Part& part : parts) {
        runs.push_back(part.tensor.count() / outer);
    }
    return [outer, runs](const std::vector<double>& all) {
        std::vector<double> result;
        result.reserve(all.size());
        for (std::uint64_t row = 0; row < outer; ++row) {
            std::uint64_t part = 0;
            for (const std::uint64_t run : runs) {
                const auto from = all.begin() + static_cast<std::ptrdiff_t>(part + row * run);
                result.insert(result.end(), from, from + static_cast<std::ptrdiff_t>(run));
                part += outer * run;
            }
        }
        return result;
    };
}

}  // namespace

Part Steps::beside(const std::vector<Part>& all, std::size_t axis) {
    static_cast<void>(extents_beside(all, axis));
    std::vector<Part> parts = all;  // those with elements
    std::erase_if(parts, [](const Part& part) { return part.tensor.count() == 0; });
    if (parts.size() < 2) {
        return parts.empty() ? all[0] : parts[0];
    }
    constexpr std::size_t most = 16;  // parts of the kernel
    const host::Shape extents = extents_beside(parts, axis);
    Tensor result{.type = parts[0].tensor.type, .shape = parts[0].tensor.shape, .values = {}};
    result.shape[axis] = std::accumulate(extents.begin(), extents.end(), std::uint64_t{0});
    if (std::ranges::all_of(parts, &Part::known)) {
        const auto end = result.shape.begin() + static_cast<std::ptrdiff_t>(axis);
        return table(
            result.type, result.shape, known_beside(parts, host::elements({result.shape.begin(), end})));
    }
    if (parts.size() > most) {
        std::vector<Part> wider;
        for (std::size_t begin = 0; begin < parts.size(); begin += most) {
            const auto first = parts.begin() + static_cast<std::ptrdiff_t>(begin);
            wider.push_back(beside(
                {first, first + static_cast<std::ptrdiff_t>(std::min(most, parts.size() - begin))}, axis));
        }
        return beside(wider, axis);
    }
    if (!copies_bytes() && !in_whole_blocks(parts, axis)) {
        return copied(parts, result.shape, side_by_side(parts, axis));
    }
    return run({.kernel = "rearrange",
                .knobs = {{"kind", std::string{"concat"}},
                          {"shape", result.shape},
                          {"axis", static_cast<std::int64_t>(axis)},
                          {"parts", extents},
                          {"dtype", std::string{moved_word(result.type)}}}},
               parts,
               {result})[0];
}

}  // namespace ascendsim::networks
