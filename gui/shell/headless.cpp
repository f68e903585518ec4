// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/headless.hpp"

#include <fstream>

#include "gui/render/png.hpp"
#include "gui/render/rasteriser.hpp"
#include "gui/shell/replay.hpp"
#include "gui/shell/svg_canvas.hpp"
#include "gui/shell/text_canvas.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::gui {

std::string text_of(Shell& shell) {
    TextCanvas canvas{shell.fonts()};
    replay(shell.draw_data(), canvas);
    return canvas.lines();
}

std::string svg_of(Shell& shell, int width, int height) {
    shell.draw_sharp(true);
    shell.frame(width, height, fixed_frame);
    shell.draw_sharp(false);
    SvgCanvas canvas{width, height, shell.theme().window, shell.fonts()};
    replay(shell.draw_data(), canvas);
    return canvas.document();
}

Image picture_of(const Shell& shell, int width, int height) {
    Image image{width, height, shell.theme().window};
    const ImDrawData& data = shell.draw_data();
    Rasteriser{shell.fonts().texture()}.draw(data, image);
    return image;
}

void write_text(const std::filesystem::path& path, std::string_view text) {
    std::ofstream file{path, std::ios::binary};
    file << text;
    file.close();
    if (!file) {
        throw UserError{"{}: cannot be written", path.string()};
    }
}

ShellHost::ShellHost(ShellParts parts, int width, int height)
    : shell_{std::move(parts)}, width_{width}, height_{height} {}

Image ShellHost::picture() const {
    return picture_of(shell_, width_, height_);
}

std::string ShellHost::svg() {
    return svg_of(shell_, width_, height_);
}

std::optional<Rect> ShellHost::anchor(std::string_view name) const {
    return shell_.anchors().find(name);
}

std::vector<std::string> ShellHost::anchor_names() const {
    std::vector<std::string> names;
    for (const auto& [name, box] : shell_.anchors().all()) {
        names.push_back(name);
    }
    return names;
}

std::string ShellHost::screen_text() {
    return text_of(shell_);
}

void ShellHost::resize(int width, int height) {
    width_ = width;
    height_ = height;
}

void ShellHost::save_picture(const std::filesystem::path& path) {
    write_png(path, picture());
}

void ShellHost::save_svg(const std::filesystem::path& path) {
    write_text(path, svg());
}

void Headless::frame() {
    shell().frame(width(), height(), fixed_frame);
}

void Headless::settle() {
    constexpr int frames = 4;
    for (int n = 0; n < frames; ++n) {
        frame();
    }
}

void Headless::play(ScriptDriver& script) {
    shell().anchors().enable(true);
    settle();
    while (script.advance(*this)) {
        frame();
    }
}

}  // namespace ascendsim::gui
