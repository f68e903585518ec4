// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "runtime/acl/attribute.hpp"
#include "runtime/acl/operator_definition.hpp"
#include "runtime/acl/tiling_request.hpp"

namespace ascendsim::tiling {

/// Fills in the operator's attributes, its defaults and then what the request sets. Returns what is wrong
/// with these.
inline std::string attributes_of(const ops::OpDef& definition,
                                 const Request& request,
                                 std::vector<gert::Attribute>& all) {
    std::string names;
    for (const ops::OpAttrDef& one : definition.Attributes()) {
        all.push_back(one.Value());
        names += (names.empty() ? "" : ", ") + one.Value().name;
    }
    for (const auto& [name, value] : request.attributes) {
        const auto found = std::find_if(
            all.begin(), all.end(), [&name = name](const auto& one) { return one.name == name; });
        if (found == all.end()) {
            return "'" + name + "' is no attribute of " + definition.Type() + " (it has: " + names + ")";
        }
        const char* kind = gert::attribute_kind_names[static_cast<std::size_t>(found->kind)];
        if (!set(*found, value)) {
            return "'" + name + "' of " + definition.Type() + " is " + kind +
                   "; the scenario's value is of another type";
        }
    }
    return {};
}

/// Asks the tiling function of the first operator that the source defines with one.
inline void answer_request(const Request& request, Answer& answer) {
    for (const auto& definition : ops::Definitions()) {
        if (definition->AICore().Tiling() == nullptr) {
            continue;
        }
        std::vector<gert::Attribute> attributes;
        answer.error = attributes_of(*definition, request, attributes);
        std::vector<gert::Tensor> inputs;
        std::vector<gert::Tensor> outputs;
        for (const auto& tensor : request.tensors) {
            auto& side = inputs.size() < definition->Inputs().size() ? inputs : outputs;
            side.emplace_back(gert::Shape{tensor.shape}, static_cast<ge::DataType>(tensor.type));
        }
        if (!answer.error.empty()) {
            return;
        }
        gert::TilingContext context{
            std::move(inputs), std::move(outputs), gert::RuntimeAttrs{std::move(attributes)}};
        const ge::graphStatus status = definition->AICore().Tiling()(&context);
        if (status != ge::GRAPH_SUCCESS) {
            answer.error = "the tiling function of " + definition->Type() +
                           " refuses these shapes: it returned " + std::to_string(status);
            return;
        }
        const gert::TilingData& written = *context.GetRawTilingData();
        if (written.GetDataSize() > written.GetCapacity()) {
            answer.error = "the tiling function of " + definition->Type() + " says that its tiling takes " +
                           std::to_string(written.GetDataSize()) + " B, of at most " +
                           std::to_string(written.GetCapacity());
            return;
        }
        const auto* data = static_cast<const std::byte*>(written.GetData());
        answer.data.assign(data, data + written.GetDataSize());
        answer.blocks = context.GetBlockDim();
        answer.key = context.GetTilingKey();
        for (const std::size_t bytes : context.Workspaces()) {
            answer.workspace += bytes;
        }
        for (const auto* side : {&definition->Inputs(), &definition->Outputs()}) {
            for (const ops::OpParamDef& one : *side) {
                answer.names.push_back(one.Name());
            }
        }
        return;
    }
    answer.error =
        "no operator with a tiling function is defined there: OP_ADD of a class that calls "
        "AICore().SetTiling";
}

}  // namespace ascendsim::tiling
