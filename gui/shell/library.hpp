// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ascendsim::gui {

/// Something the welcome page offers to open.
struct LibraryEntry {
    std::string name;     ///< short, unique in its list; scripts know it
    std::string path;     ///< what is opened
    std::string title;    ///< one line
    std::string summary;  ///< one dim line below; may be empty
};

/// What there is to open. Reading happens in refresh(), never while drawing.
class Library {
public:
    Library() = default;
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    virtual ~Library() = default;

    virtual void refresh() = 0;
    [[nodiscard]] virtual const std::vector<LibraryEntry>& recent_runs() const = 0;
    [[nodiscard]] virtual const std::vector<LibraryEntry>& scenarios() const = 0;
    [[nodiscard]] virtual const std::vector<LibraryEntry>& lessons() const = 0;
};

/// A library of folders: scenarios are FOLDER/*.toml, lessons FOLDER/lessons/*.toml, runs RUNS/*.rec, newest
/// first. Titles and summaries come from the files' `title` (or `name`) and `summary` (or `description`).
class FolderLibrary final : public Library {
public:
    FolderLibrary(std::filesystem::path scenarios, std::filesystem::path runs);

    void refresh() override;

    [[nodiscard]] const std::vector<LibraryEntry>& recent_runs() const override { return runs_; }

    [[nodiscard]] const std::vector<LibraryEntry>& scenarios() const override { return scenarios_; }

    [[nodiscard]] const std::vector<LibraryEntry>& lessons() const override { return lessons_; }

private:
    std::filesystem::path scenario_folder_;
    std::filesystem::path run_folder_;
    std::vector<LibraryEntry> runs_;
    std::vector<LibraryEntry> scenarios_;
    std::vector<LibraryEntry> lessons_;
};

}  // namespace ascendsim::gui
