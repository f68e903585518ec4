// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ascendsim::gui {

/// What a view can be saved as; `copy` is its table in the clipboard.
enum class ExportKind : std::uint8_t { png, svg, csv, copy };

/// ".png", ".svg", ".csv", ".copy".
[[nodiscard]] std::string_view suffix(ExportKind kind);

/// A view to be saved; `panel` is its name, or empty for the whole window.
struct ExportWish {
    std::string panel;
    ExportKind kind = ExportKind::png;

    friend bool operator==(const ExportWish&, const ExportWish&) = default;
};

/// Views that are to be saved once they are on the screen and menus are off it again.
class Exports {
public:
    explicit Exports(std::filesystem::path folder) : folder_{std::move(folder)} {}

    void add(ExportWish wish);

    /// True in the frames before a picture is taken: messages keep off the screen then.
    [[nodiscard]] bool pending() const { return !waiting_.empty(); }

    /// Call once after every frame; what is due now.
    [[nodiscard]] std::vector<ExportWish> take_due();
    /// A file name in the folder that is not taken: "ascendsim_timeline.png", "ascendsim_timeline_2.png".
    [[nodiscard]] std::filesystem::path file_for(const ExportWish& wish) const;

    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

private:
    struct Waiting {
        ExportWish wish;
        int frames = 0;
    };

    std::filesystem::path folder_;
    std::vector<Waiting> waiting_;
};

}  // namespace ascendsim::gui
