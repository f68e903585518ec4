// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "gui/render/image.hpp"

namespace ascendsim::gui {

/// Writes a picture as 8-bit RGBA PNG. Throws UserError naming the file if that fails.
void write_png(const std::filesystem::path& path, const Image& image);

/// Reads a PNG of any kind as 8-bit RGBA. Throws UserError naming the file if that fails.
[[nodiscard]] Image read_png(const std::filesystem::path& path);

}  // namespace ascendsim::gui
