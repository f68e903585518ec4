// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/host_inference.hpp"

#include <algorithm>
#include <set>

#include "runtime/acl/host_log.hpp"

namespace Ops {
namespace Base {
namespace {

/// Extent `i` from the right, 1 in front of the first.
int64_t extent_from_right(const gert::Shape& shape, std::size_t i) {
    return i < shape.GetDimNum() ? shape.GetDim(shape.GetDimNum() - 1 - i) : 1;
}

std::set<int64_t> axes_of(const gert::Tensor& tensor, int64_t rank) {
    std::set<int64_t> axes;
    for (int64_t i = 0; i < tensor.GetShapeSize(); ++i) {
        const int64_t axis = tensor.GetDataType() == ge::DT_INT32 ? tensor.GetData<int32_t>()[i]
                                                                  : tensor.GetData<int64_t>()[i];
        axes.insert(axis < 0 ? axis + rank : axis);
    }
    return axes;
}

}  // namespace

bool BroadcastShape(const gert::Shape* a, const gert::Shape* b, gert::Shape* result) {
    const std::size_t rank = std::max(a->GetDimNum(), b->GetDimNum());
    std::vector<int64_t> extents(rank);
    for (std::size_t i = 0; i < rank; ++i) {
        const int64_t left = extent_from_right(*a, i);
        const int64_t right = extent_from_right(*b, i);
        if (left != right && left != 1 && right != 1) {
            return false;
        }
        extents[rank - 1 - i] = left == 1 ? right : left;
    }
    *result = gert::Shape{extents};
    return true;
}

bool BroadcastShape(const std::vector<const gert::Shape*>& shapes, gert::Shape* result) {
    gert::Shape joined;
    for (const gert::Shape* shape : shapes) {
        if (shape == nullptr || !BroadcastShape(&joined, shape, &joined)) {
            return false;
        }
    }
    *result = joined;
    return true;
}

ge::graphStatus InferShape4Elewise(gert::InferShapeContext* context) {
    const gert::Shape* input = context->GetInputShape(0);
    if (input == nullptr) {
        return ge::GRAPH_FAILED;
    }
    for (std::size_t i = 0; i < context->GetComputeNodeOutputNum(); ++i) {
        *context->GetOutputShape(i) = *input;
    }
    return ge::GRAPH_SUCCESS;
}

ge::graphStatus InferShape4Broadcast(gert::InferShapeContext* context) {
    return InferShape4Broadcast(context, context->GetComputeNodeInputNum());
}

ge::graphStatus InferShape4Broadcast(gert::InferShapeContext* context, std::size_t inputs) {
    std::vector<const gert::Shape*> shapes;
    for (std::size_t i = 0; i < inputs; ++i) {
        shapes.push_back(context->GetInputShape(i));
    }
    gert::Shape* output = context->GetOutputShape(0);
    if (output == nullptr || !BroadcastShape(shapes, output)) {
        ascendsim::tiling::complain(
            __FILE__, __LINE__, "the inputs' shapes cannot be broadcast:", ToString(shapes));
        return ge::GRAPH_FAILED;
    }
    return ge::GRAPH_SUCCESS;
}

ge::graphStatus InferShape4Reduce(gert::InferShapeContext* context) {
    const gert::Shape* input = context->GetInputShape(0);
    const gert::Tensor* listed = context->GetInputTensor(1);
    gert::Shape* output = context->GetOutputShape(0);
    if (input == nullptr || listed == nullptr || listed->GetAddr() == nullptr || output == nullptr) {
        ascendsim::tiling::complain(__FILE__, __LINE__, "the axes, the second input, must be known");
        return ge::GRAPH_FAILED;
    }
    const bool* keeps = context->GetAttrs()->GetBool(0);
    const std::set<int64_t> axes = axes_of(*listed, static_cast<int64_t>(input->GetDimNum()));
    std::vector<int64_t> extents;
    for (std::size_t i = 0; i < input->GetDimNum(); ++i) {
        const bool reduced = axes.contains(static_cast<int64_t>(i));
        if (!reduced || (keeps != nullptr && *keeps)) {
            extents.push_back(reduced ? 1 : input->GetDim(i));
        }
    }
    *output = gert::Shape{extents};
    return ge::GRAPH_SUCCESS;
}

const gert::Shape& EnsureNotScalar(const gert::Shape& shape) {
    static const gert::Shape one{1};
    return shape.IsScalar() ? one : shape;
}

}  // namespace Base
}  // namespace Ops
