// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/scenario/operator_tiling.hpp"
#include "runtime/session/run_request.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::scenario {

/// A buffer that holds the addresses of others, by which a kernel gets a list of tensors.
struct AddressTable {
    std::string buffer;
    std::uint64_t offset = 0;  // B, of the first address
    std::vector<std::string> members;
};

/// A kernel that a scenario brings along: its source, and its host side as the file describes it.
///
///     [scenario]
///     source = "my_kernel.cpp"
///     [launch]
///     entry = "add_custom"       # may be left out if the file has one
///     blocks = 8
///     cores = "aiv"              # aiv, aic, mix_1_1, mix_1_2
///     [[args]]
///     name = "x"
///     type = "float16"
///     shape = [8, 2048]
///     fill = "uniform"           # or file = "x.npy"
struct UserKernel {
    std::filesystem::path source;
    std::vector<std::filesystem::path> more_sources;  // compiled together with it
    std::vector<std::string> flags;                   // for the compiler
    host::Plan plan;
    std::vector<runtime::OutputFile> outputs;
    std::optional<TilingQuestion> tiling;   // still to be asked: complete_tiling
    std::vector<AddressTable> tables = {};  // of lists of tensors
    std::string operator_type = {};         // of an operator of a library
    std::vector<std::string> zeroed = {};   // outputs of one that hold zeros before it runs
};

/// Reads [launch] (or several [[launch]]), [[args]], [compile] and [work] of a scenario whose kernel is
/// `source`. Throws UserError with file and line.
[[nodiscard]] UserKernel read_user_kernel(TableReader& root, const std::filesystem::path& source);

}  // namespace ascendsim::scenario
