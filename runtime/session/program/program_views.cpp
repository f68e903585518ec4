// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/program/program_views.hpp"

#include <algorithm>
#include <cstring>

#include "runtime/acl/op_api/types.hpp"

namespace ascendsim::runtime {

using program::CallTensor;

std::uint64_t element_count(const std::vector<std::int64_t>& extents) {
    std::uint64_t count = 1;
    for (const std::int64_t extent : extents) {
        count *= static_cast<std::uint64_t>(extent);
    }
    return count;
}

std::uint64_t element_bytes_of(const CallTensor& view) {
    const int size = ge::GetSizeByDataType(static_cast<ge::DataType>(view.type));
    return size <= 0 || size > ge::kDataTypeSizeBitOffset ? 0 : static_cast<std::uint64_t>(size);
}

void move_elements(const CallTensor& view, std::byte* packed, std::uint64_t element_bytes, bool to_packed) {
    for_each_place(view, element_bytes, [&](std::byte* apart) {
        std::memcpy(to_packed ? packed : apart, to_packed ? apart : packed, element_bytes);
        packed += element_bytes;
    });
}

bool lies_in_its_allocation(const isa::GlobalMemory& memory,
                            const CallTensor& view,
                            std::uint64_t element_bytes) {
    std::int64_t first = view.offset;
    std::int64_t last = view.offset;
    for (std::size_t d = 0; d < view.shape.size(); ++d) {
        std::int64_t reach = 0;
        if (view.shape[d] < 1 || __builtin_mul_overflow(view.shape[d] - 1, view.strides[d], &reach) ||
            __builtin_add_overflow(reach < 0 ? first : last, reach, reach < 0 ? &first : &last)) {
            return false;
        }
    }
    const std::uint64_t offset = memory.offset_of(view.address);
    const isa::GlobalBuffer* buffer = memory.find(offset);
    return first >= 0 && buffer != nullptr &&
           static_cast<std::uint64_t>(last) <
               (buffer->bytes - (offset - buffer->offset)) / std::max<std::uint64_t>(element_bytes, 1);
}

}  // namespace ascendsim::runtime
