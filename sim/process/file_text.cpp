// SPDX-License-Identifier: Apache-2.0
#include "sim/process/file_text.hpp"

#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "sim/base/error.hpp"

namespace ascendsim::process {
namespace {

std::optional<std::string> content_of(const std::filesystem::path& file) {
    std::ifstream stream{file, std::ios::binary};
    std::ostringstream content;
    // Nothing to copy counts as a failure to copy, and a folder opens but cannot be read.
    if (stream && stream.peek() != std::ifstream::traits_type::eof()) {
        content << stream.rdbuf();
    }
    if (!stream.is_open() || stream.bad() || content.bad()) {
        return std::nullopt;
    }
    return std::move(content).str();
}

}  // namespace

std::string text_of(const std::filesystem::path& file) {
    return content_of(file).value_or(std::string{});
}

std::string read_text(const std::filesystem::path& file) {
    std::optional<std::string> content = content_of(file);
    if (!content) {
        throw UserError{"{}: cannot be read", file.string()};
    }
    return *std::move(content);
}

}  // namespace ascendsim::process
