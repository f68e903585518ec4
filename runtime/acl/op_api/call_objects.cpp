// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/op_api/call_objects.hpp"

#include <fmt/format.h>

#include "runtime/acl/op_api/elements.hpp"
#include "runtime/acl/op_api/recording.hpp"

void aclTensor::SetViewShape(const op::Shape& shape) {
    value.shape = op::ToShapeVector(shape);
    op::ToContiguousStrides(shape, value.strides);
}

void aclTensor::SetStorageShape(const op::Shape& shape) {
    value.stored = op::ToShapeVector(shape);
}

void aclTensor::SetOriginalShape(const op::Shape& shape) const {
    original = op::ToShapeVector(shape);
}

void* aclTensor::GetStorageAddr() const {
    if (storage == nullptr) {
        return value.address;
    }
    // What asks for an address may write there.
    return storage->on_host ? storage->host.data() : ascendsim::op_api::address_of(*this);
}

void* aclTensor::GetData() const {
    auto* bytes = static_cast<std::byte*>(GetStorageAddr());
    return bytes == nullptr ? nullptr
                            : bytes + static_cast<std::size_t>(value.offset) * op::TypeSize(GetDataType());
}

void aclTensor::SetStorageAddr(void* address) const {
    if (storage == nullptr) {
        storage = std::make_shared<ascendsim::op_api::Storage>();
    }
    storage->address = static_cast<std::byte*>(address);
    storage->borrowed = true;
}

void aclTensor::set_element(int64_t index, double element, op::DataType type) const {
    if (storage != nullptr && storage->on_host) {
        ascendsim::op_api::write_element(storage->host, static_cast<std::size_t>(index), type, element);
    }
}

op::Words aclTensor::ToString() const {
    return op::Words{fmt::format("{} {} {}",
                                 op::ToString(GetDataType()).GetString(),
                                 op::ToString(GetStorageFormat()).GetString(),
                                 op::ToString(GetViewShape()).GetString())};
}

op::Words aclTensorList::ToString() const {
    std::string text;
    for (const aclTensor* one : tensors) {
        text +=
            (text.empty() ? "" : ", ") + std::string{one == nullptr ? "null" : one->ToString().GetString()};
    }
    return op::Words{"[" + text + "]"};
}

op::Words aclScalar::ToString() const {
    return op::Words{is_whole ? fmt::format("{}", whole) : fmt::format("{}", real)};
}
