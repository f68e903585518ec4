// SPDX-License-Identifier: Apache-2.0
#include "sim/process/file_text.hpp"

#include <fstream>
#include <optional>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/missing_file.hpp"

namespace ascendsim::process {
namespace {

/// Nothing where the file cannot be read; a folder opens, but cannot.
std::optional<std::string> content_of(const std::filesystem::path& file) {
    std::ifstream stream{file, std::ios::binary};
    if (!stream.is_open()) {
        return std::nullopt;
    }
    constexpr std::size_t first_piece = 16UL << 10U;
    std::string content;
    for (std::size_t piece = first_piece; stream; piece = content.size()) {  // pipes and /proc tell no size
        const std::size_t before = content.size();
        content.resize(before + piece);
        stream.read(content.data() + before, static_cast<std::streamsize>(piece));
        content.resize(before + static_cast<std::size_t>(stream.gcount()));
    }
    return stream.bad() ? std::nullopt : std::optional{std::move(content)};
}

}  // namespace

std::string text_of(const std::filesystem::path& file) {
    return content_of(file).value_or(std::string{});
}

std::string read_text(const std::filesystem::path& file) {
    std::optional<std::string> content = content_of(file);
    if (!content) {
        throw UserError{"{}: {}", file.string(), why_unreadable(file)};
    }
    return *std::move(content);
}

}  // namespace ascendsim::process
