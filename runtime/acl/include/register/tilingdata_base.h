// SPDX-License-Identifier: Apache-2.0
// The tiling structs of kernels, and what host code may do with them besides: fill one in where the framework
// reads it (SetDataPtr).
#pragma once

#include "kernels/ascendc/ascendc/tiling_data.h"
#include "runtime/acl/tiling_mirror.hpp"

#undef TILING_DATA_FIELD_DEF
#define TILING_DATA_FIELD_DEF(type, field)                \
    type field{};                                         \
    void set_##field(type value) {                        \
        field = value;                                    \
        ::ascendsim::tiling::mirror(this, sizeof(*this)); \
    }                                                     \
    type get_##field() const {                            \
        return field;                                     \
    }

#undef TILING_DATA_FIELD_DEF_ARR
#define TILING_DATA_FIELD_DEF_ARR(type, count, field)        \
    type field[count]{};                                     \
    void set_##field(const type* values) {                   \
        std::memmove(field, values, sizeof(type) * (count)); \
        ::ascendsim::tiling::mirror(this, sizeof(*this));    \
    }                                                        \
    type* get_##field() {                                    \
        return field;                                        \
    }                                                        \
    const type* get_##field() const {                        \
        return field;                                        \
    }

#undef END_TILING_DATA_DEF
#define END_TILING_DATA_DEF                                                              \
    uint64_t GetDataSize() const {                                                       \
        ::ascendsim::tiling::mirror(this, sizeof(*this));                                \
        return sizeof(*this);                                                            \
    }                                                                                    \
    void SetDataPtr(void* target) {                                                      \
        ::ascendsim::tiling::begin_mirror(this, target);                                 \
        ::ascendsim::tiling::mirror(this, sizeof(*this));                                \
    }                                                                                    \
    void SaveToBuffer(void* buffer, uint64_t capacity) const {                           \
        std::memmove(buffer, this, sizeof(*this) < capacity ? sizeof(*this) : capacity); \
    }                                                                                    \
    }                                                                                    \
    ;
