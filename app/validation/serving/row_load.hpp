// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "app/validation/serving/source_statement.hpp"
#include "app/validation/system/system_row.hpp"

namespace ascendsim::validation {

/// Requests of a row, in tokens; 0: not stated.
struct RowLoad {
    double prompt = 0;
    double output = 0;
    double concurrency = 0;
    double count = 0;
    double rate = 0;    // requests/s at most; 0: as they end
    double prefix = 0;  // tokens of the prompt that requests share
    double prompt_spread = 0;
    double output_spread = 0;
    bool computed = false;  // prompts are not part of what was measured
    bool drafted = false;   // tokens are, so that sequences do not end together

    /// The [requests] table.
    [[nodiscard]] std::string table() const;
};

/// A number of tokens: "2048", "3.5k", "16K", "1M"; `at` moves behind it.
[[nodiscard]] std::optional<double> tokens_at(std::string_view text, std::size_t& at);

/// The number behind `word` where a part of the shape begins with it: "c48", "n100", "out 1500"; 0: none.
[[nodiscard]] double part_number(const SystemRow& row, std::string_view word);

/// Lengths and numbers of requests: "2048/2048 c48", "in 150 out 2700 c1 n100", "b8 256/32",
/// "GSM8K-in3500-bs400 n288 out1500 bs72", "1K+0.3K", "gb256 seq65536" (decoding steps alone). What the shape
/// leaves out is taken from the statement.
[[nodiscard]] RowLoad load_of_row(const SystemRow& row, const StatedLoad& stated);

}  // namespace ascendsim::validation
