// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/operator_build.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "sim/process/digest.hpp"
#include "toolchain/build/host_build.hpp"
#include "toolchain/installation/cache_files.hpp"
#include "toolchain/project/operator_project.hpp"
#include "toolchain/scan/source_closure.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

bool is_of_the_host(const fs::path& header) {
    const std::string path = header.string();
    return header.extension() == ".h" && path.find("/op_kernel") == std::string::npos &&
           path.find("/op_api/") == std::string::npos && path.find("/arch35/") == std::string::npos;
}

/// The operator's sources with those of the headers that they come to.
std::vector<fs::path> with_shared(std::vector<fs::path> sources, SourceClosure& closure) {
    std::set<fs::path> known{sources.begin(), sources.end()};
    for (bool more = true; more;) {
        std::vector<fs::path> found;
        for (const auto& [file, text] : closure.texts()) {
            const fs::path source = is_of_the_host(file) ? source_of_header(file) : fs::path{};
            if (!source.empty() && known.insert(source).second) {
                found.push_back(source);
            }
        }
        more = !found.empty();
        for (const fs::path& source : found) {
            closure.add(source);
            sources.push_back(source);
        }
    }
    return sources;
}

/// Constant members without an initialiser, `const std::map<…> none_;`, which clang rejects in a class with a
/// default constructor and the libraries' compiler takes, get an empty one.
std::string with_initialisers(const std::string& text) {
    std::string result;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        const std::size_t first = line.find_first_not_of(' ');
        const bool constant = first != std::string::npos && line.compare(first, 11, "const std::") == 0;
        if (constant && line.ends_with("_;") && line.find_first_of("=({") == std::string::npos) {
            line.insert(line.size() - 1, "{}");
        }
        result += line;
        result += end < text.size() ? "\n" : "";
        at = end + 1;
    }
    return result;
}

std::string quoted(const std::string& text) {
    return "\"" + text + "\"";
}

/// Files that clang does not take as they are, as copies under their names; empty if there are none.
fs::path overlay(const SourceClosure& closure, const fs::path& folder) {
    std::string roots;
    for (const auto& [file, text] : closure.texts()) {
        const std::string changed = with_initialisers(text);
        if (changed == text) {
            continue;
        }
        process::Digest digest;
        digest.add(file.string());
        const fs::path copy = folder / "copies" / digest.hex();
        write_whole(copy, changed);
        roots += fmt::format("{}{{\"name\": {}, \"type\": \"file\", \"external-contents\": {}}}",
                             roots.empty() ? "" : ", ",
                             quoted(file.string()),
                             quoted(copy.string()));
    }
    if (roots.empty()) {
        return {};
    }
    const fs::path description = folder / "overlay.yaml";
    write_whole(description, "{\"version\": 0, \"use-external-names\": false, \"roots\": [" + roots + "]}\n");
    return description;
}

std::vector<std::string> flags_of(const LibraryOperator& one,
                                  const SourceClosure& closure,
                                  const fs::path& folder,
                                  const Toolchain& with) {
    std::vector<std::string> flags = host_flags(with.installation);
    for (const fs::path& include : closure.folders()) {
        flags.push_back("-I" + include.string());
    }
    flags.push_back("-I" + (one.folder / "op_host").string());
    if (const fs::path description = overlay(closure, folder); !description.empty()) {
        flags.insert(flags.end(), {"-ivfsoverlay", description.string()});
    }
    return flags;
}

}  // namespace

fs::path build_operator(const LibraryOperator& one, const std::string& chip, const Toolchain& with) {
    std::vector<fs::path> sources = host_sources(one, chip);
    const fs::path folder = cache_folder_of("projects/operators", one.definition);
    SourceClosure closure{
        sources, host_folders(with.installation), folder / "include", SourceClosure::Side::host};
    sources = with_shared(std::move(sources), closure);
    std::vector<std::string> flags = flags_of(one, closure, folder, with);
    return build_host({.sources = std::move(sources),
                       .required = one.definition,
                       .flags = std::move(flags),
                       .more_flags = {},
                       .forced_headers = {"register/op_def_registry.h", "log/log.h"}},
                      with);
}

}  // namespace ascendsim::toolchain
