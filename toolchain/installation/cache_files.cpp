// SPDX-License-Identifier: Apache-2.0
#include "toolchain/installation/cache_files.hpp"

#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/error.hpp"
#include "sim/process/digest.hpp"
#include "toolchain/installation/installation.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {
namespace fs = std::filesystem;

void make_cache_folder(const fs::path& folder) {
    std::error_code error;
    const fs::path mine = cache_folder();
    constexpr mode_t mine_alone = 0700;
    fs::create_directories(mine.parent_path(), error);
    mkdir(mine.c_str(), mine_alone);  // where it fails, the next line tells
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

void put_in_place(const fs::path& fresh, const fs::path& file) {
    std::error_code error;
    fs::rename(fresh, file, error);
    if (error && fs::is_directory(file)) {
        std::error_code ignored;  // the second attempt tells
        fs::remove_all(file, ignored);
        fs::rename(fresh, file, error);
    }
    if (error) {
        throw UserError{
            "{}: cannot be written: {}; what is compiled is kept there", file.string(), error.message()};
    }
}

void write_whole(const fs::path& file, std::string_view text) {
    if (fs::is_regular_file(file) && process::text_of(file) == text) {
        return;
    }
    make_cache_folder(file.parent_path());
    const fs::path fresh = file.string() + "." + writer_tag();
    std::ofstream stream{fresh, std::ios::binary};
    stream << text;
    stream.close();
    if (!stream) {
        std::error_code gone;
        fs::remove(fresh, gone);
        throw UserError{"{}: cannot be written; what is compiled is kept there", file.string()};
    }
    put_in_place(fresh, file);
}

}  // namespace ascendsim::toolchain
