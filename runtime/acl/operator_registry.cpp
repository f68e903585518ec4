// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/operator_registry.hpp"

#include "runtime/acl/operator_definition.hpp"

// Of the host code that a process has loaded.

namespace gert {

std::map<std::string, OperatorFunctions>& Registered() {
    static std::map<std::string, OperatorFunctions> all;
    return all;
}

}  // namespace gert

namespace ops {

std::vector<std::unique_ptr<OpDef>>& Definitions() {
    static std::vector<std::unique_ptr<OpDef>> all;
    return all;
}

}  // namespace ops
