// SPDX-License-Identifier: Apache-2.0
#include "toolchain/installation/cache.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>

#include "toolchain/installation/cache_files.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::toolchain {

namespace {

namespace fs = std::filesystem;

struct Part {
    std::string_view folder;
    std::string_view meaning;
};

constexpr std::array<Part, 9> parts{{{"runs", "recordings of the last runs of each name"},
                                     {"kernels", "compiled kernels"},
                                     {"headers", "headers of Ascend C, parsed for the compiler"},
                                     {"programs", "compiled host programs"},
                                     {"baselines", "recordings that went with baselines"},
                                     {"tasks", "times and recordings of networks' kernels"},
                                     {"plans", "what decisions about networks were made of"},
                                     {"explained", "where slower fused kernels lose their time"},
                                     {"generated", "sources of generated kernels"}}};

struct Kept {
    fs::file_time_type used;
    fs::path file;
    std::uintmax_t bytes = 0;
};

/// True if a thread that is alive writes the file: its name holds the thread's writer_tag(). Recordings that
/// grow are called NAME.PROCESS.part.rec.
bool is_under_way(const fs::path& file) {
    constexpr std::string_view digits = "0123456789";
    const std::string name = file.filename().string();
    for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
        const std::size_t second = name.find_first_not_of(digits, dot + 1);
        if (second == std::string::npos || second == dot + 1 || name[second] != '.') {
            continue;
        }
        const std::size_t end = std::min(name.find_first_not_of(digits, second + 1), name.size());
        const std::string process = name.substr(dot + 1, second - dot - 1);
        const std::string thread = name.substr(second + 1, end - second - 1);
        std::error_code gone;
        const fs::path writer = fs::path{"/proc"} / process;
        if (name.compare(second, std::string::npos, ".part.rec") == 0 && fs::exists(writer, gone)) {
            return true;
        }
        if (!thread.empty() && fs::exists(writer / "task" / thread, gone)) {
            return true;
        }
    }
    return false;
}

/// Regular files of one part; `launch` holds headers that programs are compiled with, few and small.
std::vector<Kept> files_of(std::string_view folder) {
    std::vector<Kept> files;
    std::error_code gone;
    for (fs::recursive_directory_iterator at{cache_folder() / folder, gone}, end; !gone && at != end;
         at.increment(gone)) {
        std::error_code missing;
        if (at->is_regular_file(missing) && at->path().parent_path().filename() != "launch") {
            const fs::file_time_type used = at->last_write_time(missing);
            const std::uintmax_t bytes = at->file_size(missing);
            if (!missing) {
                files.push_back({used, at->path(), bytes});
            }
        }
    }
    return files;
}

}  // namespace

std::vector<CachePart> cache_parts() {
    std::vector<CachePart> result;
    for (const Part& part : parts) {
        CachePart one{.name = std::string{part.folder}, .meaning = std::string{part.meaning}};
        for (const Kept& kept : files_of(part.folder)) {
            ++one.files;
            one.bytes += kept.bytes;
        }
        result.push_back(std::move(one));
    }
    return result;
}

std::uintmax_t trim_cache(std::uintmax_t most, std::chrono::minutes spared) {
    std::vector<Kept> all;
    std::uintmax_t bytes = 0;
    for (const Part& part : parts) {
        for (Kept& kept : files_of(part.folder)) {
            bytes += kept.bytes;
            all.push_back(std::move(kept));
        }
    }
    if (bytes <= most) {
        return 0;
    }
    std::ranges::sort(all, {}, [](const Kept& kept) { return std::pair{kept.used, kept.file}; });
    const fs::file_time_type young = fs::file_time_type::clock::now() - spared;
    std::uintmax_t deleted = 0;
    for (const Kept& kept : all) {
        if (bytes - deleted <= most || kept.used > young) {
            break;
        }
        if (is_under_way(kept.file)) {
            continue;
        }
        std::error_code gone;
        deleted += fs::remove(kept.file, gone) ? kept.bytes : 0;
    }
    return deleted;
}

bool trim_cache_now_and_then(std::chrono::minutes every) {
    const fs::path stamp = cache_folder() / "trimmed";
    std::error_code never;
    const fs::file_time_type last = fs::last_write_time(stamp, never);
    const auto now = fs::file_time_type::clock::now();
    // A stamp of the future is of a clock that was set back.
    if (!never && last <= now && now - last < every) {
        return false;
    }
    // Before it looks, so that of several processes one does.
    if (never) {
        write_whole(stamp, "");
    }
    mark_used(stamp);
    trim_cache();
    return true;
}

void mark_used(const fs::path& file) {
    std::error_code ignored;  // a cache that cannot be written is used as it is
    fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
}

}  // namespace ascendsim::toolchain
