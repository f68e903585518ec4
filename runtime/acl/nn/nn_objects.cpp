// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/nn/nn_objects.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "runtime/acl/acl_state.hpp"
#include "runtime/acl/include/aclnn/acl_meta.h"

namespace ascendsim::program {
namespace {

aclnnStatus null_handle(const char* call) {
    return acl_failure(ACLNN_ERR_PARAM_NULLPTR, fmt::format("{}: a pointer is null", call));
}

void describe(aclTensor& tensor,
              const int64_t* extents,
              uint64_t rank,
              aclDataType type,
              const int64_t* strides,
              int64_t offset,
              aclFormat format,
              const int64_t* stored,
              uint64_t stored_rank,
              void* address) {
    CallTensor& to = tensor.value;
    to.shape.assign(extents, extents + (extents == nullptr ? 0 : rank));
    to.stored.assign(stored, stored + (stored == nullptr ? 0 : stored_rank));
    if (stored == nullptr) {
        to.stored = to.shape;
    }
    to.strides.assign(to.shape.size(), 1);
    for (std::size_t i = to.shape.size(); i-- > 1;) {
        to.strides[i - 1] = to.strides[i] * to.shape[i];
    }
    if (strides != nullptr) {
        to.strides.assign(strides, strides + to.shape.size());
    }
    to.offset = offset;
    to.type = type;
    to.format = format;
    to.address = static_cast<std::byte*>(address);
    tensor.original = to.shape;
    tensor.original_format = op::ToOpFormat(format);
    tensor.view_format = op::ToOpFormat(format);
}

/// The elements of an array, which may be null.
template <class T, class Element = T>
std::vector<T> elements_of(const Element* values, uint64_t size) {
    return values == nullptr ? std::vector<T>{} : std::vector<T>(values, values + size);
}

template <class T>
T read(const void* value) {
    T result;
    std::memcpy(&result, value, sizeof result);
    return result;
}

template <class T>
void hold_whole(aclScalar& scalar, const void* value) {
    const T whole = read<T>(value);
    scalar.whole = static_cast<std::int64_t>(whole);
    scalar.real = static_cast<double>(whole);
    scalar.is_whole = true;
}

void hold(aclScalar& scalar, const void* value) {
    switch (scalar.type) {
        case ACL_FLOAT:
            scalar.real = read<float>(value);
            break;
        case ACL_DOUBLE:
            scalar.real = read<double>(value);
            break;
        case ACL_FLOAT16:
            scalar.real = aclFloat16ToFloat(read<std::uint16_t>(value));
            break;
        case ACL_BF16: {  // the upper half of a float
            const std::uint32_t bits = std::uint32_t{read<std::uint16_t>(value)} << 16U;
            scalar.real = read<float>(&bits);
            break;
        }
        case ACL_BOOL:
        case ACL_UINT8:
            hold_whole<std::uint8_t>(scalar, value);
            break;
        case ACL_INT8:
            hold_whole<std::int8_t>(scalar, value);
            break;
        case ACL_INT16:
            hold_whole<std::int16_t>(scalar, value);
            break;
        case ACL_UINT16:
            hold_whole<std::uint16_t>(scalar, value);
            break;
        case ACL_INT32:
            hold_whole<std::int32_t>(scalar, value);
            break;
        case ACL_UINT32:
            hold_whole<std::uint32_t>(scalar, value);
            break;
        case ACL_INT64:
            hold_whole<std::int64_t>(scalar, value);
            break;
        case ACL_UINT64:
            hold_whole<std::uint64_t>(scalar, value);
            break;
        default:
            break;
    }
}

aclnnStatus copied(const char* call,
                   const std::vector<std::int64_t>& extents,
                   int64_t** to,
                   uint64_t* count) {
    if (to == nullptr || count == nullptr) {
        return null_handle(call);
    }
    *count = extents.size();
    *to = new int64_t[std::max<std::size_t>(extents.size(), 1)];  // NOLINT(cppcoreguidelines-owning-memory)
    std::copy(extents.begin(), extents.end(), *to);
    return ACLNN_SUCCESS;
}

aclnnStatus no_handle(const char* call) {
    return acl_failure(ACLNN_ERR_PARAM_INVALID,
                       fmt::format("{}: no such handle; was it destroyed before?", call));
}

/// Whether a call may look into what a handle points to.
aclnnStatus check_alive(const char* call, const void* handle) {
    return handle == nullptr              ? null_handle(call)
           : live_handles().holds(handle) ? ACLNN_SUCCESS
                                          : no_handle(call);
}

template <class Array, class Element>
aclnnStatus size_of(const char* call, const Array* array, Element Array::*elements, uint64_t* size) {
    if (size == nullptr) {
        return null_handle(call);
    }
    if (const aclnnStatus wrong = check_alive(call, array); wrong != ACLNN_SUCCESS) {
        return wrong;
    }
    *size = (array->*elements).size();
    return ACLNN_SUCCESS;
}

/// Documented: a null pointer is nothing to do.
template <class T>
aclnnStatus destroyed(const char* call, const T* object) {
    if (object == nullptr) {
        return ACLNN_SUCCESS;
    }
    if (!live_handles().ended(object)) {
        return no_handle(call);
    }
    delete object;  // NOLINT(cppcoreguidelines-owning-memory): the program's, which asks for it
    return ACLNN_SUCCESS;
}

/// A list goes with what is in it.
template <class List, class T>
aclnnStatus destroyed(const char* call, const List* list, std::vector<const T*> List::*members) {
    if (list == nullptr) {
        return ACLNN_SUCCESS;
    }
    if (!live_handles().holds(list)) {
        return no_handle(call);
    }
    aclnnStatus status = ACLNN_SUCCESS;
    for (const T* member : list->*members) {
        if (const aclnnStatus one = destroyed(call, member); one != ACLNN_SUCCESS) {
            status = one;
        }
    }
    const aclnnStatus own = destroyed(call, list);
    return status == ACLNN_SUCCESS ? own : status;
}

template <class Handle, class Value>
aclnnStatus told(const char* call, const aclTensor* tensor, Handle* to, Value&& value) {
    if (to == nullptr) {
        return null_handle(call);
    }
    if (const aclnnStatus wrong = check_alive(call, tensor); wrong != ACLNN_SUCCESS) {
        return wrong;
    }
    *to = static_cast<Handle>(value(tensor->value));
    return ACLNN_SUCCESS;
}

}  // namespace

LiveHandles& live_handles() {
    static LiveHandles handles;  // of the process, as the program's handles are
    return handles;
}

}  // namespace ascendsim::program

