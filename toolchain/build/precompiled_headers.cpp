// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/precompiled_headers.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "sim/process/digest.hpp"
#include "sim/process/subprocess.hpp"
#include "toolchain/build/compile.hpp"
#include "toolchain/installation/cache.hpp"
#include "toolchain/installation/cache_files.hpp"
#include "toolchain/installation/kept_object.hpp"
#include "toolchain/installation/maker_lock.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

/// Without what concerns the source alone: folders of the user's, passes over the code.
std::vector<std::string> flags_of_headers(const ForcedHeaders& headers, const Installation& installation) {
    std::vector<std::string> kept;
    for (const std::string& flag : headers.flags) {
        const bool folder = flag.starts_with("-I");
        if (flag.starts_with("-fpass-plugin") ||
            (folder && !flag.substr(2).starts_with(installation.root.string()))) {
            continue;
        }
        kept.push_back(flag);
    }
    return kept;
}

/// A flag of the user's that changes how text is read, in ways that are not looked into here.
bool forbids(const std::string& flag) {
    return flag == "-include" || flag == "-imacros" || flag.starts_with("-x") || flag.starts_with("-std=c++");
}

std::vector<std::string> plain(const ForcedHeaders& headers) {
    std::vector<std::string> flags;
    for (const std::string& name : headers.names) {
        flags.insert(flags.end(), {"-include", name});
    }
    return flags;
}

/// Parses the headers; empty if they do not compile, which the compilation itself will tell better.
fs::path made(const fs::path& stem,
              const fs::path& header,
              const std::vector<std::string>& flags,
              const std::string& compiler) {
    const fs::path fresh = fmt::format("{}.{}.fresh", stem.string(), writer_tag());
    const fs::path fresh_depfile = fmt::format("{}.{}.d", stem.string(), writer_tag());
    std::vector<std::string> command{compiler};
    command.insert(command.end(), flags.begin(), flags.end());
    command.insert(command.end(),
                   {"-fpch-instantiate-templates",
                    "-x",
                    "c++-header",
                    header.string(),
                    "-o",
                    fresh.string(),
                    "-MD",
                    "-MF",
                    fresh_depfile.string(),
                    "-MT",
                    "pch"});
    process::Subprocess process{command};
    std::error_code error;
    if (process.finish() != 0) {
        fs::remove(fresh, error);
        fs::remove(fresh_depfile, error);
        return {};
    }
    return keep_object(fresh, stem, ".pch", fresh_depfile);
}

}  // namespace

bool is_current(const fs::path& made, const fs::path& depfile) {
    std::error_code missing;
    const fs::file_time_type when = fs::last_write_time(made, missing);
    if (missing) {
        return false;
    }
    return std::ranges::all_of(dependencies(process::text_of(depfile)), [when](const fs::path& part) {
        std::error_code gone;
        const fs::file_time_type changed = fs::last_write_time(part, gone);
        return !gone && changed <= when;
    });
}

/// The parsed headers of `stem`, if none of their files has changed since; else empty.
static fs::path current_headers(const fs::path& stem) {
    fs::path pch = kept_object(stem, ".pch", ".d");
    const bool current = !pch.empty() && is_current(pch, fs::path{pch}.replace_extension(".d"));
    return current ? pch : fs::path{};
}

std::vector<std::string> header_flags(const ForcedHeaders& headers,
                                      const std::string& compiler,
                                      const Installation& installation) {
    if (std::ranges::any_of(headers.flags, forbids)) {
        return plain(headers);
    }
    const std::vector<std::string> flags = flags_of_headers(headers, installation);
    std::string text;
    for (const std::string& name : headers.names) {
        text += fmt::format("#include \"{}\"\n", name);
    }
    process::Digest digest;
    digest.add(compiler);
    digest.add(text);
    for (const std::string& flag : flags) {
        digest.add(flag);
    }
    const fs::path folder = made_cache_folder("headers");
    const fs::path stem = folder / digest.hex();
    fs::path pch = current_headers(stem);
    if (pch.empty() && headers.make) {
        const MakerLock lock{stem};
        pch = current_headers(stem);  // as another may have made it meanwhile
        if (pch.empty()) {
            const fs::path header = stem.string() + ".h";
            write_whole(header, text);
            pch = made(stem, header, flags, compiler);
        }
    }
    if (pch.empty()) {
        return plain(headers);
    }
    mark_used(pch);
    return {"-include-pch", pch.string()};
}

}  // namespace ascendsim::toolchain
