// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/plan/element.hpp"

namespace ascendsim::host {

Comparison compare(const Buffer& buffer,
                   std::span<const std::byte> bytes,
                   const std::function<double(std::uint64_t)>& expected,
                   const Tolerance& tolerance,
                   const ElementErrors& errors) {
    Comparison result{
        .output = buffer.name, .count = buffer.count(), .tolerance = tolerance, .first = std::nullopt};
    for (std::uint64_t i = 0; i < result.count; ++i) {
        const double got = read_element(buffer.type, bytes, i);
        const double want = expected(i);
        if (got == want || (std::isnan(got) && std::isnan(want))) {
            continue;
        }
        const double difference = std::abs(got - want);
        const double scale =
            std::max({std::abs(want), tolerance.absolute, std::numeric_limits<double>::min()});
        const double relative =
            std::isfinite(difference) ? difference / scale : std::numeric_limits<double>::infinity();
        result.max_absolute = std::max(result.max_absolute, std::isnan(difference) ? relative : difference);
        result.max_relative = std::max(result.max_relative, relative);
        const bool near = difference <= tolerance.absolute;
        const bool comparable = !std::isnan(got) && !std::isnan(want);
        const std::uint64_t ulp = near || !comparable ? 0 : ulp_distance(buffer.type, got, want);
        result.max_ulp = std::max(result.max_ulp, ulp);
        const double beyond = errors ? errors(i) : 0.0;  // not finite where an operand is not
        const double allowed =
            tolerance.absolute + tolerance.relative * std::abs(want) + (std::isfinite(beyond) ? beyond : 0.0);
        const bool close = near || difference <= allowed || (comparable && ulp <= tolerance.ulp);
        if (!close) {
            result.first = result.failures == 0 ? Mismatch{i, got, want} : *result.first;
            ++result.failures;
        }
    }
    return result;
}

}  // namespace ascendsim::host
