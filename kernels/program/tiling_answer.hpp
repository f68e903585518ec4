// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "kernels/program/operator_definition.hpp"
#include "kernels/program/tiling_request.hpp"

namespace ascendsim::tiling {

/// An attribute with the scenario's value in place of the operator's own.
inline void set(gert::Attribute& attribute, const AttributeValue& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
        attribute.whole = *whole;
        attribute.truth = *whole != 0;
        attribute.real = static_cast<float>(*whole);
    } else if (const auto* real = std::get_if<double>(&value)) {
        attribute.real = static_cast<float>(*real);
    } else if (const auto* truth = std::get_if<bool>(&value)) {
        attribute.truth = *truth;
        attribute.whole = *truth ? 1 : 0;
    } else if (const auto* text = std::get_if<std::string>(&value)) {
        attribute.text = *text;
    } else if (const auto* wholes = std::get_if<std::vector<std::int64_t>>(&value)) {
        attribute.whole_list = gert::ContinuousVector{*wholes};
    } else {
        const auto& reals = std::get<std::vector<double>>(value);
        attribute.real_list = gert::TypedContinuousVector<float>{{reals.begin(), reals.end()}};
    }
}

inline std::string attributes_of(const ops::OpDef& definition, const Request& request, std::vector<gert::Attribute>& all) {
    std::string names;
    for (const ops::OpAttrDef& one : definition.Attributes()) {
        all.push_back(one.Value());
        names += (names.empty() ? "" : ", ") + one.Value().name;
    }
    for (const auto& [name, value] : request.attributes) {
        const auto found =
            std::find_if(all.begin(), all.end(), [&name = name](const auto& one) { return one.name == name; });
        if (found == all.end()) {
            return "'" + name + "' is no attribute of " + definition.Type() + " (it has: " + names + ")";
        }
        set(*found, value);
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
        gert::TilingContext context{std::move(inputs), std::move(outputs), gert::RuntimeAttrs{std::move(attributes)}};
        const ge::graphStatus status = definition->AICore().Tiling()(&context);
        if (status != ge::GRAPH_SUCCESS) {
            answer.error = "the tiling function of " + definition->Type() + " refuses these shapes: it returned " +
                           std::to_string(status);
            return;
        }
        const auto* data = static_cast<const std::byte*>(context.GetRawTilingData()->GetData());
        answer.data.assign(data, data + context.GetRawTilingData()->GetDataSize());
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
    answer.error = "no operator with a tiling function is defined there: OP_ADD of a class that calls AICore().SetTiling";
}

}  // namespace ascendsim::tiling
