// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/operator_tiling.hpp"

#include <algorithm>
#include <cctype>
#include <variant>

#include <dlfcn.h>
#include <fmt/format.h>

#include "app/scenario/host_process.hpp"
#include "app/scenario/user_kernel.hpp"
#include "sim/base/error.hpp"
#include "toolchain/build/tiling_build.hpp"

namespace ascendsim::scenario {
namespace {

using nlohmann::ordered_json;

bool is_tensor(const host::Buffer& buffer) {
    return buffer.role != host::Role::workspace && buffer.role != host::Role::tiling;
}

/// Runs where the plug-in is loaded: what it answers, as JSON.
ordered_json asked(void* library, const tiling::Request& request) {
    const auto function = reinterpret_cast<tiling::TilingFunction>(dlsym(library, tiling::tiling_symbol));
    tiling::Answer answer;
    function(request, answer);
    if (!answer.error.empty()) {
        throw UserError{"{}", answer.error};
    }
    std::vector<unsigned> bytes;
    for (const std::byte one : answer.data) {
        bytes.push_back(std::to_integer<unsigned>(one));
    }
    return {{"data", bytes},
            {"blocks", answer.blocks},
            {"key", answer.key},
            {"workspace", answer.workspace},
            {"names", answer.names}};
}

/// Adds -DNAME=value unless the user defines the name.
void define(UserKernel& kernel, const std::string& name, const std::string& value) {
    const std::string start = "-D" + name;
    const bool given = std::ranges::any_of(
        kernel.flags, [&](const std::string& flag) { return flag.substr(0, flag.find('=')) == start; });
    if (!given) {
        kernel.flags.push_back(start + "=" + value);
    }
}

void take(UserKernel& kernel, const TilingQuestion& question, const ordered_json& answer) {
    std::size_t tensor = 0;
    const auto names = answer["names"].get<std::vector<std::string>>();
    for (host::Buffer& buffer : kernel.plan.buffers) {
        if (buffer.role == host::Role::workspace) {
            buffer.shape = {std::max(buffer.bytes(), answer["workspace"].get<std::uint64_t>())};
        } else if (buffer.name == question.argument) {
            std::vector<std::byte> bytes;
            for (const auto& one : answer["data"]) {
                bytes.push_back(static_cast<std::byte>(one.get<unsigned>()));
            }
            bytes.resize(std::max<std::size_t>(bytes.size(), 1));
            buffer.shape = {bytes.size()};
            buffer.fill = host::fill::Content{std::move(bytes)};
        } else if (is_tensor(buffer) && tensor < names.size()) {
            std::string name = names[tensor++];
            std::ranges::transform(
                name, name.begin(), [](unsigned char letter) { return std::toupper(letter); });
            define(kernel, "DTYPE_" + name, names_of(buffer.type).kernel);
            define(kernel, "ORIG_DTYPE_" + name, names_of(buffer.type).name);
        }
    }
    define(kernel, "TILING_KEY_VAR", std::to_string(answer["key"].get<std::uint64_t>()));
    for (host::Launch& launch : kernel.plan.launches) {
        launch.blocks = launch.blocks == 0 ? answer["blocks"].get<std::uint32_t>() : launch.blocks;
    }
}

}  // namespace

tiling::AttributeValue attribute_value(const Node& node) {
    const auto& data = node.value().data;
    if (const auto* truth = std::get_if<bool>(&data)) {
        return *truth;
    }
    if (node.is_string()) {
        return node.as<std::string>();
    }
    if (std::holds_alternative<std::int64_t>(data)) {
        return node.as<std::int64_t>();
    }
    if (!node.is_array()) {
        return node.as<double>();
    }
    const std::vector<Node> items = node.items();
    const auto all_are = [&](auto example) {
        return std::ranges::all_of(items, [](const Node& item) {
            return std::holds_alternative<decltype(example)>(item.value().data);
        });
    };
    const auto is_list = [](const Node& item) { return item.is_array(); };
    if (!items.empty() && std::ranges::all_of(items, is_list)) {
        std::vector<std::vector<std::int64_t>> lists;
        for (const Node& item : items) {
            lists.push_back(item.list<std::int64_t>());
        }
        return lists;
    }
    if (all_are(std::int64_t{})) {  // and an empty list, which is one of any type
        return node.list<std::int64_t>();
    }
    return all_are(bool{}) ? tiling::AttributeValue{node.list<bool>()}
                           : tiling::AttributeValue{node.list<double>()};
}

TilingQuestion read_tiling_question(TableReader& table, const Node& host, const std::string& argument) {
    TilingQuestion question{.argument = argument,
                            .host = host.file().folder() / host.as<std::string>(),
                            .place = fmt::format("{}: {}", host.place(), host.path()),
                            .attributes = {}};
    if (const std::optional<Node> attributes = table.find("attributes")) {
        for (const Node& one : attributes->members()) {
            question.attributes.emplace_back(one.key(), attribute_value(one));
        }
    }
    return question;
}

void complete_tiling(UserKernel& kernel,
                     const TilingQuestion& question,
                     const ChipSpec& chip,
                     const toolchain::Installation& installation) {
    tiling::Request request{.tensors = {}, .attributes = question.attributes};
    for (const host::Buffer& buffer : kernel.plan.buffers) {
        if (is_tensor(buffer)) {
            request.tensors.push_back(
                {{buffer.shape.begin(), buffer.shape.end()}, names_of(buffer.type).number});
        }
    }
    const std::filesystem::path plugin =
        toolchain::build_tiling(question.host, {.installation = installation});
    const std::string place = fmt::format("{}: {}", question.place, question.host.filename().string());
    take(kernel, question, asked_of_host(plugin, chip, place, [&](void* library) {
             return asked(library, request);
         }));
}

}  // namespace ascendsim::scenario
