// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/headless.hpp"

#include "gui/canvas/replay.hpp"
#include "gui/canvas/svg_canvas.hpp"
#include "gui/canvas/text_canvas.hpp"
#include "gui/render/png.hpp"
#include "gui/render/rasteriser.hpp"
#include "sim/base/error.hpp"
#include "sim/process/whole_file.hpp"

namespace ascendsim::gui {

std::string text_of(Shell& shell) {
    TextCanvas canvas{shell.fonts()};
    replay(shell.draw_data(), canvas);
    return canvas.lines();
}

std::string svg_of(Shell& shell, int width, int height) {
    return svg_of(shell, width, height, {0, 0, static_cast<float>(width), static_cast<float>(height)});
}

std::string svg_of(Shell& shell, int width, int height, Rect part) {
    shell.draw_sharp(true);
    shell.frame(width, height, fixed_frame);
    shell.draw_sharp(false);
    SvgCanvas canvas{
        static_cast<int>(part.width()), static_cast<int>(part.height()), shell.theme().window, shell.fonts()};
    replay(shell.draw_data(), canvas, part);
    return canvas.document();
}

Image picture_of(const Shell& shell, int width, int height) {
    Image image{width, height, shell.theme().window};
    const ImDrawData& data = shell.draw_data();
    Rasteriser{shell.fonts().texture()}.draw(data, image);
    return image;
}

void write_text(const std::filesystem::path& path, std::string_view text) {
    process::write_whole(path, text);
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

Rect ShellHost::part(const std::string& panel) const {
    const Rect screen{0, 0, static_cast<float>(width_), static_cast<float>(height_)};
    if (panel.empty()) {
        return screen;
    }
    const std::optional<Rect> box = shell_.panel_box(panel);
    if (!box) {
        throw UserError{"{}: no such view is on the screen", panel};
    }
    return whole_pixels(intersect(*box, screen));
}

void ShellHost::save_picture(const std::filesystem::path& path, const std::string& panel) {
    const Rect box = part(panel);
    write_png(path,
              cut_out(picture(),
                      static_cast<int>(box.left),
                      static_cast<int>(box.top),
                      static_cast<int>(box.right),
                      static_cast<int>(box.bottom)));
}

void ShellHost::save_svg(const std::filesystem::path& path, const std::string& panel) {
    write_text(path, svg_of(shell_, width_, height_, part(panel)));
}

std::string ShellHost::table(const std::string& panel) {
    const std::optional<std::string> table = shell_.table_of(panel);
    if (!table) {
        throw UserError{"{}: the table is still being added up", panel};
    }
    return *table;
}

void ShellHost::save_table(const std::filesystem::path& path, const std::string& panel) {
    write_text(path, table(panel));
}

void ShellHost::save(const ExportWish& wish) {
    const std::filesystem::path file = shell_.exports().file_for(wish);
    switch (wish.kind) {
        case ExportKind::png:
            save_picture(file, wish.panel);
            break;
        case ExportKind::svg:
            save_svg(file, wish.panel);
            break;
        case ExportKind::csv:
            save_table(file, wish.panel);
            break;
        case ExportKind::copy:
            ImGui::SetClipboardText(table(wish.panel).c_str());
            shell_.toast(ToastKind::success, "Copied: the table");
            return;
    }
    shell_.toast(ToastKind::success, "Saved: " + file.string());
}

void ShellHost::save_wishes() {
    for (const ExportWish& wish : shell_.exports().take_due()) {
        try {
            save(wish);
        } catch (const UserError& error) {
            shell_.toast(ToastKind::error, error.what());
        }
    }
}

void Headless::frame() {
    shell().frame(width(), height(), fixed_frame);
    save_wishes();
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
