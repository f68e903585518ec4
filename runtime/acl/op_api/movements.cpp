// SPDX-License-Identifier: Apache-2.0
// The toolkit's functions that only see a tensor otherwise, or bring its elements elsewhere.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "runtime/acl/include/aclnn_kernels/cast.h"
#include "runtime/acl/include/aclnn_kernels/contiguous.h"
#include "runtime/acl/include/aclnn_kernels/pad.h"
#include "runtime/acl/include/aclnn_kernels/reshape.h"
#include "runtime/acl/include/aclnn_kernels/slice.h"
#include "runtime/acl/include/aclnn_kernels/transdata.h"
#include "runtime/acl/include/aclnn_kernels/transpose.h"
#include "runtime/acl/include/opdev/make_op_executor.h"
#include "runtime/acl/op_api/elements.hpp"
#include "runtime/acl/op_api/recording.hpp"
#include "sim/base/error.hpp"

namespace {

using ascendsim::UserError;
using ascendsim::op_api::as_view;
using ascendsim::op_api::current_function;
using ascendsim::op_api::move;
using ascendsim::program::CallTensor;

/// What the elements of a host's tensor are.
std::vector<std::int64_t> whole_numbers(const aclTensor* tensor, const char* what) {
    if (tensor == nullptr || tensor->storage == nullptr || !tensor->storage->on_host) {
        throw UserError{"{}: {} must be a tensor that ConvertToTensor made", current_function(), what};
    }
    const std::vector<double> values =
        ascendsim::op_api::elements_of(tensor->storage->host, tensor->GetDataType());
    return {values.begin(), values.end()};
}

bool is_known(const aclTensor* tensor) {
    return tensor->storage != nullptr && tensor->storage->on_host;
}

/// A new tensor with the elements of `view`, in rows.
const aclTensor* gathered(const aclTensor* x,
                          const char* how,
                          const CallTensor& view,
                          aclOpExecutor* executor) {
    aclTensor* const result =
        executor->AllocTensor(op::Shape{view.shape}, x->GetDataType(), x->GetStorageFormat());
    if (!result->IsEmpty()) {
        move(executor, how, view, as_view(*result));
    }
    return result;
}

/// On the device, for what its elements are moved from there.
const aclTensor* on_device(const aclTensor* x, aclOpExecutor* executor) {
    return is_known(x) ? op::CopyToNpu(x, executor) : x;
}

}  // namespace

namespace l0op {

const aclTensor* Contiguous(const aclTensor* x, aclOpExecutor* executor) {
    if (x == nullptr || executor == nullptr) {
        return nullptr;
    }
    if (op::IsPrivateFormat(x->GetStorageFormat()) || is_known(x)) {
        return x;
    }
    return op::IsContiguous(x) ? executor->CreateView(x, x->GetViewShape(), x->GetViewOffset())
                               : gathered(x, "Contiguous", as_view(*x), executor);
}

const aclTensor* PickViewAsContiguous(const aclTensor* x, aclOpExecutor* executor) {
    return Contiguous(x, executor);
}

const aclTensor* ViewCopy(const aclTensor* x, const aclTensor* y, aclOpExecutor* executor) {
    if (x == nullptr || y == nullptr || executor == nullptr) {
        return nullptr;
    }
    if (x->Numel() != y->Numel() || x->GetDataType() != y->GetDataType()) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID,
                "ViewCopy: %s cannot go to %s",
                x->ToString().GetString(),
                y->ToString().GetString());
        return nullptr;
    }
    if (!y->IsEmpty()) {
        move(executor, "ViewCopy", as_view(*on_device(x, executor)), as_view(*y));
    }
    return y;
}

const aclTensor* ReViewToOut(const aclTensor* /*x*/, const aclTensor* y, aclOpExecutor* /*executor*/) {
    return y;
}

