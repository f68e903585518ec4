// SPDX-License-Identifier: Apache-2.0
#include "gui/render/png.hpp"

#include <string>
#include <string_view>

#include <png.h>

#include "sim/base/error.hpp"
#include "sim/process/whole_file.hpp"

namespace ascendsim::gui {
namespace {

/// Owns a png_image, whose read state must be freed on every way out.
class PngFile {
public:
    PngFile() { header.version = PNG_IMAGE_VERSION; }

    ~PngFile() { png_image_free(&header); }

    PngFile(const PngFile&) = delete;
    PngFile& operator=(const PngFile&) = delete;

    [[nodiscard]] const char* message() const { return static_cast<const char*>(header.message); }

    png_image header{};
};

}  // namespace

void write_png(const std::filesystem::path& path, const Image& image) {
    PngFile file;
    file.header.width = static_cast<png_uint_32>(image.width);
    file.header.height = static_cast<png_uint_32>(image.height);
    file.header.format = PNG_FORMAT_RGBA;
    std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(file.header), '\0');
    png_alloc_size_t size = bytes.size();
    if (png_image_write_to_memory(&file.header, bytes.data(), &size, 0, image.pixels.data(), 0, nullptr) ==
        0) {
        throw UserError{"{}: cannot write picture: {}", path.string(), file.message()};
    }
    process::write_whole(path, std::string_view{bytes}.substr(0, size));
}

Image read_png(const std::filesystem::path& path) {
    PngFile file;
    if (png_image_begin_read_from_file(&file.header, path.c_str()) == 0) {
        throw UserError{"{}: cannot read picture: {}", path.string(), file.message()};
    }
    file.header.format = PNG_FORMAT_RGBA;
    constexpr png_uint_32 largest_side = 32768;
    if (file.header.width > largest_side || file.header.height > largest_side) {
        throw UserError{"{}: {} x {} pixels, at most {} on a side are read",
                        path.string(),
                        file.header.width,
                        file.header.height,
                        largest_side};
    }
    Image image{static_cast<int>(file.header.width), static_cast<int>(file.header.height)};
    if (png_image_finish_read(&file.header, nullptr, image.pixels.data(), 0, nullptr) == 0) {
        throw UserError{"{}: cannot read picture: {}", path.string(), file.message()};
    }
    return image;
}

}  // namespace ascendsim::gui
