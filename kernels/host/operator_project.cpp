// SPDX-License-Identifier: Apache-2.0
#include "kernels/host/operator_project.hpp"

#include <cstdint>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include "kernels/host/operator_types.hpp"
#include "kernels/host/source_closure.hpp"
#include "kernels/host/source_text.hpp"
#include "kernels/host/tiling_scan.hpp"

namespace ascendsim::host {
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

/// Writes a file unless it has that text; another process may do the same.
fs::path write_once(const fs::path& file, const std::string& text) {
    if (text_of(file) != text) {
        fs::create_directories(file.parent_path());
        const fs::path fresh = file.string() + "." + std::to_string(getpid());
        std::ofstream{fresh, std::ios::binary} << text;
        fs::rename(fresh, file);
    }
    return file;
}

/// The text with [aicore] and [host, aicore] blanked out.
std::string without_attribute(std::string text) {
    constexpr std::string_view end = "aicore]";
    for (std::size_t at = text.find(end); at != std::string::npos; at = text.find(end, at + end.size())) {
        const std::size_t open = text.rfind('[', at);
        const std::string_view between =
            open == std::string::npos ? "?" : std::string_view{text}.substr(open + 1, at - open - 1);
        if (between.find_first_not_of("host, ") == std::string_view::npos) {
            text.replace(open, at + end.size() - open, at + end.size() - open, ' ');
        }
    }
    return text;
}

/// The description of a file system that shows the changed copies under the names of the originals.
std::string overlay(const SourceClosure& closure, const fs::path& folder) {
    std::string roots;
    for (const auto& [file, text] : closure.texts()) {
        const std::string plain = without_attribute(text);
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

}  // namespace

std::vector<std::string> project_flags(const fs::path& source,
                                       const Installation& installation,
                                       const fs::path& folder) {
    const fs::path own = folder / (source.stem().string() + "." + digest(fs::absolute(source).string()));
    SourceClosure closure{source,
                          {installation.root,
                           installation.root / "kernels" / "ascendc",
                           installation.root / "kernels" / "program" / "include"},
                          own / "include"};
    std::string header = type_macros(source, closure);
    header += tiling_definitions(source, closure);
    std::vector<std::string> flags;
    for (const fs::path& include : closure.folders()) {
        flags.push_back("-I" + include.string());
    }
    if (!header.empty()) {
        header =
            "#pragma once\n#include \"kernel_operator.h\"\n#include \"kernel_tiling/kernel_tiling.h\"\n" +
            header;
        flags.insert(flags.end(), {"-include", write_once(own / "operator.h", header).string()});
    }
    if (const std::string description = overlay(closure, own); !description.empty()) {
        flags.insert(flags.end(), {"-ivfsoverlay", write_once(own / "overlay.yaml", description).string()});
    }
    return flags;
}

}  // namespace ascendsim::host
