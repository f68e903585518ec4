// SPDX-License-Identifier: Apache-2.0
#include "toolchain/installation/kept_object.hpp"

#include <string>
#include <system_error>

#include <fmt/format.h>

#include "sim/process/digest.hpp"
#include "sim/process/file_text.hpp"
#include "toolchain/installation/cache.hpp"
#include "toolchain/installation/cache_files.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

std::string checksum_of(const fs::path& object, const fs::path& companion) {
    process::Digest digest;
    digest.add_file(object);
    if (!companion.empty()) {
        digest.add_file(companion);
    }
    return digest.hex();
}

fs::path named(const fs::path& stem, std::string_view checksum, std::string_view ending) {
    return fmt::format("{}.{}{}", stem.string(), checksum, ending);
}

fs::path note_of(const fs::path& stem, std::string_view ending) {
    return fmt::format("{}{}.sum", stem.string(), ending);
}

}  // namespace

fs::path keep_object(const fs::path& fresh,
                     const fs::path& stem,
                     std::string_view ending,
                     const fs::path& companion) {
    const std::string checksum = checksum_of(fresh, companion);
    const fs::path object = named(stem, checksum, ending);
    if (!companion.empty()) {
        put_in_place(companion, named(stem, checksum, companion.extension().string()));
    }
    put_in_place(fresh, object);
    write_whole(note_of(stem, ending), checksum);  // last: what it names is there
    return object;
}

fs::path kept_object(const fs::path& stem, std::string_view ending, std::string_view companion) {
    const fs::path note = note_of(stem, ending);
    const std::string checksum = process::text_of(note);
    constexpr std::size_t digits = 32;
    if (checksum.size() != digits || checksum.find_first_not_of("0123456789abcdef") != std::string::npos) {
        return {};
    }
    const fs::path object = named(stem, checksum, ending);
    const fs::path beside = companion.empty() ? fs::path{} : named(stem, checksum, companion);
    std::error_code missing;
    if (!fs::is_regular_file(object, missing) || checksum_of(object, beside) != checksum) {
        return {};
    }
    mark_used(note);
    if (!beside.empty()) {
        mark_used(beside);
    }
    return object;
}

}  // namespace ascendsim::toolchain
