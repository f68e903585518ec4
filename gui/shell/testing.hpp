// SPDX-License-Identifier: Apache-2.0
// What tests of the dashboard share: a fixed library, a document of a given length, golden pictures.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "gui/render/image.hpp"
#include "gui/render/png.hpp"
#include "gui/shell/headless.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::gui {

/// A folder for what a test saves; it goes when this does.
class TemporaryFolder {
public:
    TemporaryFolder() { std::filesystem::create_directories(path_); }

    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_ = std::filesystem::path{testing::TempDir()} /
                                  fmt::format("views.{}.{}", getpid(), static_cast<const void*>(this));
};

class FixedLibrary final : public Library {
public:
    void refresh() override {}

    [[nodiscard]] const std::vector<LibraryEntry>& recent_runs() const override { return runs; }

    [[nodiscard]] const std::vector<LibraryEntry>& scenarios() const override { return scenario_list; }

    [[nodiscard]] const std::vector<LibraryEntry>& lessons() const override { return lesson_list; }

    std::vector<LibraryEntry> runs{{"swiglu_a", "swiglu_a.rec", "swiglu_a", "recording, 1.50 MiB"}};
    std::vector<LibraryEntry> scenario_list{{"matmul",
                                             "scenarios/matmul.toml",
                                             "Matmul 4096 \u00d7 4096 \u00d7 4096, fp16",
                                             "Tiling for the cube"},
                                            {"attention",
                                             "scenarios/attention.toml",
                                             "\u6ce8\u610f\u529b FlashAttention",
                                             "\u7acb\u65b9\u5355\u5143\u4e0e\u5411\u91cf\u5355\u5143"}};
    std::vector<LibraryEntry> lesson_list{{"buffers",
                                           "scenarios/lessons/buffers.toml",
                                           "Two buffers are better than one",
                                           "Bubbles under 10 %"}};
};

class FixedDocument final : public Document {
public:
    FixedDocument(std::string title, double cycles) : title_{std::move(title)}, cycles_{cycles} {}

    [[nodiscard]] std::string title() const override { return title_; }

    [[nodiscard]] double cycles() const override { return cycles_; }

    [[nodiscard]] double clock_ghz() const override { return 1.8; }

private:
    std::string title_;
    double cycles_;
};

/// Opens anything as a run of 100,000 cycles, except names that hold "missing".
class FixedDocuments final : public DocumentSource {
public:
    void open(const std::string& path) override {
        if (path.find("missing") != std::string::npos) {
            throw UserError{"{}: no such file", path};
        }
        run = std::make_shared<FixedDocument>(path, 100'000);
    }

    void open_b(const std::string& /*path*/) override {}

    [[nodiscard]] std::shared_ptr<const Document> run_a() override { return run; }

    [[nodiscard]] std::shared_ptr<const Document> run_b() override { return nullptr; }

    [[nodiscard]] std::vector<std::string> opening() const override { return being_opened; }

    std::shared_ptr<const Document> run;
    std::vector<std::string> being_opened;
};

/// A shell with nothing behind it but fixed lists.
struct TestBench {
    explicit TestBench(std::vector<std::unique_ptr<Panel>> panels = {}, int width = 1280, int height = 720)
        : host{{.library = library,
                .documents = &documents,
                .panels = std::move(panels),
                .output = output.path()},
               width,
               height} {}

    /// Plays a script; what it writes goes to the folder of this bench.
    void play(std::string_view text) {
        ScriptDriver script{text, "test", output.path()};
        host.play(script);
    }

    FixedLibrary library;
    FixedDocuments documents;
    TemporaryFolder output;
    Headless host;
};

/// The picture with every corner of every shape moved by `by` pixels across and down.
inline Image nudged_picture(ShellHost& host, float by) {
    const ImDrawData& data = host.shell().draw_data();
    std::vector<ImVec2> places;
    for (int n = 0; n < data.CmdListsCount; ++n) {
        for (ImDrawVert& vertex : data.CmdLists[n]->VtxBuffer) {
            places.push_back(vertex.pos);
            vertex.pos = {vertex.pos.x + by, vertex.pos.y + by};
        }
    }
    Image image = host.picture();
    auto place = places.begin();
    for (int n = 0; n < data.CmdListsCount; ++n) {
        for (ImDrawVert& vertex : data.CmdLists[n]->VtxBuffer) {
            vertex.pos = *place++;
        }
    }
    return image;
}

/// No corner lies where the last bits of Dear ImGui's own arithmetic, which differ between processors, decide
/// a pixel. It moves the edges of its rounded frames by a normal whose length is off by at most 1.5 x 2^-12
/// (the error of `rsqrtss`: Intel 64 and IA-32 manual, volume 2B), over at most one pixel.
inline void expect_steady(ShellHost& host, const std::filesystem::path& golden) {
    constexpr float largest_error = 1.5F / 4096;
    const Image picture = host.picture();
    for (const float by : {-largest_error, largest_error}) {
        const ImageDifference difference = compare_images(picture, nudged_picture(host, by));
        EXPECT_TRUE(difference.none()) << golden << ": " << difference.pixels << " pixels hang on " << by
                                       << " pixel, within (" << difference.left << ", " << difference.top
                                       << ") to (" << difference.right << ", " << difference.bottom << ")";
    }
}

/// Compares with a golden picture, exactly. With ASCENDSIM_BLESS set, replaces the golden picture instead.
inline void expect_golden(ShellHost& host, const std::filesystem::path& golden) {
    expect_steady(host, golden);
    const Image actual = host.picture();
    if (std::getenv("ASCENDSIM_BLESS") != nullptr) {
        std::filesystem::create_directories(golden.parent_path());
        write_png(golden, actual);
        return;
    }
    const Image expected = read_png(golden);
    const ImageDifference difference = compare_images(expected, actual);
    if (difference.none()) {
        return;
    }
    const std::filesystem::path base = std::filesystem::path{testing::TempDir()} / golden.stem();
    write_png(base.string() + "_actual.png", actual);
    write_png(base.string() + "_difference.png", side_by_side(expected, actual));
    ADD_FAILURE() << golden << ": " << difference.pixels << " pixels differ, by up to "
                  << difference.largest_step << ", within (" << difference.left << ", " << difference.top
                  << ") to (" << difference.right << ", " << difference.bottom << "); see " << base.string()
                  << "_difference.png; the target bless-gui accepts";
}

}  // namespace ascendsim::gui
