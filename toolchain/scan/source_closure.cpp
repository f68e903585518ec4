// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scan/source_closure.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "sim/process/file_kind.hpp"
#include "toolchain/installation/cache_files.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

bool is_source(const fs::path& file) {
    static constexpr std::array<std::string_view, 6> kinds{".h", ".hpp", ".cpp", ".cce", ".inc", ".asc"};
    return std::ranges::find(kinds, file.extension().string()) != kinds.end();
}

/// Folders of an operator's host side, whose headers may have the names of the kernel's.
bool is_host_side(const fs::path& file) {
    static constexpr std::array<std::string_view, 3> names{"/op_api/", "/op_host/", "/op_graph/"};
    return std::ranges::any_of(
        names, [&](std::string_view name) { return file.string().find(name) != std::string::npos; });
}

std::size_t shared_steps(const fs::path& a, const fs::path& b) {
    const auto [left, right] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    return static_cast<std::size_t>(std::distance(a.begin(), left));
}

/// The name without its leading ../ steps, whose number goes to `steps`.
std::string_view below(std::string_view name, std::size_t& steps) {
    for (steps = 0; name.starts_with("../"); ++steps) {
        name.remove_prefix(3);
    }
    return name;
}

bool ends_with(const fs::path& file, const std::string& tail) {
    return file.string().ends_with("/" + tail);
}

/// Headers that libraries share lie below a folder of their own, common/inc/op_host/….
bool is_shared(const fs::path& file, const std::string& tail) {
    return tail.starts_with("op_host/") &&
           (ends_with(file, "inc/" + tail) || ends_with(file, "include/" + tail));
}

/// An operator's folder; those of what operators share may have the same parts.
bool is_operator(const fs::path& folder) {
    std::error_code error;
    return folder.filename() != "common" &&
           (fs::is_directory(folder / "op_host", error) || fs::is_directory(folder / "op_kernel", error));
}

/// Lies, as a whole, in the folder of an operator that none of `places` belongs to. No build has such folders
/// among its include folders, but those that operators share and an operator's own.
bool is_of_another_operator(const fs::path& file,
                            const std::string& tail,
                            const std::array<const fs::path*, 2>& places) {
    const std::size_t before = file.string().size() - tail.size();
    for (fs::path folder = file.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
        const std::string its = folder.string() + "/";
        if (its.size() <= before && is_operator(folder)) {
            return std::ranges::none_of(
                places, [&](const fs::path* place) { return place->string().starts_with(its); });
        }
    }
    return false;
}

/// <operator>/<file> of an operator project, where its build would have put <operator>/op_kernel/<file>.
std::string in_project(std::string_view name) {
    const std::size_t slash = name.find('/');
    return slash == std::string_view::npos
               ? std::string{}
               : std::string{name.substr(0, slash)} + "/op_kernel" + std::string{name.substr(slash)};
}

/// Headers of parts of the API; here one header has them all.
bool is_of_the_api(std::string_view name) {
    static constexpr std::array<std::string_view, 4> folders{"adv_api/", "basic_api/", "lib/", "impl/"};
    return std::ranges::any_of(folders, [&](std::string_view folder) { return name.starts_with(folder); });
}

}  // namespace

bool is_aside(const fs::path& folder) {
    static constexpr std::array<std::string_view, 6> names{"tests", "test", "ut", "stub", "stubs", "build"};
    const std::string name = folder.filename().string();
    return name.starts_with('.') || std::ranges::find(names, name) != names.end();
}

fs::path project_root(const fs::path& source) {
    fs::path folder = source.parent_path();
    for (; folder.has_relative_path(); folder = folder.parent_path()) {
        if (fs::exists(folder / ".git") || fs::exists(folder / "LICENSE")) {
            return folder;
        }
    }
    // Neither, as in an archive that was unpacked: an operator's host side lies beside its op_kernel.
    for (folder = source.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
        if (folder.filename() == "op_kernel") {
            return folder.parent_path();
        }
    }
    return source.parent_path();
}

SourceClosure::SourceClosure(const fs::path& source, std::vector<fs::path> provided, fs::path forwards)
    : SourceClosure{{source}, std::move(provided), std::move(forwards), Side::kernel} {}

SourceClosure::SourceClosure(const std::vector<fs::path>& sources,
                             std::vector<fs::path> provided,
                             fs::path forwards,
                             Side side)
    : source_{fs::absolute(sources.front()).lexically_normal()},
      provided_{std::move(provided)},
      forwards_{std::move(forwards)},
      root_{project_root(source_)},
      side_{side} {
    for (const fs::path& source : sources) {
        add(source);
    }
}

