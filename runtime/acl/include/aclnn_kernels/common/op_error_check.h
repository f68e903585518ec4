// SPDX-License-Identifier: Apache-2.0
// Checks of arguments, each with a sentence.
#pragma once

#include "opdev/common_types.h"
#include "opdev/data_type_utils.h"
#include "opdev/op_log.h"
#include "opdev/shape_utils.h"

template <class Handle>
bool IsNullptr(const Handle* handle, const char* name) {
    if (handle == nullptr) {
        OP_LOGE(ACLNN_ERR_PARAM_NULLPTR, "argument %s is a null pointer", name);
    }
    return handle == nullptr;
}

inline bool CheckDims(const aclTensor* tensor) {
    const op::Shape& shape = tensor->GetViewShape();
    for (std::size_t i = 0; i < shape.GetDimNum(); ++i) {
        if (shape.GetDim(i) > std::numeric_limits<int32_t>::max()) {
            OP_LOGE(ACLNN_ERR_PARAM_INVALID,
                    "an extent is %ld, which is more than 32 bits hold",
                    shape.GetDim(i));
            return false;
        }
    }
    return true;
}

inline bool CheckReduceOutShape(const aclTensor* inferred, const aclTensor* out) {
    if (inferred->GetViewShape() != out->GetViewShape()) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID,
                "out has the shape %s, its values make %s",
                op::ToString(out->GetViewShape()).GetString(),
                op::ToString(inferred->GetViewShape()).GetString());
        return false;
    }
    return true;
}

#define ASCENDSIM_TYPE_OF(tensor) op::ToString((tensor)->GetDataType()).GetString()
#define ASCENDSIM_SHAPE_OF(tensor) op::ToString((tensor)->GetViewShape()).GetString()
#define ASCENDSIM_INVALID(condition, result, ...)      \
    if (condition) {                                   \
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, __VA_ARGS__); \
        result;                                        \
    }

#define OP_CHECK_NULL(argument, result)   \
    if (IsNullptr(argument, #argument)) { \
        result;                           \
    }
#define OP_CHECK_DTYPE_NOT_SUPPORT(tensor, types, result)             \
    ASCENDSIM_INVALID(!op::CheckType((tensor)->GetDataType(), types), \
                      result,                                         \
                      "%s has the type %s, which is not supported",   \
                      #tensor,                                        \
                      ASCENDSIM_TYPE_OF(tensor))
#define OP_CHECK_DTYPE_NOT_MATCH(tensor, wanted, result)   \
    ASCENDSIM_INVALID((tensor)->GetDataType() != (wanted), \
                      result,                              \
                      "%s has the type %s, not %s",        \
                      #tensor,                             \
                      ASCENDSIM_TYPE_OF(tensor),           \
                      op::ToString(wanted).GetString())
#define OP_CHECK_DTYPE_NOT_SAME(a, b, result)                   \
    ASCENDSIM_INVALID((a)->GetDataType() != (b)->GetDataType(), \
                      result,                                   \
                      "%s has the type %s, %s has %s",          \
                      #a,                                       \
                      ASCENDSIM_TYPE_OF(a),                     \
                      #b,                                       \
                      ASCENDSIM_TYPE_OF(b))
#define OP_CHECK_RESULT_DTYPE_CAST_FAILED(from, to, result)       \
    ASCENDSIM_INVALID(!op::CanCast(from, to),                     \
                      result,                                     \
                      "a result of the type %s cannot become %s", \
                      op::ToString(from).GetString(),             \
                      op::ToString(to).GetString())
#define OP_CHECK_BROADCAST_WITH_SHAPE(tensor, shape, result)                     \
    ASCENDSIM_INVALID(!op::CheckBroadcastShape((tensor)->GetViewShape(), shape), \
                      result,                                                    \
                      "%s has the shape %s, which does not broadcast with %s",   \
                      #tensor,                                                   \
                      ASCENDSIM_SHAPE_OF(tensor),                                \
                      op::ToString(shape).GetString())
#define OP_CHECK_BROADCAST_AND_INFER_SHAPE(a, b, both, result)                                  \
    ASCENDSIM_INVALID(!op::BroadcastInferShape((a)->GetViewShape(), (b)->GetViewShape(), both), \
                      result,                                                                   \
                      "%s has the shape %s, %s has %s: they do not broadcast",                  \
                      #a,                                                                       \
                      ASCENDSIM_SHAPE_OF(a),                                                    \
                      #b,                                                                       \
                      ASCENDSIM_SHAPE_OF(b))
#define OP_CHECK_BROADCAST(a, b, result) OP_CHECK_BROADCAST_WITH_SHAPE(a, (b)->GetViewShape(), result)
#define OP_CHECK_SHAPE_NOT_EQUAL_WITH_EXPECTED_SIZE(tensor, shape, result) \
    ASCENDSIM_INVALID((tensor)->GetViewShape() != (shape),                 \
                      result,                                              \
                      "%s has the shape %s, not %s",                       \
                      #tensor,                                             \
                      ASCENDSIM_SHAPE_OF(tensor),                          \
                      op::ToString(shape).GetString())
#define OP_CHECK_SHAPE_NOT_EQUAL(a, b, result) \
    OP_CHECK_SHAPE_NOT_EQUAL_WITH_EXPECTED_SIZE(a, (b)->GetViewShape(), result)
#define ASCENDSIM_CHECK_RANK(tensor, wrong, number, words, result)                                 \
    ASCENDSIM_INVALID((tensor)->GetViewShape().GetDimNum() wrong static_cast<std::size_t>(number), \
                      result,                                                                      \
                      "%s has the shape %s, not " words " %zu extents",                            \
                      #tensor,                                                                     \
                      ASCENDSIM_SHAPE_OF(tensor),                                                  \
                      static_cast<std::size_t>(number))
#define OP_CHECK_WRONG_DIMENSION(tensor, number, result) \
    ASCENDSIM_CHECK_RANK(tensor, !=, number, "of", result)
#define OP_CHECK_MAX_DIM(tensor, number, result) ASCENDSIM_CHECK_RANK(tensor, >, number, "of at most", result)
#define OP_CHECK_MIN_DIM(tensor, number, result) \
    ASCENDSIM_CHECK_RANK(tensor, <, number, "of at least", result)
#define OP_CHECK_TENSORLIST_SIZE_EQUAL(a, b, result)         \
    ASCENDSIM_INVALID((a)->Size() != (b)->Size(),            \
                      result,                                \
                      "%s has %zu tensors, %s has %zu",      \
                      #a,                                    \
                      static_cast<std::size_t>((a)->Size()), \
                      #b,                                    \
                      static_cast<std::size_t>((b)->Size()))
#define OP_CHECK_COMM_INPUT(workspace, executor)                                          \
    if ((workspace) == nullptr || (executor) == nullptr) {                                \
        OP_LOGE(ACLNN_ERR_PARAM_NULLPTR, "there is no place for the result of the call"); \
        return ACLNN_ERR_PARAM_NULLPTR;                                                   \
    }
#define OP_CHECK_ADD_TO_LAUNCHER_LIST_AICORE(failed, result, ...) \
    ASCENDSIM_INVALID(failed, result, __VA_ARGS__)
#define OP_CHECK_INFERSHAPE(failed, result, ...) ASCENDSIM_INVALID(failed, result, __VA_ARGS__)
