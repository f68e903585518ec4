// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "models/spec/chip_spec.hpp"
#include "runtime/acl/nn/operator_ask.hpp"
#include "runtime/session/run_request.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::runtime {

/// What an aclnn call comes to: kernels with their arguments.
struct OperatorRun {
    /// A tensor of the call: of an argument, and of a list the number in it.
    struct Place {
        std::size_t argument = 0;
        std::size_t tensor = 0;
    };

    /// A buffer that holds the addresses of others from `offset` on, in bytes.
    struct List {
        std::string buffer;
        std::uint64_t offset = 0;
        std::vector<std::string> members;
    };

    PlannedRun run;
    std::map<std::string, Place> places;             // of buffers that the program has brought
    std::vector<std::pair<Place, Place>> brought{};  // tensors that are copied to others before
    std::vector<List> lists;
    std::set<std::string> zeroed;  // outputs that hold zeros before the kernel runs
    std::string origin;            // for the report: whose kernel it is
};

/// An operator's own refusal of an aclnn call, which comes back to the program as a code.
class OperatorRefusal : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Where a host program's aclnn calls find their operators.
class OperatorSource {
public:
    virtual ~OperatorSource() = default;

    /// Throws OperatorRefusal for what the operator refuses, UserError for an operator that is not there.
    [[nodiscard]] virtual OperatorRun run_of(const program::OperatorAsk& ask) const = 0;

    /// The outputs as the operator's own inference finds them, refused as by run_of.
    [[nodiscard]] virtual std::vector<program::CallTensor> shapes_of(
        const program::OperatorAsk& ask) const = 0;

    /// The library's own code behind an aclnn function, compiled and loaded.
    [[nodiscard]] virtual program::OwnCode own_code(const std::string& function) const = 0;
};

}  // namespace ascendsim::runtime
