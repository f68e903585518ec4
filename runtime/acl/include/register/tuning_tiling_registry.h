// SPDX-License-Identifier: Apache-2.0
// Tilings that a tuner has found, which operators look up before they compute one. There is no bank of them
// here: the declarations make plain structs, and nothing is registered.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "graph/ascend_string.h"

namespace tuningtiling {

/// What a bank would hold.
class TuningTilingDef {
public:
    TuningTilingDef() = default;
    TuningTilingDef(const TuningTilingDef&) = default;
    TuningTilingDef& operator=(const TuningTilingDef&) = default;
    virtual ~TuningTilingDef() = default;
};

using TuningTilingDefPtr = std::shared_ptr<TuningTilingDef>;

}  // namespace tuningtiling

#define BEGIN_TUNING_TILING_DEF(name)                     \
    class name : public ::tuningtiling::TuningTilingDef { \
    public:
#define TUNING_TILING_DATA_FIELD_DEF(type, field) type field{};
#define END_TUNING_TILING_DEF \
    }                         \
    ;
#define DECLARE_SCHEMA(...)
#define REGISTER_TUNING_TILING_CLASS(type, name)
