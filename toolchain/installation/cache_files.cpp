// SPDX-License-Identifier: Apache-2.0
#include "toolchain/installation/cache_files.hpp"

#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "sim/base/error.hpp"
#include "sim/process/digest.hpp"
#include "toolchain/installation/installation.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {
namespace fs = std::filesystem;

void make_cache_folder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        throw UserError{
            "{}: cannot be created: {}; what is compiled is kept there, XDG_CACHE_HOME names another place "
            "for it",
            folder.string(),
            error.message()};
    }
}

fs::path made_cache_folder(std::string_view name) {
    fs::path folder = cache_folder() / name;
    make_cache_folder(folder);
    return folder;
}

fs::path cache_folder_of(std::string_view name, const fs::path& source) {
    process::Digest digest;
    digest.add(fs::absolute(source).lexically_normal().string());
    return cache_folder() / name / fmt::format("{}.{}", source.stem().string(), digest.hex());
}

std::string writer_tag() {
    return fmt::format("{}.{}", getpid(), gettid());
}

void write_whole(const fs::path& file, std::string_view text) {
    if (process::text_of(file) == text && fs::exists(file)) {
        return;
    }
    make_cache_folder(file.parent_path());
    const fs::path fresh = file.string() + "." + writer_tag();
    std::ofstream stream{fresh, std::ios::binary};
    stream << text;
    stream.close();
    std::error_code error;
    if (stream) {
        fs::rename(fresh, file, error);
    }
    if (!stream || error) {
        throw UserError{"{}: cannot be written; what is compiled is kept there", file.string()};
    }
}

}  // namespace ascendsim::toolchain
