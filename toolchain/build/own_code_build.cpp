// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/own_code_build.hpp"

#include <algorithm>
#include <cctype>
#include <memory>
#include <set>

#include "sim/process/digest.hpp"
#include "sim/process/file_text.hpp"
#include "toolchain/build/host_build.hpp"
#include "toolchain/installation/cache_files.hpp"
#include "toolchain/scan/source_closure.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view first_phase = "GetWorkspaceSize";
constexpr std::string_view package_folder = "level0/";

bool is_name_letter(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// Calls `with` for every file of a library that is neither of its tests nor of its experiments.
template <class With>
void for_each_file(const fs::path& library, With with) {
    std::error_code error;
    fs::recursive_directory_iterator walk{library, fs::directory_options::skip_permission_denied, error};
    for (; !error && walk != fs::recursive_directory_iterator{}; walk.increment(error)) {
        const std::string name = walk->path().filename().string();
        if (walk->is_directory(error)) {
            if (is_aside(walk->path()) || name == "experimental" || name == "arch35") {
                walk.disable_recursion_pending();
            }
        } else {
            with(walk->path(), name);
        }
    }
}

/// The names in front of GetWorkspaceSize(…) with a body behind it.
std::vector<std::string> functions_defined(const std::string& text) {
    std::vector<std::string> all;
    for (std::size_t at = text.find(first_phase); at != std::string::npos;
         at = text.find(first_phase, at + 1)) {
        std::size_t begin = at;
        while (begin > 0 && is_name_letter(text[begin - 1])) {
            --begin;
        }
        const std::string function = text.substr(begin, at - begin);
        std::size_t end = at + first_phase.size();
        if (!function.starts_with("aclnn") || end >= text.size() || text[end] != '(') {
            continue;
        }
        for (int open = 0; end < text.size(); ++end) {
            open += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
            if (open == 0) {
                break;
            }
        }
        const std::size_t next = text.find_first_not_of(" \t\r\n", std::min(end + 1, text.size()));
        if (next != std::string::npos && text[next] == '{') {
            all.push_back(function);
        }
    }
    return all;
}

/// Headers of generated functions that a source includes.
std::vector<std::string> inner_headers(const fs::path& source) {
    std::vector<std::string> all;
    for (const std::string& name : included_names(without_comments(process::text_of(source)))) {
        if (name.starts_with("aclnnInner") && !fs::exists(source.parent_path() / name)) {
            all.push_back(name);
        }
    }
    return all;
}

/// The sources of one call, over several libraries: each file is read as part of its own.
class Closures {
public:
    Closures(const std::vector<fs::path>& libraries, fs::path folder, const Toolchain& with)
        : libraries_{libraries}, folder_{std::move(folder)}, with_{with} {}

    void add(const fs::path& source) {
        if (!known_.insert(source).second) {
            return;
        }
        sources_.push_back(source);
        SourceClosure& its = closure_of(source);
        its.add(source);
        owners_[source] = &its;
        // What it includes may belong to further sources.
        for (bool more = true; more;) {
            more = false;
            std::vector<fs::path> files;
            for (const auto& [file, text] : its.texts()) {
                if (read_.insert(file).second) {
                    files.push_back(file);
                }
            }
            for (const fs::path& file : files) {
                more = true;
                follow_package(its.texts().at(file), source);
                add_source_of(file);
            }
        }
    }

    [[nodiscard]] HostSources sources(const fs::path& required) const {
        HostSources all{.sources = sources_,
                        .required = required,
                        .flags = host_flags(with_.installation),
                        .more_flags = {},
                        .forced_headers = {"aclnn_kernels/common/op_error_check.h",
                                           "opdev/make_op_executor.h",
                                           "opdev/platform.h"},
                        .link_flags = {"-Wl,-Bsymbolic"}};
        for (const fs::path& source : sources_) {
            std::vector<std::string>& flags = all.more_flags[source];
            flags.push_back("-I" + (folder_ / "package").string());
            const SourceClosure& its = *owners_.at(source);
            for (const fs::path& include : its.folders()) {
                flags.push_back("-I" + include.string());
            }
            // Declarations of what is missing, which libraries keep for their own tests.
            flags.push_back("-I" + (its.root() / "common" / "stub" / "op_api").string());
        }
        return all;
    }

private:
    static bool is_of_own_code(const fs::path& file) {
        return file.string().find("/op_api/") != std::string::npos;
    }

    /// The source beside a header, or of its name with another operator's own code: operators share headers.
    void add_source_of(const fs::path& header) {
        if (header.extension() != ".h") {
            return;
        }
        fs::path source = source_of_header(header);
        if (source.empty() && is_of_own_code(header)) {
            source = own_file(fs::path{header}.replace_extension(".cpp").filename().string(), header);
        }
        if (!source.empty()) {
            add(source);
        } else if (is_of_own_code(header)) {
            add_those_beside(header);
        }
    }

    /// Sources of another name in a header's folder that include it; those of aclnn functions only use it.
    void add_those_beside(const fs::path& header) {
        std::error_code error;
        std::vector<fs::path> found;
        for (const fs::directory_entry& one : fs::directory_iterator{header.parent_path(), error}) {
            const std::string name = one.path().filename().string();
            if (one.path().extension() != ".cpp" || name.starts_with("aclnn")) {
                continue;
            }
            const std::vector<std::string> names =
                included_names(without_comments(process::text_of(one.path())));
            if (std::ranges::find(names, header.filename().string()) != names.end()) {
                found.push_back(one.path());
            }
        }
        std::ranges::sort(found);
        for (const fs::path& source : found) {
            add(source);
        }
    }

    SourceClosure& closure_of(const fs::path& source) {
        std::unique_ptr<SourceClosure>& its = closures_[project_root(source)];
        if (its == nullptr) {
            its = std::make_unique<SourceClosure>(std::vector<fs::path>{source},
                                                  host_folders(with_.installation),
                                                  folder_ / "include",
                                                  SourceClosure::Side::host);
        }
        return *its;
    }

    /// level0/x.h of the vendor's package is the x.h of an operator in one of the libraries.
    void follow_package(const std::string& text, const fs::path& near) {
        for (const std::string& name : included_names(without_dead_code(without_comments(text)))) {
            if (!name.starts_with(package_folder) || !followed_.insert(name).second) {
                continue;
            }
            const fs::path header = own_file(name.substr(package_folder.size()), near);
            if (!header.empty()) {
                write_whole(folder_ / "package" / name, include_line(header.string()));
                closure_of(header).add(header);
                add_source_of(header);
            }
        }
    }

    /// The file of that name among own code, the nearest to `near`.
    fs::path own_file(const std::string& name, const fs::path& near) {
        if (files_.empty()) {
            for (const fs::path& library : libraries_) {
                for_each_file(library, [&](const fs::path& file, const std::string& its) {
                    if (is_of_own_code(file)) {
                        files_.emplace(its, file);
                    }
                });
            }
        }
        const auto [first, last] = files_.equal_range(name);
        fs::path found;
        std::ptrdiff_t shared = -1;
        for (auto one = first; one != last; ++one) {
            const auto [mine, other] =
                std::mismatch(near.begin(), near.end(), one->second.begin(), one->second.end());
            const std::ptrdiff_t steps = std::distance(near.begin(), mine);
            if (steps > shared || (steps == shared && one->second < found)) {
                found = one->second;
                shared = steps;
            }
        }
        return found;
    }

    const std::vector<fs::path>& libraries_;
    fs::path folder_;
    const Toolchain& with_;
    std::vector<fs::path> sources_;
    std::set<fs::path> known_;
    std::set<fs::path> read_;
    std::set<std::string> followed_;
    std::map<fs::path, std::unique_ptr<SourceClosure>> closures_;  // by the root of a library
    std::map<fs::path, const SourceClosure*> owners_;
    std::multimap<std::string, fs::path> files_;  // of own code, by name
};

}  // namespace

