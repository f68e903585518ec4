// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "runtime/acl/op_api/call_objects.hpp"
#include "runtime/acl/op_api/elements.hpp"
#include "runtime/acl/op_api/recording.hpp"

using ascendsim::op_api::Storage;

namespace {

std::vector<std::int64_t> extents_of(const op::Shape& shape) {
    return op::ToShapeVector(shape);
}

/// A tensor in rows, all of its shapes the same.
std::unique_ptr<aclTensor> plain(const std::vector<std::int64_t>& shape,
                                 op::DataType type,
                                 op::Format format) {
    auto tensor = std::make_unique<aclTensor>();
    tensor->value.shape = shape;
    tensor->value.stored = shape;
    tensor->original = shape;
    tensor->SetViewShape(op::Shape{shape});
    tensor->SetDataType(type);
    tensor->SetStorageFormat(format);
    tensor->original_format = format;
    tensor->view_format = format;
    tensor->storage = std::make_shared<Storage>();
    tensor->from_workspace = true;
    return tensor;
}

template <class T>
std::vector<double> numbers(const std::vector<T>& values) {
    return {values.begin(), values.end()};
}

}  // namespace

aclTensor* aclOpExecutor::AllocTensor(const op::Shape& shape, op::DataType type, op::Format format) {
    return recording->keep_owner(plain(extents_of(shape), type, format));
}

aclTensor* aclOpExecutor::AllocTensor(op::DataType type,
                                      op::Format storage_format,
                                      op::Format original_format) {
    auto tensor = plain({}, type, storage_format);
    tensor->original_format = original_format;
    tensor->view_format = original_format;
    return recording->keep_owner(std::move(tensor));
}

aclTensor* aclOpExecutor::AllocTensor(const op::Shape& storage_shape,
                                      const op::Shape& original_shape,
                                      op::DataType type,
                                      op::Format storage_format,
                                      op::Format original_format) {
    auto tensor = plain(extents_of(original_shape), type, storage_format);
    tensor->value.stored = extents_of(storage_shape);
    tensor->original_format = original_format;
    tensor->view_format = original_format;
    return recording->keep_owner(std::move(tensor));
}

aclTensor* aclOpExecutor::AllocHostTensor(const op::Shape& shape, op::DataType type, op::Format format) {
    auto tensor = plain(extents_of(shape), type, format);
    tensor->storage->on_host = true;
    tensor->storage->host.resize(static_cast<std::size_t>(op::CalcShapeBytes(shape.GetShapeSize(), type)));
    return recording->keep(std::move(tensor));
}

aclTensor* aclOpExecutor::AllocHostTensor(const std::vector<int64_t>& shape,
                                          op::DataType type,
                                          op::Format format) {
    return AllocHostTensor(op::Shape{shape}, type, format);
}

aclTensor* aclOpExecutor::AllocHostTensor(std::initializer_list<int64_t> shape,
                                          op::DataType type,
                                          op::Format format) {
    return AllocHostTensor(op::Shape{shape}, type, format);
}

aclTensor* aclOpExecutor::known_tensor(const std::vector<double>& values,
                                       const std::vector<int64_t>& shape,
                                       op::DataType type) {
    aclTensor* const tensor = AllocHostTensor(op::Shape{shape}, type);
    for (std::size_t i = 0; i < values.size(); ++i) {
        ascendsim::op_api::write_element(tensor->storage->host, i, type, values[i]);
    }
    return tensor;
}

aclIntArray* aclOpExecutor::AllocIntArray(const int64_t* values, uint64_t count) {
    return recording->keep(std::make_unique<aclIntArray>(aclIntArray{{values, values + count}}));
}

aclFloatArray* aclOpExecutor::AllocFloatArray(const float* values, uint64_t count) {
    return recording->keep(std::make_unique<aclFloatArray>(aclFloatArray{{values, values + count}}));
}

