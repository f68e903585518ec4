// SPDX-License-Identifier: Apache-2.0
// Inputs whose data the tiling or the shapes depend on.
#pragma once

#include "log/log.h"
#include "runtime/acl/host_context.hpp"

namespace Ops {
namespace Base {

namespace detail {

/// Calls f with each element of a tensor of whole numbers; false if its data are not known or no such.
template <class F>
bool each_whole_number(const gert::Tensor* tensor, F&& f) {
    if (tensor == nullptr || tensor->GetAddr() == nullptr) {
        return false;
    }
    const int64_t count = tensor->GetShapeSize();
    for (int64_t i = 0; i < count; ++i) {
        switch (tensor->GetDataType()) {
            case ge::DT_INT32:
                f(tensor->GetData<int32_t>()[i]);
                break;
            case ge::DT_UINT32:
                f(tensor->GetData<uint32_t>()[i]);
                break;
            case ge::DT_INT64:
                f(tensor->GetData<int64_t>()[i]);
                break;
            case ge::DT_UINT64:
                f(tensor->GetData<uint64_t>()[i]);
                break;
            default:
                return false;
        }
    }
    return true;
}

}  // namespace detail

/// The first element of input `i`.
template <class Context, class T>
bool GetConstInt(const Context* context, int64_t i, T& value) {
    bool first = true;
    const bool whole =
        detail::each_whole_number(context->GetInputTensor(static_cast<std::size_t>(i)), [&](auto one) {
            value = first ? static_cast<T>(one) : value;
            first = false;
        });
    return whole && !first;
}

/// The elements of input `i` as a shape.
template <class Context>
bool GetConstIntToShape(const Context* context, int64_t i, gert::Shape& shape) {
    shape.SetDimNum(0);
    return detail::each_whole_number(context->GetInputTensor(static_cast<std::size_t>(i)),
                                     [&](auto one) { shape.AppendDim(static_cast<int64_t>(one)); });
}

}  // namespace Base
}  // namespace Ops
