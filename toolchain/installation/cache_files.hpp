// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ascendsim::toolchain {

/// Makes a folder below cache_folder(), if it is missing; throws UserError if it cannot be made.
void make_cache_folder(const std::filesystem::path& folder);

/// Folder `name` of cache_folder(), made if it is missing; throws UserError if it cannot be.
[[nodiscard]] std::filesystem::path made_cache_folder(std::string_view name);

/// A folder below that for what is made of one source, so that sources looked at together do not meet: its
/// stem and a digest of its path. Not made yet.
[[nodiscard]] std::filesystem::path cache_folder_of(std::string_view name,
                                                    const std::filesystem::path& source);

/// "PROCESS.THREAD": part of a name for files that others may be writing at the same time.
[[nodiscard]] std::string writer_tag();

/// Moves a file to its place in the cache, whatever stands there, even a folder. Throws UserError if it
/// cannot.
void put_in_place(const std::filesystem::path& fresh, const std::filesystem::path& file);

/// Writes `text`, with the folders it needs, unless the file has it already: whole or not at all, whoever
/// else writes it. Throws UserError if it cannot.
void write_whole(const std::filesystem::path& file, std::string_view text);

}  // namespace ascendsim::toolchain
