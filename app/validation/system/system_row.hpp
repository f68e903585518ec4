// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ascendsim::validation {

/// A published figure of a machine rather than of a kernel, as its row states it.
struct SystemRow {
    std::string id;
    std::string category;  // "p2p_transfer", "collective", …
    std::string chip;
    std::string devices;
    std::string software;
    std::string workload;
    std::string shape;
    std::string metric;
    double value = 0;
    std::string unit;
    std::string source;
    std::string reliability;
    std::string notes;
    std::string place;  // "system.csv:12"

    /// True if one of the columns that say what was measured holds the words, in any case.
    [[nodiscard]] bool says(std::string_view words) const;
};

/// Reads a CSV file with a header that names at least these columns, in any order. Throws UserError with file
/// and line.
[[nodiscard]] std::vector<SystemRow> read_system_rows(const std::filesystem::path& file);

/// The same of a text; `name` stands in messages where a file's name would.
[[nodiscard]] std::vector<SystemRow> parse_system_rows(const std::string& text, const std::string& name);

/// The first amount of bytes in a text: "block 64KiB" is 65,536, "1.3 MB" 1,300,000, "4096 B x100" 4,096.
/// From `at` on.
[[nodiscard]] std::optional<std::uint64_t> bytes_in(std::string_view text, std::size_t at = 0);

/// The whole number that follows `word` in a text, blanks between them or not: 16 of "heads 16 batch 2".
[[nodiscard]] std::optional<std::uint64_t> number_after(std::string_view text, std::string_view word);

/// A chip by its file in models/chips, and what was taken where a row does not say which of several.
struct StatedChip {
    std::string chip;
    std::string assumed;
};

/// The chip that a row names, also by its generation ("A2"). Nothing for one that is not described.
[[nodiscard]] std::optional<StatedChip> stated_chip(const SystemRow& row);

/// The first whole number of a text.
[[nodiscard]] std::optional<std::uint64_t> number_in(std::string_view text);

}  // namespace ascendsim::validation
