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

/// What the loaded code defines of the operator.
ordered_json described(const std::string& type, const std::string& chip) {
    for (const tiling::DescribedOperator& one : tiling::described_operators(chip)) {
        if (one.type != type) {
            continue;
        }
        std::vector<std::string> signature;
        for (const tiling::DescribedParameter& parameter : one.parameters) {
            signature.push_back(signature_of(parameter));
        }
        std::vector<std::string> attributes;
        for (const auto& [name, kind] : one.attributes) {
            attributes.push_back(name + ", " + kind);
        }
        return {{"tiling", one.has_tiling}, {"signature", signature}, {"attributes", attributes}};
    }
    throw UserError{"{} is not among what it defines", type};
}

}  // namespace

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
            asked_of_host(plugin, chip, one.type, [&](void*) { return described(one.type, name); });
        result.signature = answer["signature"].get<std::vector<std::string>>();
        result.attributes = answer["attributes"].get<std::vector<std::string>>();
        const bool tiled = answer["tiling"];
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
