// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/operator_registry.hpp"

#include <cstdlib>
#include <string>

#include <cxxabi.h>

#include "runtime/acl/operator_definition.hpp"
#include "sim/base/error.hpp"

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

/// Stands for a function that host code calls and no source of it has.
extern "C" [[noreturn]] void ascendsim_misses(const char* name) {
    int status = 0;
    char* plain = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    const std::string text = plain == nullptr ? name : plain;
    std::free(plain);  // NOLINT(cppcoreguidelines-no-malloc): of the ABI
    throw ascendsim::UserError{"its host code calls {}, which none of its sources that compile has", text};
}
