// SPDX-License-Identifier: Apache-2.0
// Which types and layouts of an operator's definition go together: its columns.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/acl/operator_call.hpp"
#include "runtime/acl/operator_definition.hpp"

namespace ascendsim::tiling {

/// A definition as it is on one chip.
struct ChipDefinition {
    const ops::OpDef* definition = nullptr;
    std::vector<ops::OpParamDef> inputs;
    std::vector<ops::OpParamDef> outputs;
    std::map<std::string, std::string> settings;
};

/// What holds on `chip` in front of what holds everywhere. Throws UserError if the operator is not for it.
[[nodiscard]] ChipDefinition definition_on(const ops::OpDef& definition, const std::string& chip);

/// Type and layout of a parameter.
struct ColumnEntry {
    ge::DataType type = ge::DT_FLOAT;
    ge::Format format = ge::FORMAT_ND;
};

/// By name of the parameter, with "out:" in front of outputs.
using Column = std::map<std::string, ColumnEntry>;

/// The first column that has every type and layout that the call names; among those the first with plain
/// layouts. Throws UserError that lists the types if there is none.
[[nodiscard]] Column chosen_column(const ChipDefinition& definition, const OperatorCall& call);

/// The extents in memory of a tensor of some layout.
[[nodiscard]] gert::Shape stored_shape(const gert::Shape& shape, const ColumnEntry& entry);

}  // namespace ascendsim::tiling
