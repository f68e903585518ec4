// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/operator_answer.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/scenario/host_process.hpp"
#include "kernels/plan/element.hpp"
#include "kernels/plan/npy.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::scenario {
namespace {

using nlohmann::ordered_json;

/// Layouts by the graph engine's numbers, under the names that definitions use.
constexpr std::array<std::pair<std::string_view, std::int32_t>, 14> formats{{{"NCHW", 0},
                                                                             {"NHWC", 1},
                                                                             {"ND", 2},
                                                                             {"NC1HWC0", 3},
                                                                             {"FRACTAL_Z", 4},
                                                                             {"HWCN", 16},
                                                                             {"NDHWC", 27},
                                                                             {"FRACTAL_NZ", 29},
                                                                             {"NZ", 29},
                                                                             {"NCDHW", 30},
                                                                             {"DHWCN", 31},
                                                                             {"NDC1HWC0", 32},
                                                                             {"FRACTAL_Z_3D", 33},
                                                                             {"NCL", 47}}};

std::int32_t format_number(const OperatorTensor& tensor) {
    std::string_view name = tensor.format;
    if (name.starts_with("FORMAT_")) {
        name.remove_prefix(7);
    }
    std::vector<std::string> names;
    for (const auto& [known, number] : formats) {
        if (known == name) {
            return number;
        }
        names.emplace_back(known);
    }
    throw UserError{"{}: format of '{}': '{}' is no layout{} (known: {})",
                    tensor.place,
                    tensor.name,
                    tensor.format,
                    nearest_hint(name, names),
                    fmt::join(names, ", ")};
}

/// Values for the tiling to read; their type is that of the operator's column, which is not chosen yet, so
/// that it has to be named where it is not a 64-bit number.
std::vector<std::byte> value_bytes(const OperatorTensor& tensor) {
    if (tensor.values.empty() && tensor.file) {
        return host::read_npy(*tensor.file, tensor.place).bytes;
    }
    const isa::DataType type = tensor.type.value_or(isa::DataType::int64);
    std::vector<std::byte> bytes(isa::bytes_of(type, tensor.values.size()));
    for (std::size_t i = 0; i < tensor.values.size(); ++i) {
        host::write_element(type, bytes, i, tensor.values[i]);
    }
    return bytes;
}

tiling::GivenTensor given(const OperatorTensor& tensor) {
    tiling::GivenTensor one{.shape = tensor.shape, .type = {}, .format = {}, .data = value_bytes(tensor)};
    if (tensor.type) {
        one.type = names_of(*tensor.type).number;
    } else if (!tensor.values.empty()) {
        one.type = names_of(isa::DataType::int64).number;
    } else if (tensor.file) {
        one.type = names_of(host::read_npy(*tensor.file, tensor.place).type).number;
    }
    if (!tensor.format.empty()) {
        one.format = format_number(tensor);
    }
    if (!one.shape && !tensor.values.empty()) {
        one.shape = {static_cast<std::int64_t>(tensor.values.size())};
    } else if (!one.shape && tensor.file) {
        const host::Shape shape = host::read_npy(*tensor.file, tensor.place).shape;
        one.shape = {shape.begin(), shape.end()};
    }
    return one;
}

}  // namespace

std::string format_name(std::int32_t number) {
    const auto found = std::ranges::find(formats, number, &std::pair<std::string_view, std::int32_t>::second);
    return found == formats.end() ? std::string{} : std::string{found->first};
}

tiling::OperatorCall call_of(const OperatorRequest& request,
                             const std::string& type,
                             const std::string& chip) {
    tiling::OperatorCall call{.type = type,
                              .chip = chip,
                              .parameters = {},
                              .attributes = request.attributes,
                              .deterministic = request.deterministic};
    for (const OperatorTensor& tensor : request.tensors) {
        const auto same = std::ranges::find(call.parameters, tensor.name, &tiling::GivenParameter::name);
        if (same == call.parameters.end()) {
            call.parameters.push_back({tensor.name, {given(tensor)}});
        } else {
            same->tensors.push_back(given(tensor));
        }
    }
    return call;
}

ordered_json to_json(const tiling::OperatorAnswer& answer) {
    ordered_json parameters = ordered_json::array();
    for (const tiling::SettledParameter& one : answer.parameters) {
        ordered_json tensors = ordered_json::array();
        for (const tiling::SettledTensor& tensor : one.tensors) {
            tensors.push_back({{"shape", tensor.shape},
                               {"stored", tensor.stored},
                               {"type", tensor.type},
                               {"format", tensor.format}});
        }
        parameters.push_back({{"name", one.name},
                              {"output", one.output},
                              {"list", one.list},
                              {"optional", one.optional},
                              {"zeroed", one.zeroed},
                              {"type", one.type},
                              {"format", one.format},
                              {"tensors", std::move(tensors)}});
    }
    std::vector<unsigned> bytes;
    for (const std::byte one : answer.data) {
        bytes.push_back(std::to_integer<unsigned>(one));
    }
    return {{"type", answer.type},
            {"parameters", std::move(parameters)},
            {"settings", answer.settings},
            {"data", bytes},
            {"blocks", answer.blocks},
            {"key", answer.key},
            {"workspace", answer.workspace},
            {"is_template", answer.is_template},
            {"arguments", answer.arguments},
            {"argument_names", answer.argument_names},
            {"structure", answer.structure},
            {"core_kind", answer.core_kind}};
}

tiling::OperatorAnswer answer_from(const ordered_json& json) {
    tiling::OperatorAnswer answer;
    answer.type = json["type"];
    for (const ordered_json& one : json["parameters"]) {
        tiling::SettledParameter parameter{.name = one["name"],
                                           .output = one["output"],
                                           .list = one["list"],
                                           .optional = one["optional"],
                                           .zeroed = one["zeroed"],
                                           .type = one["type"],
                                           .format = one["format"],
                                           .tensors = {}};
        for (const ordered_json& tensor : one["tensors"]) {
            parameter.tensors.push_back({.shape = tensor["shape"].get<std::vector<std::int64_t>>(),
                                         .stored = tensor["stored"].get<std::vector<std::int64_t>>(),
                                         .type = tensor["type"],
                                         .format = tensor["format"]});
        }
        answer.parameters.push_back(std::move(parameter));
    }
    answer.settings = json["settings"].get<std::map<std::string, std::string>>();
    for (const ordered_json& one : json["data"]) {
        answer.data.push_back(static_cast<std::byte>(one.get<unsigned>()));
    }
    answer.blocks = json["blocks"];
    answer.key = json["key"];
    answer.workspace = json["workspace"];
    answer.is_template = json["is_template"];
    answer.arguments = json["arguments"].get<std::vector<std::int64_t>>();
    answer.argument_names = json["argument_names"].get<std::vector<std::string>>();
    answer.structure = json["structure"];
    answer.core_kind = json["core_kind"];
    return answer;
}

}  // namespace ascendsim::scenario
