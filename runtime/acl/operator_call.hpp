// SPDX-License-Identifier: Apache-2.0
// A use of an operator by its name: which column of its types it is, what shapes its outputs get, and how it
// is tiled. Everything is asked of the operator's own host code, which the process has loaded before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/acl/tiling_request.hpp"

namespace ascendsim::tiling {

/// What the user says of one tensor. Types and layouts are the graph engine's numbers.
struct GivenTensor {
    std::optional<std::vector<std::int64_t>> shape;  // as the user sees it
    std::optional<std::int32_t> type;
    std::optional<std::int32_t> format;
    std::vector<std::byte> data;  // of inputs whose values the tiling depends on
};

/// What the user says of a parameter: one tensor, or those of a list.
struct GivenParameter {
    std::string name;
    std::vector<GivenTensor> tensors;
};

struct OperatorCall {
    std::string type;  // empty: the only operator there is
    std::string chip;  // as definitions name it: "ascend910b"
    std::vector<GivenParameter> parameters;
    std::vector<std::pair<std::string, AttributeValue>> attributes;
    bool deterministic = false;
};

/// A tensor as the kernel gets it.
struct SettledTensor {
    std::vector<std::int64_t> shape;   // as the user sees it
    std::vector<std::int64_t> stored;  // as it lies in memory
    std::int32_t type = 0;
    std::int32_t format = 2;
};

struct SettledParameter {
    std::string name;
    bool output = false;
    bool list = false;      // the kernel gets a table of addresses
    bool optional = false;  // may be absent: then there are no tensors
    bool zeroed = false;    // an output that holds zeros before the kernel runs
    std::int32_t type = 0;  // of the column, also where it is absent
    std::int32_t format = 2;
    std::vector<SettledTensor> tensors;
};

struct OperatorAnswer {
    std::string type;
    std::vector<SettledParameter> parameters;     // inputs, then outputs
    std::map<std::string, std::string> settings;  // of the chip: "opFile.value"
    std::vector<std::byte> data;
    std::uint32_t blocks = 1;
    std::uint64_t key = 0;
    std::uint64_t workspace = 0;  // B, of all workspaces
    bool is_template = false;     // the key stands for template arguments
    std::vector<std::int64_t> arguments;
    std::vector<std::string> argument_names;
    std::string structure;        // of the tiling, if a selection names one
    std::int64_t core_kind = -1;  // ASCENDC_TPL_AIV_ONLY …, if a selection names one
};

/// Throws UserError, which names the step that failed and holds the operator's own words.
[[nodiscard]] OperatorAnswer call_operator(const OperatorCall& call);

/// What a definition says of a parameter.
struct DescribedParameter {
    std::string name;
    bool output = false;
    std::string kind;                 // "required", "optional", "list"
    std::vector<std::int32_t> types;  // by column
    std::vector<std::int32_t> formats;
    bool value_depends = false;
    std::uint32_t since = 1;  // the version of the aclnn function from which on it is there
};

struct DescribedOperator {
    std::string type;
    std::vector<std::string> chips;
    std::vector<DescribedParameter> parameters;
    std::vector<std::pair<std::string, std::string>> attributes;  // name and kind
    std::vector<std::uint32_t> attributes_since;                  // versions, as of parameters
    bool has_tiling = false;
    bool has_shapes = false;
};

/// Every operator that is defined, as it is on a chip.
[[nodiscard]] std::vector<DescribedOperator> described_operators(const std::string& chip);

}  // namespace ascendsim::tiling
