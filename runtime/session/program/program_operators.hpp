// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/acl/nn/operator_ask.hpp"
#include "runtime/session/operator_source.hpp"
#include "runtime/session/program/program_streams.hpp"
#include "runtime/session/session.hpp"

namespace ascendsim::runtime {

/// The operators that a host program's aclnn calls have asked for. Calls with the same tensors and attributes
/// share their tiling and their compiled kernel.
class ProgramOperators {
public:
    /// `source` may be null: then there are none. `chip` and `installation` must outlive it.
    ProgramOperators(const OperatorSource* source,
                     const ChipSpec& chip,
                     const toolchain::Installation& installation,
                     ProgramStreams& streams);
    ~ProgramOperators();

    /// As program::Device::prepare.
    [[nodiscard]] std::shared_ptr<program::PreparedOperator> prepare(Session& session,
                                                                     const program::OperatorAsk& ask,
                                                                     std::string& refusal);

    /// As program::Device::infer.
    [[nodiscard]] std::vector<program::CallTensor> infer(const program::OperatorAsk& ask,
                                                         std::string& refusal);

    /// As program::Device::own_code.
    [[nodiscard]] program::OwnCode own_code(const std::string& function);

    /// One entry for each function that was called: {call, calls, kernel, origin}.
    [[nodiscard]] nlohmann::json figures() const;

    /// What all prepared operators share: how they reach device, streams and figures.
    struct Shared;

private:
    const OperatorSource* source_;
    std::shared_ptr<Shared> shared_;
    std::map<std::string, std::shared_ptr<const struct TiledOperator>> tiled_;  // by what was asked
    std::map<std::string, program::OwnCode> own_code_;                          // by function
};

}  // namespace ascendsim::runtime
