// SPDX-License-Identifier: Apache-2.0
// The toolkit's functions of single operators (level0/….h), for libraries that only have their declarations:
// each gives its result a shape and a type and records the launch.
#include <algorithm>

#include "runtime/acl/include/aclnn_kernels/cast.h"
#include "runtime/acl/include/aclnn_kernels/contiguous.h"
#include "runtime/acl/include/opdev/make_op_executor.h"
#include "runtime/acl/op_api/recording.hpp"
#include "sim/base/error.hpp"

using ascendsim::UserError;
using ascendsim::op_api::as_view;
using ascendsim::op_api::current_function;
using ascendsim::op_api::move;

namespace l0op {

// What the libraries' headers declare, and this file defines.
const aclTensor* UnsqueezeNd(const aclTensor* x, const aclIntArray* dim, aclOpExecutor* executor);
const aclTensor* UnsqueezeNd(const aclTensor* x, int64_t dim, aclOpExecutor* executor);
const aclTensor* SqueezeNd(const aclTensor* x, const aclIntArray* dim, aclOpExecutor* executor);
const aclTensor* SqueezeNd(const aclTensor* x, int64_t dim, aclOpExecutor* executor);
const aclTensor* BroadcastTo(const aclTensor* x, const aclIntArray* shape, aclOpExecutor* executor);
const aclTensor* BroadcastTo(const aclTensor* x,
                             const aclTensor* y,
                             const aclTensor* shape,
                             aclOpExecutor* executor);
const aclTensor* Expand(const aclTensor* self, const aclIntArray* shape, aclOpExecutor* executor);
const aclTensor* TensorMove(const aclTensor* x, const aclTensor* y, aclOpExecutor* executor);
aclTensor* ConcatD(const aclTensorList* inputs, int64_t dim, op::DataType outDtype, aclOpExecutor* executor);
aclTensor* ConcatD(const aclTensorList* inputs, int64_t dim, aclOpExecutor* executor);
const aclTensorList* SplitV(const aclTensor* self,
                            const aclIntArray* splitSize,
                            int64_t dim,
                            aclOpExecutor* executor);
const aclTensor* Fill(const aclTensor* dims,
                      const aclTensor* value,
                      const aclIntArray* outShape,
                      aclOpExecutor* executor);
const aclTensor* ZerosLike(const aclTensor* self, aclOpExecutor* executor);
const aclTensor* OnesLike(const aclTensor* self, aclOpExecutor* executor);
const aclTensor* Muls(const aclTensor* self, float alpha, aclOpExecutor* executor);
const aclTensor* Axpy(const aclTensor* self, const aclTensor* other, float alpha, aclOpExecutor* executor);
const aclTensor* SelectV2(const aclTensor* condition,
                          const aclTensor* x1,
                          const aclTensor* x2,
                          aclOpExecutor* executor);
const aclTensor* ReduceSumOp(const aclTensor* x,
                             const aclIntArray* axes,
                             bool keep_dims,
                             aclOpExecutor* executor);
const aclTensor* ReduceMean(const aclTensor* self,
                            const aclIntArray* dim,
                            bool keepDim,
                            aclOpExecutor* executor);
const aclTensor* ReduceMean(const aclTensor* self,
                            const aclIntArray* dim,
                            bool keepDim,
                            bool noopWithEmptyAxes,
                            aclOpExecutor* executor);

namespace {

std::vector<std::int64_t> axes_of(const aclTensor* x, const aclIntArray* dim, std::size_t rank) {
    std::vector<std::int64_t> axes = dim->values;
    for (std::int64_t& axis : axes) {
        axis += axis < 0 ? static_cast<std::int64_t>(rank) : 0;
        if (axis < 0 || axis >= static_cast<std::int64_t>(rank)) {
            throw UserError{"{}: {} are no axes of {}",
                            current_function(),
                            dim->ToString().GetString(),
                            x->ToString().GetString()};
        }
    }
    std::ranges::sort(axes);
    return axes;
}

/// The result of two operands, of the first one's type unless `type` says more.
aclTensor* of_two(const aclTensor* a, const aclTensor* b, op::DataType type, aclOpExecutor* executor) {
    op::Shape shape;
    if (!op::BroadcastInferShape(a->GetViewShape(), b->GetViewShape(), shape)) {
        throw UserError{"{}: {} and {} do not broadcast",
                        current_function(),
                        a->ToString().GetString(),
                        b->ToString().GetString()};
    }
    return executor->AllocTensor(shape, type, a->GetStorageFormat());
}

const aclTensor* binary(
    const char* type, const aclTensor* a, const aclTensor* b, op::DataType result, aclOpExecutor* executor) {
    aclTensor* const out = of_two(a, b, result, executor);
    if (!out->IsEmpty()) {
        static_cast<void>(ascendsim::op_api::launch(executor, type, {OP_INPUT(a, b), OP_OUTPUT(out)}));
    }
    return out;
}

const aclTensor* unary(const char* type, const aclTensor* x, aclOpExecutor* executor) {
    aclTensor* const out = executor->AllocTensor(x->GetViewShape(), x->GetDataType());
    if (!out->IsEmpty()) {
        static_cast<void>(ascendsim::op_api::launch(executor, type, {OP_INPUT(x), OP_OUTPUT(out)}));
    }
    return out;
}

const aclTensor* reduced(
    const char* type, const aclTensor* x, const aclIntArray* dim, bool keep, aclOpExecutor* executor) {
    const std::vector<std::int64_t> axes = axes_of(x, dim, x->value.shape.size());
    op::Shape shape;
    for (std::size_t i = 0; i < x->value.shape.size(); ++i) {
        const bool gone = axes.empty() || std::ranges::binary_search(axes, static_cast<std::int64_t>(i));
        if (!gone || keep) {
            shape.AppendDim(gone ? 1 : x->value.shape[i]);
        }
    }
    const aclTensor* const over = executor->ConvertToTensor(axes.data(), axes.size(), ge::DT_INT64);
    aclTensor* const out = executor->AllocTensor(shape, x->GetDataType());
    static_cast<void>(
        ascendsim::op_api::launch(executor, type, {OP_INPUT(x, over), OP_OUTPUT(out), OP_ATTR(keep)}));
    return out;
}

const aclTensor* filled(const aclTensor* like, int64_t value, aclOpExecutor* executor) {
    const std::vector<std::int64_t> extents = like->value.shape;
    const aclTensor* const content = executor->ConvertToTensor(&value, 1, like->GetDataType());
    const aclTensor* const dims = executor->ConvertToTensor(extents.data(), extents.size(), ge::DT_INT64);
    return Fill(dims, content, executor->AllocIntArray(extents.data(), extents.size()), executor);
}

}  // namespace

const aclTensor* UnsqueezeNd(const aclTensor* x, const aclIntArray* dim, aclOpExecutor* executor) {
    const std::size_t rank = x->value.shape.size() + dim->Size();
    const std::vector<std::int64_t> axes = axes_of(x, dim, rank);
    op::Shape shape;
    for (std::size_t i = 0, from = 0; i < rank; ++i) {
        const bool added = std::ranges::binary_search(axes, static_cast<std::int64_t>(i));
        shape.AppendDim(added ? 1 : x->value.shape[from++]);
    }
    return executor->CreateView(x, shape, x->GetViewOffset());
}

const aclTensor* UnsqueezeNd(const aclTensor* x, int64_t dim, aclOpExecutor* executor) {
    return UnsqueezeNd(x, executor->AllocIntArray(&dim, 1), executor);
}

const aclTensor* SqueezeNd(const aclTensor* x, const aclIntArray* dim, aclOpExecutor* executor) {
    const std::vector<std::int64_t> axes = axes_of(x, dim, x->value.shape.size());
    op::Shape shape;
    for (std::size_t i = 0; i < x->value.shape.size(); ++i) {
        const bool named = axes.empty() || std::ranges::binary_search(axes, static_cast<std::int64_t>(i));
        if (!named || x->value.shape[i] != 1) {
            shape.AppendDim(x->value.shape[i]);
        }
    }
    return executor->CreateView(x, shape, x->GetViewOffset());
}

const aclTensor* SqueezeNd(const aclTensor* x, int64_t dim, aclOpExecutor* executor) {
    return SqueezeNd(x, executor->AllocIntArray(&dim, 1), executor);
}

const aclTensor* BroadcastTo(const aclTensor* x, const aclIntArray* shape, aclOpExecutor* executor) {
    auto view = as_view(*(x->storage != nullptr && x->storage->on_host ? op::CopyToNpu(x, executor) : x));
    const std::size_t added = shape->Size() - std::min<std::size_t>(shape->Size(), view.shape.size());
    std::vector<std::int64_t> strides(shape->Size(), 0);
    std::vector<std::int64_t> extents = shape->values;
    for (std::size_t i = 0; i < view.shape.size() && added + i < extents.size(); ++i) {
        std::int64_t& extent = extents[added + i];
        extent = extent < 0 ? view.shape[i] : extent;
        if (view.shape[i] != 1 && view.shape[i] != extent) {
            throw UserError{"{}: {} does not broadcast to {}",
                            current_function(),
                            x->ToString().GetString(),
                            shape->ToString().GetString()};
        }
        strides[added + i] = view.shape[i] == 1 ? 0 : view.strides[i];
    }
    view.shape = extents;
    view.strides = strides;
    aclTensor* const out = executor->AllocTensor(op::Shape{extents}, x->GetDataType());
    if (!out->IsEmpty()) {
        move(executor, "BroadcastTo", view, as_view(*out));
    }
    return out;
}

const aclTensor* BroadcastTo(const aclTensor* x,
                             const aclTensor* y,
                             const aclTensor* /*shape*/,
                             aclOpExecutor* executor) {
    const std::vector<std::int64_t>& extents = y->value.shape;
    return BroadcastTo(x, executor->AllocIntArray(extents.data(), extents.size()), executor);
}

const aclTensor* Expand(const aclTensor* self, const aclIntArray* shape, aclOpExecutor* executor) {
    return BroadcastTo(self, shape, executor);
}

const aclTensor* TensorMove(const aclTensor* x, const aclTensor* y, aclOpExecutor* executor) {
    return ViewCopy(x, y, executor);
}

aclTensor* ConcatD(const aclTensorList* inputs, int64_t dim, op::DataType outDtype, aclOpExecutor* executor) {
    const aclTensor* const first = (*inputs)[0];
    const std::size_t rank = first->value.shape.size();
    const auto axis = static_cast<std::size_t>(dim < 0 ? dim + static_cast<int64_t>(rank) : dim);
    op::Shape shape = first->GetViewShape();
    shape.SetDim(axis, 0);
    for (const aclTensor* one : inputs->tensors) {
        shape.SetDim(axis, shape.GetDim(axis) + one->value.shape.at(axis));
    }
    aclTensor* const out = executor->AllocTensor(shape, outDtype);
    auto part = as_view(*out);
    for (const aclTensor* one : inputs->tensors) {
        const aclTensor* const cast = Cast(one, outDtype, executor);
        part.shape = cast->value.shape;
        if (!cast->IsEmpty()) {
            move(executor, "ConcatD", as_view(*cast), part);
        }
        part.offset += part.shape[axis] * part.strides[axis];
    }
    return out;
}

aclTensor* ConcatD(const aclTensorList* inputs, int64_t dim, aclOpExecutor* executor) {
    return ConcatD(inputs, dim, (*inputs)[0]->GetDataType(), executor);
}

const aclTensorList* SplitV(const aclTensor* self,
                            const aclIntArray* splitSize,
                            int64_t dim,
                            aclOpExecutor* executor) {
    const auto axis =
        static_cast<std::size_t>(dim < 0 ? dim + static_cast<int64_t>(self->value.shape.size()) : dim);
    std::vector<const aclTensor*> parts;
    auto part = as_view(*self);
    for (const int64_t size : splitSize->values) {
        part.shape.at(axis) = size;
        aclTensor* const out = executor->AllocTensor(op::Shape{part.shape}, self->GetDataType());
        if (!out->IsEmpty()) {
            move(executor, "SplitV", part, as_view(*out));
        }
        part.offset += size * part.strides[axis];
        parts.push_back(out);
    }
    return executor->AllocTensorList(parts.data(), parts.size());
}

const aclTensor* Fill(const aclTensor* dims,
                      const aclTensor* value,
                      const aclIntArray* outShape,
                      aclOpExecutor* executor) {
    aclTensor* const out = executor->AllocTensor(op::Shape{outShape->values}, value->GetDataType());
    if (!out->IsEmpty()) {
        static_cast<void>(ADD_TO_LAUNCHER_LIST_AICORE(Fill, OP_INPUT(dims, value), OP_OUTPUT(out)));
    }
    return out;
}

const aclTensor* ZerosLike(const aclTensor* self, aclOpExecutor* executor) {
    return filled(self, 0, executor);
}

const aclTensor* OnesLike(const aclTensor* self, aclOpExecutor* executor) {
    return filled(self, 1, executor);
}

const aclTensor* Muls(const aclTensor* self, float alpha, aclOpExecutor* executor) {
    aclTensor* const out = executor->AllocTensor(self->GetViewShape(), self->GetDataType());
    static_cast<void>(ADD_TO_LAUNCHER_LIST_AICORE(Muls, OP_INPUT(self), OP_OUTPUT(out), OP_ATTR(alpha)));
    return out;
}

const aclTensor* Axpy(const aclTensor* self, const aclTensor* other, float alpha, aclOpExecutor* executor) {
    aclTensor* const out = of_two(self, other, self->GetDataType(), executor);
    static_cast<void>(
        ADD_TO_LAUNCHER_LIST_AICORE(Axpy, OP_INPUT(self, other), OP_OUTPUT(out), OP_ATTR(alpha)));
    return out;
}

const aclTensor* SelectV2(const aclTensor* condition,
                          const aclTensor* x1,
                          const aclTensor* x2,
                          aclOpExecutor* executor) {
    op::Shape shape;
    op::Shape both;
    static_cast<void>(op::BroadcastInferShape(x1->GetViewShape(), x2->GetViewShape(), both));
    static_cast<void>(op::BroadcastInferShape(both, condition->GetViewShape(), shape));
    aclTensor* const out = executor->AllocTensor(shape, x1->GetDataType());
    static_cast<void>(ADD_TO_LAUNCHER_LIST_AICORE(SelectV2, OP_INPUT(condition, x1, x2), OP_OUTPUT(out)));
    return out;
}

const aclTensor* ReduceSumOp(const aclTensor* x,
                             const aclIntArray* axes,
                             bool keep_dims,
                             aclOpExecutor* executor) {
    return reduced("ReduceSum", x, axes, keep_dims, executor);
}

const aclTensor* ReduceMean(const aclTensor* self,
                            const aclIntArray* dim,
                            bool keepDim,
                            aclOpExecutor* executor) {
    return reduced("ReduceMean", self, dim, keepDim, executor);
}

const aclTensor* ReduceMean(const aclTensor* self,
                            const aclIntArray* dim,
                            bool keepDim,
                            bool noopWithEmptyAxes,
                            aclOpExecutor* executor) {
    return noopWithEmptyAxes && dim->Size() == 0 ? self : ReduceMean(self, dim, keepDim, executor);
}

// Two operands, element by element.
const aclTensor* Add(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor) {
    return binary("Add", self, other, op::PromoteType(self->GetDataType(), other->GetDataType()), executor);
}

const aclTensor* Sub(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor) {
    return binary("Sub", self, other, op::PromoteType(self->GetDataType(), other->GetDataType()), executor);
}

const aclTensor* Mul(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor) {
    return binary("Mul", self, other, op::PromoteType(self->GetDataType(), other->GetDataType()), executor);
}

const aclTensor* Div(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor) {
    return binary("Div", self, other, self->GetDataType(), executor);
}

const aclTensor* RealDiv(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor) {
    return binary("RealDiv", self, other, self->GetDataType(), executor);
}

const aclTensor* Pow(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor) {
    return binary("Pow", self, other, self->GetDataType(), executor);
}

const aclTensor* Maximum(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor) {
    return binary("Maximum", self, other, self->GetDataType(), executor);
}

const aclTensor* Minimum(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor) {
    return binary("Minimum", self, other, self->GetDataType(), executor);
}

const aclTensor* Less(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor) {
    return binary("Less", self, other, ge::DT_BOOL, executor);
}

const aclTensor* LessEqual(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor) {
    return binary("LessEqual", self, other, ge::DT_BOOL, executor);
}

const aclTensor* Greater(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor) {
    return binary("Greater", self, other, ge::DT_BOOL, executor);
}

const aclTensor* GreaterEqual(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor) {
    return binary("GreaterEqual", self, other, ge::DT_BOOL, executor);
}

const aclTensor* Equal(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor) {
    return binary("Equal", self, other, ge::DT_BOOL, executor);
}

const aclTensor* NotEqual(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor) {
    return binary("NotEqual", self, other, ge::DT_BOOL, executor);
}

const aclTensor* LogicalAnd(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor) {
    return binary("LogicalAnd", self, other, ge::DT_BOOL, executor);
}

const aclTensor* LogicalOr(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor) {
    return binary("LogicalOr", self, other, ge::DT_BOOL, executor);
}

// One operand.
const aclTensor* Abs(const aclTensor* self, aclOpExecutor* executor) {
    return unary("Abs", self, executor);
}

const aclTensor* Exp(const aclTensor* self, aclOpExecutor* executor) {
    return unary("Exp", self, executor);
}

const aclTensor* Neg(const aclTensor* self, aclOpExecutor* executor) {
    return unary("Neg", self, executor);
}

const aclTensor* Reciprocal(const aclTensor* self, aclOpExecutor* executor) {
    return unary("Reciprocal", self, executor);
}

const aclTensor* Rsqrt(const aclTensor* self, aclOpExecutor* executor) {
    return unary("Rsqrt", self, executor);
}

const aclTensor* Sqrt(const aclTensor* self, aclOpExecutor* executor) {
    return unary("Sqrt", self, executor);
}

}  // namespace l0op
