// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/analysis/chip_numbers.hpp"
#include "app/analysis/core_use.hpp"

namespace ascendsim::report {

/// One of the profiler's tables: its name and its columns on chips of split or of coupled cores.
struct CsvTable {
    std::string_view name;
    std::span<const std::string_view> split;
    std::span<const std::string_view> coupled;
};

/// The tables with one row for each core.
[[nodiscard]] std::span<const CsvTable> core_tables();
/// The columns of op_summary, one row for each launch.
[[nodiscard]] std::span<const std::string_view> op_summary_columns();

/// The value of a column for one core as text; "NA" if the core or the model has none.
[[nodiscard]] std::string core_value(std::string_view column,
                                     const analysis::CoreUse& core,
                                     const analysis::ChipNumbers& chip);

}  // namespace ascendsim::report
