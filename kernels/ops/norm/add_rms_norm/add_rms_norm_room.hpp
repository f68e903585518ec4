// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/port/data_type.hpp"

namespace ascendsim::host {

/// Elements of the longest row that the kernel takes, with a row beta or without: longer ones the operator
/// cuts up (vllm-ascend, csrc/moe/add_rms_norm_bias, op_host/add_rms_norm_bias_tiling.cpp, UB_FACTOR_...).
[[nodiscard]] constexpr std::uint32_t add_rms_norm_room(isa::DataType type, bool bias) {
    return type == isa::DataType::float32 ? (bias ? 9216 : 10240) : (bias ? 11264 : 12288);
}

}  // namespace ascendsim::host
