// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/plan/knob.hpp"
#include "models/port/data_type.hpp"

namespace ascendsim::networks {

/// The type and extents of a tensor, and its elements where they are known.
struct Tensor {
    isa::DataType type = isa::DataType::float32;
    host::Shape shape;
    std::shared_ptr<const std::vector<double>> values;  // row by row; null: not known
    /// Elements of an input of this run: they may steer an operator, and are not folded.
    std::shared_ptr<const std::vector<double>> given{};
    /// Why a float32 tensor stays so where others are held as float16; null: it does not.
    std::shared_ptr<const std::string> wide{};

    [[nodiscard]] std::uint64_t count() const { return host::elements(shape); }

    [[nodiscard]] std::uint64_t bytes() const { return isa::bytes_of(type, count()); }

    [[nodiscard]] bool known() const { return values != nullptr; }

    /// "float32 [1, 3, 224, 224]".
    [[nodiscard]] std::string text() const;
};

/// A tensor with its elements.
[[nodiscard]] Tensor constant(isa::DataType type, host::Shape shape, std::vector<double> values);

/// The extents that two operands have once both are spread as NumPy does. Throws UserError if they do not go
/// together.
[[nodiscard]] host::Shape broadcast(const host::Shape& a, const host::Shape& b);

}  // namespace ascendsim::networks
