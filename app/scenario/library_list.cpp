// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/library_list.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/scenario/host_process.hpp"
#include "runtime/acl/operator_call.hpp"
#include "sim/base/error.hpp"
#include "toolchain/build/operator_build.hpp"
#include "toolchain/build/warnings.hpp"
#include "toolchain/project/operator_kernel.hpp"

namespace ascendsim::scenario {
namespace {

using nlohmann::ordered_json;

std::string signature_of(const tiling::DescribedParameter& parameter) {
    std::vector<std::string> types;
    for (const std::int32_t number : parameter.types) {
        const TypeNames* known = names_of_number(number);
        const std::string word =
            known == nullptr ? fmt::format("type {}", number) : std::string{isa::name(known->type)};
        if (std::ranges::find(types, word) == types.end()) {
            types.push_back(word);
        }
    }
    return fmt::format("{} {}{}{}{}",
                       parameter.output ? "output" : "input",
                       parameter.name,
                       parameter.kind == "required" ? "" : " (" + parameter.kind + ")",
                       types.empty() ? "" : ": ",
                       fmt::join(types, " | "));
}

/// As described_operator(), on its way from one process to another.
ordered_json description_of(const std::string& type, const std::string& chip) {
    for (const tiling::DescribedOperator& one : tiling::described_operators(chip)) {
        if (one.type != type) {
            continue;
        }
        ordered_json parameters = ordered_json::array();
        for (const tiling::DescribedParameter& parameter : one.parameters) {
            parameters.push_back({{"name", parameter.name},
                                  {"output", parameter.output},
                                  {"kind", parameter.kind},
                                  {"types", parameter.types},
                                  {"formats", parameter.formats},
                                  {"value_depends", parameter.value_depends},
                                  {"since", parameter.since}});
        }
        return {{"type", one.type},
                {"parameters", std::move(parameters)},
                {"attributes", one.attributes},
                {"attributes_since", one.attributes_since},
                {"has_tiling", one.has_tiling},
                {"has_shapes", one.has_shapes}};
    }
    throw UserError{"{} is not among what it defines", type};
}

std::vector<tiling::DescribedParameter> parameters_of(const ordered_json& answer) {
    std::vector<tiling::DescribedParameter> parameters;
    for (const ordered_json& parameter : answer["parameters"]) {
        parameters.push_back({.name = parameter["name"],
                              .output = parameter["output"],
                              .kind = parameter["kind"],
                              .types = parameter["types"].get<std::vector<std::int32_t>>(),
                              .formats = parameter["formats"].get<std::vector<std::int32_t>>(),
                              .value_depends = parameter["value_depends"],
                              .since = parameter["since"]});
    }
    return parameters;
}

}  // namespace

tiling::DescribedOperator described_operator(const toolchain::LibraryOperator& one,
                                             const ChipSpec& chip,
                                             const toolchain::Installation& installation) {
    const std::string name = toolchain::library_chip(chip.name);
    const std::filesystem::path plugin = toolchain::build_operator(one, name, {.installation = installation});
    const ordered_json answer =
        asked_of_host(plugin, chip, one.type, [&](void*) { return description_of(one.type, name); });
    tiling::DescribedOperator result{.type = answer["type"]};
    result.parameters = parameters_of(answer);
    result.attributes = answer["attributes"].get<std::vector<std::pair<std::string, std::string>>>();
    result.attributes_since = answer["attributes_since"].get<std::vector<std::uint32_t>>();
    result.has_tiling = answer["has_tiling"];
    result.has_shapes = answer["has_shapes"];
    return result;
}

ListedOperator listed(const toolchain::LibraryOperator& one,
                      const ChipSpec& chip,
                      const toolchain::Installation& installation) {
    ListedOperator result{.type = one.type, .folder = one.folder};
    const std::string name = toolchain::library_chip(chip.name);
    try {
        result.obstacle = "no kernel for this chip";
        result.kernel = toolchain::operator_kernel(one, {}).source;
        result.obstacle = "its host code does not compile";
        const std::filesystem::path plugin =
            toolchain::build_operator(one, name, {.installation = installation});
        result.left_out = toolchain::warnings_of(plugin);
        result.obstacle = "its host code cannot be loaded";
        const ordered_json answer =
            asked_of_host(plugin, chip, one.type, [&](void*) { return description_of(one.type, name); });
        result.parameters = parameters_of(answer);
        for (const tiling::DescribedParameter& parameter : result.parameters) {
            result.signature.push_back(signature_of(parameter));
        }
        for (const auto& [attribute, kind] :
             answer["attributes"].get<std::vector<std::pair<std::string, std::string>>>()) {
            result.attributes.push_back(attribute + ", " + kind);
        }
        const bool tiled = answer["has_tiling"];
        result.obstacle = tiled ? "" : "no tiling for this chip is registered";
        result.reason = tiled ? std::string{} : fmt::format("{}", fmt::join(result.left_out, "\n"));
    } catch (const UserError& error) {
        result.reason = error.what();
    } catch (const ProgramError& error) {
        result.reason = error.what();
    }
    return result;
}

}  // namespace ascendsim::scenario
