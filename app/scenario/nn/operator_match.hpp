// SPDX-License-Identifier: Apache-2.0
// How the parameters of an aclnn function go with an operator's.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/scenario/library_operator.hpp"
#include "kernels/plan/knob.hpp"
#include "runtime/acl/nn/operator_ask.hpp"
#include "runtime/acl/operator_call.hpp"
#include "runtime/session/operator_source.hpp"

namespace ascendsim::scenario {

/// A call as a request of the operator's, and which of its buffers are the call's tensors.
struct MatchedCall {
    OperatorRequest request;
    std::map<std::string, runtime::OperatorRun::Place> places;
    std::vector<std::pair<runtime::OperatorRun::Place, runtime::OperatorRun::Place>> brought{};
};

/// A tensor of a call as a request names it: under the operator's parameter, with type and layout. Throws
/// runtime::OperatorRefusal for a type that is not simulated.
[[nodiscard]] OperatorTensor tensor_of_call(const tiling::DescribedParameter& parameter,
                                            const program::CallTensor& tensor,
                                            const std::string& place);

/// The shape of a call's tensor, as plans of kernels have it.
[[nodiscard]] host::Shape shape_of(const program::CallTensor& tensor);

/// A value in the form that an attribute of some kind ("a Float") takes.
[[nodiscard]] tiling::AttributeValue as_kind(const tiling::AttributeValue& value, const std::string& kind);

/// A value as numbers; none of a text.
[[nodiscard]] std::vector<double> numbers_of(const tiling::AttributeValue& value);

/// Parameters go with the operator's of the same name, whatever its spelling and without "Optional", "Out"
/// and "Ref"; what is left goes in order, tensors with tensors and attributes with attributes. Throws
/// runtime::OperatorRefusal for an argument that the operator has no place for, unless it says nothing (a
/// null pointer, 0, false) or speaks of precision alone.
[[nodiscard]] MatchedCall matched(const program::OperatorAsk& ask, const tiling::DescribedOperator& one);

}  // namespace ascendsim::scenario
