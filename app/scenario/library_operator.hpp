// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/scenario/user_kernel.hpp"
#include "kernels/plan/buffer.hpp"
#include "models/spec/chip_spec.hpp"
#include "runtime/acl/operator_call.hpp"
#include "runtime/acl/tiling_request.hpp"
#include "sim/config/table_reader.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::scenario {

/// What a scenario says of one tensor of an operator. Entries of one name are the tensors of a list.
///
///     [[operator.tensors]]
///     name = "x"
///     shape = [64, 512]
///     type = "float16"           # else the first that the definition has
///     fill = "normal"            # or file = "x.npy", or values = [0, 2]
struct OperatorTensor {
    std::string name;
    std::optional<std::vector<std::int64_t>> shape;
    std::optional<isa::DataType> type;
    std::string format;  // as in "NZ"; empty: plain
    std::optional<host::Fill> fill;
    std::optional<std::filesystem::path> file;
    std::vector<double> values;
    std::optional<std::filesystem::path> save;
    std::optional<std::filesystem::path> expect;
    host::Tolerance tolerance;
    std::string place;
};

/// What [operator] says: a kernel of a library by its operator's name, which its own host code tiles.
///
///     [operator]
///     name = "RmsNorm"
///     library = "/src/ops-nn"
///     attributes = { epsilon = 1e-5 }
struct OperatorRequest {
    std::string name;
    std::filesystem::path library;
    std::vector<std::pair<std::string, tiling::AttributeValue>> attributes;
    std::vector<OperatorTensor> tensors;
    bool deterministic = false;
    std::string place;
};

/// Reads [operator] of a scenario. Throws UserError with file and line.
[[nodiscard]] OperatorRequest read_operator(const Node& table);

/// The operator's kernel with its arguments, as its own host code asks for them on a chip: shapes of outputs,
/// types, tiling, key, blocks, workspace. Throws UserError that names the step that failed.
[[nodiscard]] UserKernel library_kernel(const OperatorRequest& request,
                                        const ChipSpec& chip,
                                        const toolchain::Installation& installation);

/// The operator's parameters as its own inference and tiling settle them. Throws UserError as library_kernel
/// does.
[[nodiscard]] std::vector<tiling::SettledParameter> library_shapes(
    const OperatorRequest& request, const ChipSpec& chip, const toolchain::Installation& installation);

}  // namespace ascendsim::scenario