std::map<std::string, fs::path> own_sources(const fs::path& library) {
    std::map<std::string, fs::path> all;
    for_each_file(library, [&](const fs::path& file, const std::string& name) {
        if (!name.starts_with("aclnn") || file.extension() != ".cpp") {
            return;
        }
        for (const std::string& function : functions_defined(without_comments(process::text_of(file)))) {
            fs::path& place = all[function];
            // Walks come in any order.
            if (place.empty() || file < place) {
                place = file;
            }
        }
    });
    return all;
}

std::vector<std::string> inner_functions(const fs::path& source) {
    constexpr std::string_view prefix = "aclnnInner";
    const std::string text = without_comments(process::text_of(source));
    std::set<std::string> all;
    for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at + 1)) {
        std::size_t end = at;
        while (end < text.size() && is_name_letter(text[end])) {
            ++end;
        }
        std::string name = text.substr(at, end - at);
        if (name.ends_with(first_phase)) {
            name.resize(name.size() - first_phase.size());
            all.insert(name);
        }
    }
    return {all.begin(), all.end()};
}

fs::path build_own_code(const fs::path& source,
                        const std::vector<fs::path>& libraries,
                        const std::string& inner,
                        const Toolchain& with) {
    const fs::path whole = fs::absolute(source).lexically_normal();
    const fs::path folder = cache_folder_of("projects/own_code", whole);
    Closures closures{libraries, folder, with};
    closures.add(whole);
    HostSources all = closures.sources(whole);
    for (const std::string& name : inner_headers(whole)) {
        write_whole(folder / "package" / name, inner);
    }
    if (!inner.empty()) {
        const fs::path file = folder / "inner.cpp";
        write_whole(file, inner);
        all.sources.push_back(file);
    }
    return build_host(all, with);
}

}  // namespace ascendsim::toolchain
