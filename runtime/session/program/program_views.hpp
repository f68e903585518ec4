// SPDX-License-Identifier: Apache-2.0
// Where the elements of the tensors lie that a host program describes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/port/global_memory.hpp"
#include "runtime/acl/nn/operator_ask.hpp"

namespace ascendsim::runtime {

[[nodiscard]] std::uint64_t element_count(const std::vector<std::int64_t>& extents);

/// B of an element; 0 of a type of less than a byte.
[[nodiscard]] std::uint64_t element_bytes_of(const program::CallTensor& view);

/// Calls `with` for the place of each of a view's elements, in their order.
template <class With>
void for_each_place(const program::CallTensor& view, std::uint64_t element_bytes, With with) {
    const std::uint64_t count = element_count(view.shape);
    std::vector<std::int64_t> at(view.shape.size());
    for (std::uint64_t i = 0; i < count; ++i) {
        std::int64_t place = view.offset;
        for (std::size_t d = 0; d < at.size(); ++d) {
            place += at[d] * view.strides[d];
        }
        with(view.address + static_cast<std::uint64_t>(place) * element_bytes);
        for (std::size_t d = at.size(); d-- > 0 && ++at[d] == view.shape[d];) {
            at[d] = 0;
        }
    }
}

/// Copies a view's elements to where they follow each other, or back.
void move_elements(const program::CallTensor& view,
                   std::byte* packed,
                   std::uint64_t element_bytes,
                   bool to_packed);

/// True if all elements of a view lie in the allocation that its address is of.
[[nodiscard]] bool lies_in_its_allocation(const isa::GlobalMemory& memory,
                                          const program::CallTensor& view,
                                          std::uint64_t element_bytes);

}  // namespace ascendsim::runtime