using namespace ascendsim::program;  // NOLINT(google-build-using-namespace): the functions below are C

// NOLINTBEGIN(cppcoreguidelines-owning-memory): handles are the program's to destroy
extern "C" {

aclTensor* aclCreateTensor(const int64_t* viewDims,
                           uint64_t viewDimsNum,
                           aclDataType dataType,
                           const int64_t* stride,
                           int64_t offset,
                           aclFormat format,
                           const int64_t* storageDims,
                           uint64_t storageDimsNum,
                           void* tensorData) {
    auto* tensor = new aclTensor;
    describe(*tensor,
             viewDims,
             viewDimsNum,
             dataType,
             stride,
             offset,
             format,
             storageDims,
             storageDimsNum,
             tensorData);
    return live_handles().made(tensor);
}

aclnnStatus aclInitTensor(aclTensor* tensor,
                          const int64_t* viewDims,
                          uint64_t viewDimsNum,
                          aclDataType dataType,
                          const int64_t* stride,
                          int64_t offset,
                          aclFormat format,
                          const int64_t* storageDims,
                          uint64_t storageDimsNum,
                          void* tensorDataAddr) {
    if (const aclnnStatus wrong = check_alive("aclInitTensor", tensor); wrong != ACLNN_SUCCESS) {
        return wrong;
    }
    describe(*tensor,
             viewDims,
             viewDimsNum,
             dataType,
             stride,
             offset,
             format,
             storageDims,
             storageDimsNum,
             tensorDataAddr);
    return ACLNN_SUCCESS;
}

aclScalar* aclCreateScalar(void* value, aclDataType dataType) {
    if (value == nullptr) {
        null_handle("aclCreateScalar");
        return nullptr;
    }
    auto* scalar = new aclScalar{.type = dataType};
    hold(*scalar, value);
    return live_handles().made(scalar);
}

aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
    return live_handles().made(new aclIntArray{elements_of<std::int64_t>(value, size)});
}

aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size) {
    return live_handles().made(new aclFloatArray{elements_of<float>(value, size)});
}

aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size) {
    return live_handles().made(new aclBoolArray{elements_of<bool>(value, size)});
}

aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size) {
    return live_handles().made(new aclTensorList{elements_of<const aclTensor*>(value, size)});
}

aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size) {
    if (value != nullptr && std::find(value, value + size, nullptr) != value + size) {
        static_cast<void>(null_handle("aclCreateScalarList"));
        return nullptr;
    }
    return live_handles().made(new aclScalarList{elements_of<const aclScalar*>(value, size)});
}

aclnnStatus aclDestroyTensor(const aclTensor* tensor) {
    return destroyed("aclDestroyTensor", tensor);
}

aclnnStatus aclDestroyScalar(const aclScalar* scalar) {
    return destroyed("aclDestroyScalar", scalar);
}

aclnnStatus aclDestroyIntArray(const aclIntArray* array) {
    return destroyed("aclDestroyIntArray", array);
}

aclnnStatus aclDestroyFloatArray(const aclFloatArray* array) {
    return destroyed("aclDestroyFloatArray", array);
}

aclnnStatus aclDestroyBoolArray(const aclBoolArray* array) {
    return destroyed("aclDestroyBoolArray", array);
}

aclnnStatus aclDestroyTensorList(const aclTensorList* array) {
    return destroyed("aclDestroyTensorList", array, &aclTensorList::tensors);
}

aclnnStatus aclDestroyScalarList(const aclScalarList* array) {
    return destroyed("aclDestroyScalarList", array, &aclScalarList::scalars);
}

aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum) {
    const aclnnStatus wrong = check_alive("aclGetViewShape", tensor);
    return wrong != ACLNN_SUCCESS ? wrong
                                  : copied("aclGetViewShape", tensor->value.shape, viewDims, viewDimsNum);
}

aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims, uint64_t* storageDimsNum) {
    const aclnnStatus wrong = check_alive("aclGetStorageShape", tensor);
    return wrong != ACLNN_SUCCESS
               ? wrong
               : copied("aclGetStorageShape", tensor->value.stored, storageDims, storageDimsNum);
}

aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue, uint64_t* stridesNum) {
    const aclnnStatus wrong = check_alive("aclGetViewStrides", tensor);
    return wrong != ACLNN_SUCCESS
               ? wrong
               : copied("aclGetViewStrides", tensor->value.strides, stridesValue, stridesNum);
}

aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset) {
    return told("aclGetViewOffset", tensor, offset, [](const CallTensor& one) { return one.offset; });
}

aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format) {
    return told("aclGetFormat", tensor, format, [](const CallTensor& one) { return one.format; });
}

aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType) {
    return told("aclGetDataType", tensor, dataType, [](const CallTensor& one) { return one.type; });
}

aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr) {
    return told("aclGetRawTensorAddr", tensor, addr, [](const CallTensor& one) { return one.address; });
}

aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr) {
    if (const aclnnStatus wrong = check_alive("aclSetRawTensorAddr", tensor); wrong != ACLNN_SUCCESS) {
        return wrong;
    }
    tensor->value.address = static_cast<std::byte*>(addr);
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size) {
    return size_of("aclGetIntArraySize", array, &aclIntArray::values, size);
}

aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size) {
    return size_of("aclGetFloatArraySize", array, &aclFloatArray::values, size);
}

aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size) {
    return size_of("aclGetBoolArraySize", array, &aclBoolArray::values, size);
}

aclnnStatus aclGetTensorListSize(const aclTensorList* tensorList, uint64_t* size) {
    return size_of("aclGetTensorListSize", tensorList, &aclTensorList::tensors, size);
}

aclnnStatus aclGetScalarListSize(const aclScalarList* scalarList, uint64_t* size) {
    return size_of("aclGetScalarListSize", scalarList, &aclScalarList::scalars, size);
}

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
    if (const aclnnStatus wrong = check_alive("aclSetAclOpExecutorRepeatable", executor);
        wrong != ACLNN_SUCCESS) {
        return wrong;
    }
    executor->repeatable = true;
    return ACLNN_SUCCESS;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
    return destroyed("aclDestroyAclOpExecutor", executor);
}

aclnnStatus aclnnInit(const char* /*configPath*/) {
    return ACLNN_SUCCESS;
}

aclnnStatus aclnnFinalize() {
    return ACLNN_SUCCESS;
}

}  // extern "C"
// NOLINTEND(cppcoreguidelines-owning-memory)
