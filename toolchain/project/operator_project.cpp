// SPDX-License-Identifier: Apache-2.0
#include "toolchain/project/operator_project.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>

#include <fmt/format.h>

#include "toolchain/installation/cache_files.hpp"
#include "toolchain/rewrite/program_text.hpp"
#include "toolchain/scan/operator_types.hpp"
#include "toolchain/scan/source_closure.hpp"
#include "toolchain/scan/source_text.hpp"
#include "toolchain/scan/tiling_scan.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

/// FNV-1a.
std::string digest(std::string_view text) {
    std::uint64_t value = 0xCBF29CE484222325U;
    for (const char letter : text) {
        value = (value ^ static_cast<unsigned char>(letter)) * 0x100000001B3U;
    }
    return fmt::format("{:016x}", value);
}

fs::path write_once(const fs::path& file, const std::string& text) {
    write_whole(file, text);
    return file;
}

/// The description of a file system that shows the changed copies under the names of the originals.
std::string overlay(const SourceClosure& closure, const fs::path& folder, bool with_launches) {
    std::string roots;
    for (const auto& [file, text] : closure.texts()) {
        std::string plain = without_attribute(text);
        if (!with_launches && text.find("<<<") != std::string::npos) {
            plain = without_launches(without_comments(plain));
        }
        const std::string code = without_comments(plain);
        if (std::string aggregates = restore_aggregates(code); aggregates != code) {
            plain = std::move(aggregates);
        }
        if (plain != text) {
            const fs::path copy = write_once(folder / "copies" / digest(file.string()), plain);
            roots += fmt::format("{}{{\"name\": \"{}\", \"type\": \"file\", \"external-contents\": \"{}\"}}",
                                 roots.empty() ? "" : ", ",
                                 file.string(),
                                 copy.string());
        }
    }
    return roots.empty() ? roots
                         : "{\"version\": 0, \"use-external-names\": false, \"roots\": [" + roots + "]}\n";
}

/// Macros of the C library that a kernel's constants have the names of.
std::string freed_names(const SourceClosure& closure) {
    static constexpr std::array<std::string_view, 8> names{
        "INT_MAX", "INT_MIN", "UINT_MAX", "LONG_MAX", "LONG_MIN", "SHRT_MAX", "CHAR_BIT", "INFINITY"};
    std::set<std::string_view> found;
    for (const auto& [file, text] : closure.texts()) {
        each_word(text, [&, &text = text](std::string_view word, std::size_t behind) {
            const auto name = std::ranges::find(names, word);
            if (name != names.end() && is_given_a_value(text, behind)) {
                found.insert(*name);
            }
        });
    }
    std::string result;
    for (const std::string_view name : found) {
        result += fmt::format("#undef {}\n", name);
    }
    return result;
}

}  // namespace

std::vector<fs::path> provided_folders(const Installation& installation) {
    return {installation.root, installation.kernel_headers(), installation.host_headers()};
}

std::vector<std::string> project_flags(const fs::path& source,
                                       const Installation& installation,
                                       const fs::path& folder,
                                       const ProjectPlace& place) {
    const fs::path own = folder / (source.stem().string() + "." + digest(fs::absolute(source).string()));
    std::vector<fs::path> provided = provided_folders(installation);
    provided.insert(provided.end(), place.provided.begin(), place.provided.end());
    SourceClosure closure{source, std::move(provided), own / "include"};
    const fs::path& kernel = place.kernel.empty() ? source : place.kernel;
    std::string header = type_macros(kernel, closure);
    header += place.with_tiling ? tiling_definitions(kernel, closure) : std::string{};
    header += freed_names(closure);
    std::vector<std::string> flags;
    for (const fs::path& include : closure.folders()) {
        flags.push_back("-I" + include.string());
    }
    const bool asks_for_compiler = std::ranges::any_of(
        closure.texts(), [](const auto& file) { return file.second.find("__CCE__") != std::string::npos; });
    if (asks_for_compiler) {
        flags.emplace_back("-D__CCE__=1");  // its own attribute syntax is blanked out in the overlay
    }
    const bool older = std::ranges::any_of(closure.texts(), [](const auto& file) {
        return file.second.find("using namespace tik2") != std::string::npos ||
               file.second.find("tik2::") != std::string::npos;
    });
    if (older) {
        flags.emplace_back("-Dtik2=AscendC");  // the interface's name before its first release
    }
    const fs::path runtime = installation.host_headers();
    const bool host_beside = std::ranges::any_of(closure.texts(), [&runtime](const auto& file) {
        const std::vector<std::string> names = included_names(file.second);
        return std::ranges::any_of(
            names, [&](const std::string& name) { return fs::is_regular_file(runtime / name); });
    });
    if (host_beside && !place.with_launches) {
        flags.push_back("-I" + runtime.string());  // host functions beside a kernel name types of the ACL
    }
    if (!header.empty()) {
        header =
            "#pragma once\n#include \"kernel_operator.h\"\n#include \"kernel_tiling/kernel_tiling.h\"\n" +
            header;
        flags.insert(flags.end(), {"-include", write_once(own / "operator.h", header).string()});
    }
    if (const std::string description = overlay(closure, own, place.with_launches); !description.empty()) {
        flags.insert(flags.end(), {"-ivfsoverlay", write_once(own / "overlay.yaml", description).string()});
    }
    return flags;
}

std::string first_tiling_key(std::string_view source) {
    const Call call = find_call(without_comments(source), "TILING_KEY_IS");
    return call.arguments.size() == 1 ? call.arguments[0] : std::string{};
}

}  // namespace ascendsim::toolchain