aclBoolArray* aclOpExecutor::AllocBoolArray(const bool* values, uint64_t count) {
    return recording->keep(
        std::make_unique<aclBoolArray>(aclBoolArray{std::vector<bool>(values, values + count)}));
}

aclTensorList* aclOpExecutor::AllocTensorList(const aclTensor* const* tensors, uint64_t count) {
    return recording->keep(std::make_unique<aclTensorList>(aclTensorList{{tensors, tensors + count}}));
}

aclScalarList* aclOpExecutor::AllocScalarList(const aclScalar* const* scalars, uint64_t count) {
    return recording->keep(std::make_unique<aclScalarList>(aclScalarList{{scalars, scalars + count}}));
}

aclScalar* aclOpExecutor::AllocScalar(const void* value, op::DataType type) {
    std::vector<std::byte> bytes(op::TypeSize(type));
    std::memcpy(bytes.data(), value, bytes.size());
    const std::vector<double> read = ascendsim::op_api::elements_of(bytes, type);
    auto scalar = std::make_unique<aclScalar>(aclScalar{.type = op::ToAclDataType(type)});
    scalar->real = read.empty() ? 0 : read.front();
    scalar->whole = static_cast<std::int64_t>(scalar->real);
    scalar->is_whole = op::IsIntegralType(type, true);
    return recording->keep(std::move(scalar));
}

aclScalar* aclOpExecutor::whole_scalar(int64_t value, bool is_truth) {
    return recording->keep(std::make_unique<aclScalar>(aclScalar{.type = is_truth ? ACL_BOOL : ACL_INT64,
                                                                 .real = static_cast<double>(value),
                                                                 .whole = value,
                                                                 .is_whole = true}));
}

aclScalar* aclOpExecutor::real_scalar(double value) {
    return recording->keep(std::make_unique<aclScalar>(
        aclScalar{.type = ACL_FLOAT, .real = value, .whole = static_cast<std::int64_t>(value)}));
}

const aclTensor* aclOpExecutor::ConvertToTensor(const aclIntArray* values, op::DataType type) {
    return known_tensor(numbers(values->values), {static_cast<int64_t>(values->Size())}, type);
}

const aclTensor* aclOpExecutor::ConvertToTensor(const aclFloatArray* values, op::DataType type) {
    return known_tensor(numbers(values->values), {static_cast<int64_t>(values->Size())}, type);
}

const aclTensor* aclOpExecutor::ConvertToTensor(const aclBoolArray* values, op::DataType type) {
    return known_tensor(numbers(values->values), {static_cast<int64_t>(values->Size())}, type);
}

const aclTensor* aclOpExecutor::ConvertToTensor(const aclScalar* value, op::DataType type) {
    return known_tensor({value->ToDouble()}, {1}, type);
}

aclTensor* aclOpExecutor::CreateView(const aclTensor* tensor, const op::Shape& shape, int64_t offset) {
    op::Strides strides;
    op::ToContiguousStrides(shape, strides);
    return CreateView(tensor, shape, shape, strides, offset);
}

aclTensor* aclOpExecutor::CreateView(const aclTensor* tensor,
                                     const op::Shape& shape,
                                     const op::Shape& storage_shape,
                                     const op::Strides& strides,
                                     int64_t offset) {
    if (tensor == nullptr) {
        return nullptr;
    }
    auto view = std::make_unique<aclTensor>(*tensor);
    if (view->storage == nullptr) {  // the program's memory
        view->storage = std::make_shared<Storage>();
        view->storage->address = tensor->value.address;
        view->storage->borrowed = true;
    } else if (view->storage->address == nullptr && !view->storage->on_host) {
        static_cast<void>(ascendsim::op_api::address_of(*tensor));  // room for all of it, not for this view
    }
    view->value.shape = extents_of(shape);
    view->value.strides = strides;
    view->value.offset = offset;
    view->value.stored = extents_of(storage_shape);
    view->original = extents_of(shape);
    return recording->keep(std::move(view));
}

uint64_t aclOpExecutor::GetWorkspaceSize() {
    return recording->prepared()->workspace();
}
