// SPDX-License-Identifier: Apache-2.0
// The macros with which operator projects define tiling structs. They make plain structs with setters and
// getters, so host and kernel share one definition and no generator is needed.
#pragma once

#include <cstdint>
#include <cstring>

#define BEGIN_TILING_DATA_DEF(name) struct name {
#define TILING_DATA_FIELD_DEF(type, field) \
    type field{};                          \
    void set_##field(type value) {         \
        field = value;                     \
    }                                      \
    type get_##field() const {             \
        return field;                      \
    }
#define TILING_DATA_FIELD_DEF_ARR(type, count, field)       \
    type field[count]{};                                    \
    void set_##field(const type* values) {                  \
        std::memcpy(field, values, sizeof(type) * (count)); \
    }                                                       \
    type* get_##field() {                                   \
        return field;                                       \
    }
#define TILING_DATA_FIELD_DEF_STRUCT(type, field) type field{};
#define END_TILING_DATA_DEF                                                             \
    uint64_t GetDataSize() const {                                                      \
        return sizeof(*this);                                                           \
    }                                                                                   \
    void SaveToBuffer(void* buffer, uint64_t capacity) const {                          \
        std::memcpy(buffer, this, sizeof(*this) < capacity ? sizeof(*this) : capacity); \
    }                                                                                   \
    }
// Projects write it with and without a semicolon behind.
#define REGISTER_TILING_DATA_CLASS(op, type) typedef type ascendsim_tiling_of_##op;
