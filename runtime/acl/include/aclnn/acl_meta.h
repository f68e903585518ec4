// SPDX-License-Identifier: Apache-2.0
// Tensors, scalars and lists of aclnn calls, as documented.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_base.h"

struct aclTensor;
struct aclTensorList;
struct aclScalar;
struct aclScalarList;
struct aclIntArray;
struct aclFloatArray;
struct aclBoolArray;
struct aclOpExecutor;

using aclnnStatus = int32_t;

inline constexpr aclnnStatus ACLNN_SUCCESS = 0;
inline constexpr aclnnStatus OK = 0;
inline constexpr aclnnStatus ACLNN_ERR_PARAM_NULLPTR = 161001;
inline constexpr aclnnStatus ACLNN_ERR_PARAM_INVALID = 161002;
inline constexpr aclnnStatus ACLNN_ERR_RUNTIME_ERROR = 361001;
inline constexpr aclnnStatus ACLNN_ERR_INNER = 561000;

extern "C" {

/// The tensor describes memory of the program's, which stays the program's. `stride` and `offset` are in
/// elements; a null `stride` is a row-major tensor's.
aclTensor* aclCreateTensor(const int64_t* viewDims,
                           uint64_t viewDimsNum,
                           aclDataType dataType,
                           const int64_t* stride,
                           int64_t offset,
                           aclFormat format,
                           const int64_t* storageDims,
                           uint64_t storageDimsNum,
                           void* tensorData);
aclnnStatus aclInitTensor(aclTensor* tensor,
                          const int64_t* viewDims,
                          uint64_t viewDimsNum,
                          aclDataType dataType,
                          const int64_t* stride,
                          int64_t offset,
                          aclFormat format,
                          const int64_t* storageDims,
                          uint64_t storageDimsNum,
                          void* tensorDataAddr);
/// Copies the value, which lies in memory of the host.
aclScalar* aclCreateScalar(void* value, aclDataType dataType);
aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size);
aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size);
aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size);
/// The list owns its tensors from now on.
aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size);
aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size);

aclnnStatus aclDestroyTensor(const aclTensor* tensor);
aclnnStatus aclDestroyScalar(const aclScalar* scalar);
aclnnStatus aclDestroyIntArray(const aclIntArray* array);
aclnnStatus aclDestroyFloatArray(const aclFloatArray* array);
aclnnStatus aclDestroyBoolArray(const aclBoolArray* array);
aclnnStatus aclDestroyTensorList(const aclTensorList* array);
aclnnStatus aclDestroyScalarList(const aclScalarList* array);

/// Extents in an array of new[], which the caller deletes.
aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum);
aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims, uint64_t* storageDimsNum);
aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue, uint64_t* stridesNum);
aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset);
aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format);
aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType);
aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr);
aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr);
aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size);
aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size);
aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size);
aclnnStatus aclGetTensorListSize(const aclTensorList* tensorList, uint64_t* size);
aclnnStatus aclGetScalarListSize(const aclScalarList* scalarList, uint64_t* size);

/// An executor serves one call, unless it was made repeatable.
aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor);
aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor);

/// `configPath` is accepted and not read.
aclnnStatus aclnnInit(const char* configPath);
aclnnStatus aclnnFinalize();
}
