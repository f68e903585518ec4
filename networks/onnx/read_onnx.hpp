// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "networks/graph/graph.hpp"

namespace ascendsim::networks {

/// Which constants are read with their elements.
enum class Weights : std::uint8_t {
    small,  // those that may steer operators
    all     // also large ones, and those kept in other files
};

/// Reads a network from an ONNX file, or from ONNX's text form if its name ends in .onnxtxt; libonnx parses
/// and checks it, first in a process of its own, which a hostile file may crash. Networks of opsets before 7
/// are converted by libonnx. Nodes are sorted. Throws UserError with what is wrong.
[[nodiscard]] Graph read_onnx(const std::filesystem::path& file, Weights weights = Weights::small);

/// A tensor with its name, as ONNX's test data hold it (`.pb`). Throws UserError if the file holds no tensor
/// of numbers.
[[nodiscard]] std::pair<std::string, Tensor> read_tensor(const std::filesystem::path& file);

}  // namespace ascendsim::networks
