// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "networks/graph/graph.hpp"

namespace ascendsim::networks {

/// Reads a network from an ONNX file, or from ONNX's text form if its name ends in .onnxtxt; libonnx parses
/// and checks it, first in a process of its own, which a hostile file may crash. Nodes are sorted. Elements
/// of large constants, and those kept in other files, are left out. Throws UserError with what is wrong.
[[nodiscard]] Graph read_onnx(const std::filesystem::path& file);

}  // namespace ascendsim::networks
