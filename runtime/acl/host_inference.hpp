// SPDX-License-Identifier: Apache-2.0
// Shape inference of whole families of operators, which the libraries' base package offers.
#pragma once

#include <vector>

#include "runtime/acl/host_context.hpp"

namespace Ops {
namespace Base {

/// The outputs have the first input's shape.
ge::graphStatus InferShape4Elewise(gert::InferShapeContext* context);

/// The first output has the shape to which the inputs (the first `inputs` of them) are broadcast.
ge::graphStatus InferShape4Broadcast(gert::InferShapeContext* context);
ge::graphStatus InferShape4Broadcast(gert::InferShapeContext* context, std::size_t inputs);

/// The first input without the axes that the second lists, or with extent 1 there if the first attribute says
/// so.
ge::graphStatus InferShape4Reduce(gert::InferShapeContext* context);

/// False if the shapes do not fit each other.
bool BroadcastShape(const gert::Shape* a, const gert::Shape* b, gert::Shape* result);
bool BroadcastShape(const std::vector<const gert::Shape*>& shapes, gert::Shape* result);

/// A scalar as a vector of one.
const gert::Shape& EnsureNotScalar(const gert::Shape& shape);

/// True for the generation with register programs, which this simulator does not have.
template <class Context>
bool IsRegbaseSocVersion(const Context*) {
    return false;
}

}  // namespace Base
}  // namespace Ops
