// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fuzz {

/// Readers of what describes machines of many devices and what they serve and train; as readers of
/// inputs.hpp. `folder` is one of this process.
void read_node(const std::string& bytes, const std::filesystem::path& folder);
void read_host(const std::string& bytes, const std::filesystem::path& folder);
/// A model's config.json.
void read_model(const std::string& bytes, const std::filesystem::path& folder);
/// A trace of requests, of a serving file.
void read_requests(const std::string& bytes, const std::filesystem::path& folder);
void read_serving_file(const std::string& bytes, const std::filesystem::path& folder);
#ifdef ASCENDSIM_FUZZ_TRAINING  // where libonnx is
void read_training_file(const std::string& bytes, const std::filesystem::path& folder);
#endif

/// Small traces of requests.
[[nodiscard]] std::vector<std::string> request_seeds();

}  // namespace fuzz
