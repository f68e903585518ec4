// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "models/node/node_spec.hpp"
#include "sim/config/fields.hpp"

namespace ascendsim::node {

/// A machine as its file gives it, and where each value comes from.
struct NodeFile {
    NodeSpec spec;
    ProvenanceTable provenance;  // by path, of the values given
    std::filesystem::path path;
};

/// The same of a host.
struct HostFile {
    HostSpec spec;
    ProvenanceTable provenance;
    std::filesystem::path path;
};

/// Reads models/nodes/<name>.toml of `folder`, or a file by its path. Throws UserError with the nearest name,
/// or with file, line and key of what is wrong.
[[nodiscard]] NodeFile open_node(std::string_view name_or_path, const std::filesystem::path& folder);

/// The same of models/hosts/<name>.toml, which gives every value.
[[nodiscard]] HostFile open_host(std::string_view name_or_path, const std::filesystem::path& folder);

/// Names of the files of a folder, sorted.
[[nodiscard]] std::vector<std::string> list_machines(const std::filesystem::path& folder);

/// A table for people: path, value, unit, tag, source and meaning of every value given.
[[nodiscard]] std::string describe_node(const NodeFile& node);
[[nodiscard]] std::string describe_host(const HostFile& host);

}  // namespace ascendsim::node
