// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

namespace ascendsim::toolchain {

/// Objects of the cache, each with the checksum of what it holds: it stands in the object's name,
/// `KEY.CHECKSUM.so`, and `KEY.so.sum` says which object is that of the key. Whatever happens to the files,
/// an object that is found is whole; one that is not is as good as none.

/// Moves `fresh` into the cache as the object of `stem` (a folder and a key) and `ending` (".so"); what goes
/// with it, from the file `companion`, under the same name with the companion's ending. Returns the object's
/// place. Throws UserError if it cannot be written.
std::filesystem::path keep_object(const std::filesystem::path& fresh,
                                  const std::filesystem::path& stem,
                                  std::string_view ending,
                                  const std::filesystem::path& companion = {});

/// The object of `stem` and `ending`; empty if there is none, or if it or its companion of ending `companion`
/// is damaged. What goes with it is noted as used; who uses the object notes that (mark_used()).
[[nodiscard]] std::filesystem::path kept_object(const std::filesystem::path& stem,
                                                std::string_view ending,
                                                std::string_view companion = {});

}  // namespace ascendsim::toolchain
