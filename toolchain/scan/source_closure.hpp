// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ascendsim::toolchain {

/// The folder that a source's project starts at: the nearest above it with a .git or a LICENSE, else the one
/// that holds the op_kernel it lies in, else its own.
[[nodiscard]] std::filesystem::path project_root(const std::filesystem::path& source);

/// True of hidden folders, and of those of tests and builds, which hold stand-ins of the real files.
[[nodiscard]] bool is_aside(const std::filesystem::path& folder);

/// A source and the files of its project that it includes, found by name where no include folder is given:
/// the nearest file of that name wins. Operator projects keep a kernel in <operator>/op_kernel and include
/// another operator's file as ../<other>/<file>, a layout that their build makes; a forwarding file stands
/// for each.
class SourceClosure {
public:
    /// Whose files are preferred where several have a name.
    enum class Side { kernel, host };

    /// Includes that `provided` folders hold are not followed. Forwarding files go below `forwards`.
    SourceClosure(const std::filesystem::path& source,
                  std::vector<std::filesystem::path> provided,
                  std::filesystem::path forwards);

    /// The same of several sources of one project, read one after the other.
    SourceClosure(const std::vector<std::filesystem::path>& sources,
                  std::vector<std::filesystem::path> provided,
                  std::filesystem::path forwards,
                  Side side);

    /// Reads a further source of the project.
    void add(const std::filesystem::path& source);

    /// Every file by path, the source among them.
    [[nodiscard]] const std::map<std::filesystem::path, std::string>& texts() const { return texts_; }

    /// Folders to search, for the compiler.
    [[nodiscard]] const std::vector<std::filesystem::path>& folders() const { return folders_; }

    /// The folder that the source's project starts at.
    [[nodiscard]] const std::filesystem::path& root() const { return root_; }

    /// The file of the project nearest to `near` whose path ends with `name`; empty if there is none.
    [[nodiscard]] std::filesystem::path nearest(std::string_view name, const std::filesystem::path& near);

    /// The headers of the project whose name holds `part`, in a fixed order.
    [[nodiscard]] std::vector<std::filesystem::path> headers_named(std::string_view part);

private:
    void follow(const std::filesystem::path& file, const std::string& name);
    bool is_provided(const std::string& name) const;
    void add_folder(std::filesystem::path folder);
    void forward(const std::string& name, const std::filesystem::path& file);
    void read_index();

    std::filesystem::path source_;
    std::vector<std::filesystem::path> provided_;
    std::filesystem::path forwards_;
    std::filesystem::path root_;
    std::map<std::filesystem::path, std::string> texts_;
    std::vector<std::filesystem::path> folders_;
    std::vector<std::filesystem::path> open_;
    std::multimap<std::string, std::filesystem::path> index_;  // of the project, by file name
    bool indexed_ = false;
    Side side_ = Side::kernel;
};

}  // namespace ascendsim::toolchain