const aclTensor* Cast(const aclTensor* self, op::DataType dstDtype, aclOpExecutor* executor) {
    if (self == nullptr || executor == nullptr) {
        return nullptr;
    }
    if (self->GetDataType() == dstDtype) {
        return self;
    }
    if (is_known(self)) {
        return executor->known_tensor(
            ascendsim::op_api::elements_of(self->storage->host, self->GetDataType()),
            self->value.shape,
            dstDtype);
    }
    aclTensor* const out = executor->AllocTensor(self->GetStorageShape(),
                                                 self->GetOriginalShape(),
                                                 dstDtype,
                                                 self->GetStorageFormat(),
                                                 self->GetOriginalFormat());
    if (!op::IsPrivateFormat(self->GetStorageFormat())) {
        out->SetStorageShape(self->GetViewShape());
        out->SetOriginalShape(self->GetViewShape());
    }
    out->SetViewShape(self->GetViewShape());
    out->SetViewFormat(self->GetViewFormat());
    if (!out->IsEmpty()) {
        static_cast<void>(
            ADD_TO_LAUNCHER_LIST_AICORE(Cast, OP_INPUT(self), OP_OUTPUT(out), OP_ATTR(dstDtype)));
    }
    return out;
}

const aclTensor* CastOnlyForConvBackward(const aclTensor* self,
                                         op::DataType dstDtype,
                                         aclOpExecutor* executor) {
    return Cast(self, dstDtype, executor);
}

const aclTensor* Reshape(const aclTensor* x, const op::Shape& shape, aclOpExecutor* executor) {
    if (x == nullptr || executor == nullptr) {
        return nullptr;
    }
    op::Shape whole = shape;
    int64_t known = 1;
    std::size_t open = shape.GetDimNum();
    for (std::size_t i = 0; i < shape.GetDimNum(); ++i) {
        open = shape.GetDim(i) < 0 ? i : open;
        known *= shape.GetDim(i) < 0 ? 1 : shape.GetDim(i);
    }
    if (open < shape.GetDimNum() && known != 0) {
        whole.SetDim(open, x->Numel() / known);
    }
    if (whole.GetShapeSize() != x->Numel()) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID,
                "Reshape: %s cannot have the shape %s",
                x->ToString().GetString(),
                op::ToString(shape).GetString());
        return nullptr;
    }
    const aclTensor* const rows = op::IsContiguous(x) ? x : Contiguous(x, executor);
    return executor->CreateView(rows, whole, rows->GetViewOffset());
}

const aclTensor* Reshape(const aclTensor* x, const aclIntArray* shape, aclOpExecutor* executor) {
    return shape == nullptr ? nullptr : Reshape(x, op::Shape{shape->values}, executor);
}

const aclTensor* Transpose(const aclTensor* x, const aclIntArray* perm, aclOpExecutor* executor) {
    if (x == nullptr || perm == nullptr || executor == nullptr) {
        return nullptr;
    }
    std::vector<std::int64_t> sorted = perm->values;
    std::ranges::sort(sorted);
    std::vector<std::int64_t> all(x->value.shape.size());
    std::iota(all.begin(), all.end(), 0);
    if (sorted != all) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID,
                "Transpose: %s is no order of the extents of %s",
                perm->ToString().GetString(),
                x->ToString().GetString());
        return nullptr;
    }
    CallTensor view = as_view(*on_device(x, executor));
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto from = static_cast<std::size_t>(perm->values[i]);
        view.shape[i] = x->value.shape[from];
        view.strides[i] = x->value.strides[from];
    }
    return gathered(x, "Transpose", view, executor);
}

const aclTensor* Transpose(const aclTensor* x,
                           const aclTensor* /*y*/,
                           const aclTensor* perm,
                           aclOpExecutor* executor) {
    const std::vector<std::int64_t> order = whole_numbers(perm, "the order of Transpose");
    return Transpose(x, executor->AllocIntArray(order.data(), order.size()), executor);
}

const aclTensor* ReFormat(const aclTensor* x, const op::Format& format, aclOpExecutor* executor) {
    if (x == nullptr) {
        return nullptr;
    }
    // Without an executor it is the tensor itself that changes.
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): as the toolkit does it
    aclTensor* const view = executor == nullptr
                                ? const_cast<aclTensor*>(x)
                                : executor->CreateView(x, x->GetViewShape(), x->GetViewOffset());
    view->SetStorageFormat(format);
    view->SetOriginalFormat(format);
    view->SetViewFormat(format);
    return view;
}

