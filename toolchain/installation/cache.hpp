// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ascendsim::toolchain {

/// Part of cache_folder() that may be deleted at any time: what it held is made again when it is needed.
struct CachePart {
    std::string name;     // of its folder
    std::string meaning;  // what it holds
    std::size_t files = 0;
    std::uintmax_t bytes = 0;
};

/// What the cache is kept below: compiled kernels and programs of a few projects and the last runs of each
/// name.
inline constexpr std::uintmax_t cache_bound = std::uintmax_t{2} << 30U;

/// What is in the cache now.
[[nodiscard]] std::vector<CachePart> cache_parts();

/// Deletes files of the cache until it holds at most `most` bytes, those first that were used longest ago;
/// none used within `spared`, which another process may be about to open, and none that a thread is writing.
/// Returns the bytes deleted. Never throws for files that others delete meanwhile.
std::uintmax_t trim_cache(std::uintmax_t most = cache_bound,
                          std::chrono::minutes spared = std::chrono::minutes{60});

/// trim_cache(), unless a process did so within the last minutes: to look at all files takes longer than a
/// short run. Returns whether it looked.
bool trim_cache_now_and_then(std::chrono::minutes every = std::chrono::minutes{5});

/// Notes that a file of the cache is of use now, so that it is not among the first to go.
void mark_used(const std::filesystem::path& file);

}  // namespace ascendsim::toolchain
