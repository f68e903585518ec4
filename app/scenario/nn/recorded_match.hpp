// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/scenario/nn/operator_match.hpp"

namespace ascendsim::scenario {

/// A launch that a library's own code recorded: its arguments are the operator's inputs, outputs and
/// attributes, in the order of the definition; attributes with a name of their own go by that. With
/// `to_infer`, outputs are left to the operator's inference. Throws runtime::OperatorRefusal where there are
/// more than the definition has.
[[nodiscard]] MatchedCall recorded_match(const program::OperatorAsk& ask,
                                         const tiling::DescribedOperator& one,
                                         bool to_infer);

}  // namespace ascendsim::scenario