void SourceClosure::add(const fs::path& source) {
    open_.push_back(fs::absolute(source).lexically_normal());
    while (!open_.empty()) {
        const fs::path file = open_.back();
        open_.pop_back();
        const auto [place, fresh] = texts_.try_emplace(file);
        if (!fresh) {
            continue;
        }
        place->second = process::text_of(file);
        for (const std::string& name : included_names(without_dead_code(without_comments(place->second)))) {
            follow(file, name);
        }
    }
}

void SourceClosure::follow(const fs::path& file, const std::string& name) {
    const fs::path beside = (file.parent_path() / name).lexically_normal();
    if (process::leads_to_file(beside)) {
        open_.push_back(beside);
        return;
    }
    if (is_provided(name) || !is_source(name)) {
        return;
    }
    for (const fs::path& folder : folders_) {
        if (const fs::path found = (folder / name).lexically_normal(); process::leads_to_file(found)) {
            open_.push_back(found);
            return;
        }
    }
    std::size_t steps = 0;
    const std::string tail{below(name, steps)};
    fs::path found = nearest(tail, file);
    if (found.empty()) {
        found = nearest(in_project(tail), file);
        steps = std::max<std::size_t>(steps, 1);
    }
    if (found.empty()) {
        if (is_of_the_api(name)) {
            forward(name, "kernel_operator.h");
        }
        return;
    }
    if (steps == 0) {
        const std::string whole = found.string();
        add_folder(whole.substr(0, whole.size() - tail.size() - 1));
    } else {
        forward(name, found);
    }
    open_.push_back(found);
}

bool SourceClosure::is_provided(const std::string& name) const {
    return std::ranges::any_of(provided_,
                               [&](const fs::path& folder) { return process::leads_to_file(folder / name); });
}

void SourceClosure::add_folder(fs::path folder) {
    if (std::ranges::find(folders_, folder) == folders_.end()) {
        folders_.push_back(std::move(folder));
    }
}

void SourceClosure::forward(const std::string& name, const fs::path& file) {
    const fs::path folder = forwards_ / "1" / "2" / "3" / "4";  // room for four steps up
    const fs::path place = (folder / name).lexically_normal();
    const std::string text = include_line(file.string());
    make_cache_folder(folder);  // the way to `place` may lead up from it
    write_whole(place, text);
    add_folder(folder);
}

fs::path SourceClosure::nearest(std::string_view name, const fs::path& near) {
    if (name.empty()) {
        return {};
    }
    read_index();
    const std::string tail{name};
    const auto [first, last] = index_.equal_range(fs::path{tail}.filename().string());
    fs::path best;
    std::tuple<bool, bool, std::size_t, bool, bool, std::ptrdiff_t> rank{};
    for (auto candidate = first; candidate != last; ++candidate) {
        const fs::path& file = candidate->second;
        if (!ends_with(file, tail)) {
            continue;
        }
        // arch35 holds the variants for another generation of chips.
        const std::tuple<bool, bool, std::size_t, bool, bool, std::ptrdiff_t> its{
            is_shared(file, tail),
            !is_of_another_operator(file, tail, {&near, &source_}),
            shared_steps(file, near) + shared_steps(file, source_),
            file.string().find("/arch35/") == std::string::npos,
            is_host_side(file) == (side_ == Side::host),
            -static_cast<std::ptrdiff_t>(file.string().size())};
        if (best.empty() || its > rank) {
            best = file;
            rank = its;
        }
    }
    return best;
}

std::vector<fs::path> SourceClosure::headers_named(std::string_view part) {
    read_index();
    std::vector<fs::path> headers;
    for (const auto& [name, file] : index_) {
        if (name.find(part) != std::string::npos && name.ends_with(".h")) {
            headers.push_back(file);
        }
    }
    std::ranges::sort(headers);
    return headers;
}

void SourceClosure::read_index() {
    if (indexed_) {
        return;
    }
    indexed_ = true;
    std::error_code error;
    // In the toolkit's own repository its headers, which ours stand for, are not part of the examples.
    const bool toolkit = fs::is_directory(root_ / "impl" / "basic_api");
    fs::recursive_directory_iterator walk{root_, fs::directory_options::skip_permission_denied, error};
    for (; !error && walk != fs::recursive_directory_iterator{}; walk.increment(error)) {
        if (walk->is_directory(error)) {
            const bool own = toolkit && walk.depth() == 0 && walk->path().filename() != "examples";
            if (own || is_aside(walk->path())) {
                walk.disable_recursion_pending();
            }
        } else if (is_source(walk->path())) {
            index_.emplace(walk->path().filename().string(), walk->path());
        }
    }
}

}  // namespace ascendsim::toolchain
