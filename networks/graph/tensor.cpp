// SPDX-License-Identifier: Apache-2.0
#include "networks/graph/tensor.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sim/base/error.hpp"

namespace ascendsim::networks {

std::string Tensor::text() const {
    return fmt::format("{} {}", isa::name(type), host::text(shape));
}

Tensor constant(isa::DataType type, host::Shape shape, std::vector<double> values) {
    check(values.size() == host::elements(shape), "a constant of another size than its shape");
    return {.type = type,
            .shape = std::move(shape),
            .values = std::make_shared<const std::vector<double>>(std::move(values))};
}

host::Shape broadcast(const host::Shape& a, const host::Shape& b) {
    host::Shape result(std::max(a.size(), b.size()), 1);
    for (std::size_t i = 0; i < result.size(); ++i) {  // from the last axis
        const std::uint64_t left = i < a.size() ? a[a.size() - 1 - i] : 1;
        const std::uint64_t right = i < b.size() ? b[b.size() - 1 - i] : 1;
        if (left != right && left != 1 && right != 1) {
            throw UserError{
                "operands of {} and {} do not broadcast: an extent is {} in one and {} in the other",
                host::text(a),
                host::text(b),
                left,
                right};
        }
        result[result.size() - 1 - i] = left == 1 ? right : left;
    }
    return result;
}

}  // namespace ascendsim::networks
