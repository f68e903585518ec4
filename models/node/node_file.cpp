// SPDX-License-Identifier: Apache-2.0
#include "models/node/node_file.hpp"

#include <algorithm>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/base/error.hpp"
#include "sim/base/lower_case.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::node {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_bases = 8;  // of a node's file, one upon another

fs::path machine_path(std::string_view name, std::string_view what, const fs::path& folder) {
    if (name.ends_with(".toml") || name.find('/') != std::string_view::npos) {
        return fs::path{name};
    }
    const std::vector<std::string> known = list_machines(folder);
    const std::string wanted = lower(name);
    if (std::ranges::find(known, wanted) == known.end()) {
        throw UserError{"{} '{}': no such {}{} (in {}: {})",
                        what,
                        name,
                        what,
                        nearest_hint(wanted.substr(0, 64), known),
                        folder.string(),
                        fmt::join(known, ", ")};
    }
    return folder / (wanted + ".toml");
}

void read_node(NodeFile& node, const fs::path& path, const fs::path& folder, std::size_t depth) {
    if (depth > max_bases) {
        throw UserError{"{}: the node is its own base", path.string()};
    }
    TableReader table = TomlFile::open(path).reader();
    if (const std::optional<Node> base = table.find("base")) {
        read_node(node, machine_path(base->as<std::string>(), "node", folder), folder, depth + 1);
    }
    node.spec.title = table.get_or<std::string>("title", node.spec.title);
    node.spec.chip = table.get_or<std::string>("chip", node.spec.chip);
    node.spec.host = table.get_or<std::string>("host", node.spec.host);
    read_fields(fields_of(node.spec), table, Completeness::with_source, node.provenance);
}

/// What the range of a single value cannot say.
void check_node(const NodeFile& node) {
    const NodeSpec& spec = node.spec;
    const std::string file = node.path.string();
    for (const auto& [key, text] :
         {std::pair{"title", &spec.title}, {"chip", &spec.chip}, {"host", &spec.host}}) {
        if (text->empty()) {
            throw UserError{"{}:1: {} is missing", file, key};
        }
    }
    for (const std::string_view needed : {"devices.per_server", "copy.h2d_gb_per_s", "copy.d2h_gb_per_s"}) {
        if (!node.provenance.contains(needed)) {
            throw UserError{"{}:1: {} is missing", file, needed};
        }
    }
    if (spec.devices.per_server % spec.devices.dies_per_package != 0) {
        throw UserError{"{}: devices.per_server: {} is no multiple of devices.dies_per_package, {}",
                        node.provenance.at("devices.per_server").place,
                        spec.devices.per_server,
                        spec.devices.dies_per_package};
    }
    if (spec.links.pair_gb_per_s > 0 && spec.links.port_gb_per_s > 0) {
        throw UserError{
            "{}: links.pair_gb_per_s: a full mesh has no switched ports, yet links.port_gb_per_s is {}",
            node.provenance.at("links.pair_gb_per_s").place,
            spec.links.port_gb_per_s};
    }
}

template <class Spec>
std::string describe_fields(Spec spec, const ProvenanceTable& provenance) {
    std::string text;
    for (const FieldRef& field : fields_of(spec)) {
        if (const auto from = provenance.find(field.path); from != provenance.end()) {
            text += fmt::format("{} = {}{}{}  [{}]\n    {}. From: {}\n",
                                field.path,
                                field.text(),
                                field.unit.empty() ? "" : " ",
                                field.unit,
                                from->second.tag,
                                field.meaning,
                                from->second.source);
        }
    }
    return text;
}

}  // namespace

std::vector<std::string> list_machines(const fs::path& folder) {
    std::error_code failure;
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator{folder, failure}) {
        if (entry.path().extension() == ".toml") {
            names.push_back(entry.path().stem().string());
        }
    }
    if (failure) {
        throw UserError{"{}: the folder cannot be read: {}", folder.string(), failure.message()};
    }
    std::ranges::sort(names);
    return names;
}

NodeFile open_node(std::string_view name_or_path, const fs::path& folder) {
    NodeFile node;
    node.path = machine_path(name_or_path, "node", folder);
    node.spec.name = node.path.stem().string();
    read_node(node, node.path, folder, 0);
    check_node(node);
    return node;
}

HostFile open_host(std::string_view name_or_path, const fs::path& folder) {
    HostFile host;
    host.path = machine_path(name_or_path, "host", folder);
    host.spec.name = host.path.stem().string();
    TableReader table = TomlFile::open(host.path).reader();
    host.spec.title = table.get<std::string>("title");
    read_fields(fields_of(host.spec), table, Completeness::with_source, host.provenance);
    for (const FieldRef& field : fields_of(host.spec)) {
        if (!host.provenance.contains(field.path)) {
            throw UserError{"{}:1: {} is missing", host.path.string(), field.path};
        }
    }
    return host;
}

std::string describe_node(const NodeFile& node) {
    const NodeSpec& spec = node.spec;
    return fmt::format("{}: {}\n{} servers of {} devices, chip {}, host {}, read from {}\n\n{}",
                       spec.name,
                       spec.title,
                       spec.devices.servers,
                       spec.devices.per_server,
                       spec.chip,
                       spec.host,
                       node.path.string(),
                       describe_fields(spec, node.provenance));
}

std::string describe_host(const HostFile& host) {
    return fmt::format("{}: {}\nread from {}\n\n{}",
                       host.spec.name,
                       host.spec.title,
                       host.path.string(),
                       describe_fields(host.spec, host.provenance));
}

}  // namespace ascendsim::node