const aclTensor* Slice(const aclTensor* x,
                       const aclIntArray* offsets,
                       const aclIntArray* size,
                       aclOpExecutor* executor) {
    if (x == nullptr || offsets == nullptr || size == nullptr || executor == nullptr) {
        return nullptr;
    }
    CallTensor view = as_view(*on_device(x, executor));
    for (std::size_t i = 0; i < view.shape.size(); ++i) {
        const int64_t first = i < offsets->Size() ? (*offsets)[i] : -1;
        const int64_t rest = view.shape[i] - first;
        const int64_t count = i < size->Size() ? ((*size)[i] < 0 ? rest : (*size)[i]) : -1;
        if (first < 0 || count < 0 || count > rest) {
            OP_LOGE(ACLNN_ERR_PARAM_INVALID,
                    "Slice: %s has no part from %s of %s",
                    x->ToString().GetString(),
                    offsets->ToString().GetString(),
                    size->ToString().GetString());
            return nullptr;
        }
        view.offset += first * view.strides[i];
        view.shape[i] = count;
    }
    return gathered(x, "Slice", view, executor);
}

const aclTensor* Slice(const aclTensor* x,
                       const aclTensor* /*y*/,
                       const aclTensor* offset,
                       const aclTensor* size,
                       aclOpExecutor* executor) {
    const std::vector<std::int64_t> from = whole_numbers(offset, "the offsets of Slice");
    const std::vector<std::int64_t> count = whole_numbers(size, "the sizes of Slice");
    return Slice(x,
                 executor->AllocIntArray(from.data(), from.size()),
                 executor->AllocIntArray(count.data(), count.size()),
                 executor);
}

const aclTensor* Pad(const aclTensor* self, const aclTensor* paddings, aclOpExecutor* executor) {
    const std::vector<std::int64_t> around = whole_numbers(paddings, "the paddings of Pad");
    op::Shape shape = self->GetViewShape();
    if (around.size() != 2 * shape.GetDimNum()) {
        throw UserError{"{}: Pad of {} needs two numbers for each extent, and has {}",
                        current_function(),
                        self->ToString().GetString(),
                        around.size()};
    }
    for (std::size_t i = 0; i < shape.GetDimNum(); ++i) {
        shape.SetDim(i, shape.GetDim(i) + around[2 * i] + around[2 * i + 1]);
    }
    const int64_t none = 0;
    const aclTensor* const zero = executor->ConvertToTensor(&none, 1, self->GetDataType());
    const std::vector<std::int64_t> extents = op::ToShapeVector(shape);
    const aclTensor* const dims = executor->ConvertToTensor(extents.data(), extents.size(), ge::DT_INT64);
    aclTensor* const out = executor->AllocTensor(shape, self->GetDataType(), self->GetStorageFormat());
    static_cast<void>(ADD_TO_LAUNCHER_LIST_AICORE(Fill, OP_INPUT(dims, zero), OP_OUTPUT(out)));
    CallTensor inner = as_view(*out);
    for (std::size_t i = 0; i < inner.shape.size(); ++i) {
        inner.offset += around[2 * i] * inner.strides[i];
        inner.shape[i] = self->value.shape[i];
    }
    move(executor, "Pad", as_view(*on_device(self, executor)), inner);
    return out;
}

const aclTensor* TransData(const aclTensor* x,
                           op::Format dstPrimaryFormat,
                           int64_t /*groups*/,
                           aclOpExecutor* /*executor*/) {
    if (x == nullptr || op::GetPrimaryFormat(x->GetStorageFormat()) == dstPrimaryFormat) {
        return x;
    }
    throw UserError{"{}: the toolkit's TransData from {} to {} is not simulated",
                    current_function(),
                    op::ToString(x->GetStorageFormat()).GetString(),
                    op::ToString(dstPrimaryFormat).GetString()};
}

const aclTensor* TransDataSpecial(const aclTensor* x,
                                  op::Format dstPrimaryFormat,
                                  int64_t groups,
                                  aclOpExecutor* executor) {
    return TransData(x, dstPrimaryFormat, groups, executor);
}

}  // namespace l0op
