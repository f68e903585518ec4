// SPDX-License-Identifier: Apache-2.0
// The tiling structs of kernels, and what host code may do with them besides: fill one in where the framework
// reads it (SetDataPtr).
#pragma once

#include "kernels/ascendc/ascendc/tiling_data.h"
#include "runtime/acl/tiling_mirror.hpp"

namespace optiling {

/// Any of these structs, for code that takes all of them: what the vendor's have as a base class.
class TilingDef {
public:
    template <class Tiling>
    static TilingDef& of(Tiling& tiling) {
        thread_local TilingDef one;
        one.object_ = &tiling;
        one.save_ = [](void* object, void* buffer, size_t capacity) {
            static_cast<Tiling*>(object)->SaveToBuffer(buffer, capacity);
        };
        one.size_ = [](void* object) {
            return static_cast<size_t>(static_cast<Tiling*>(object)->GetDataSize());
        };
        one.point_ = [](void* object, void* target) { static_cast<Tiling*>(object)->SetDataPtr(target); };
        return one;
    }

    void SaveToBuffer(void* buffer, size_t capacity) const { save_(object_, buffer, capacity); }

    size_t GetDataSize() const { return size_(object_); }

    void SetDataPtr(void* target) { point_(object_, target); }

private:
    void* object_ = nullptr;
    void (*save_)(void*, void*, size_t) = nullptr;
    size_t (*size_)(void*) = nullptr;
    void (*point_)(void*, void*) = nullptr;
};

}  // namespace optiling

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

// The size is that of whole words of 8 bytes: operators of the public libraries refuse any other.
#undef END_TILING_DATA_DEF
#define END_TILING_DATA_DEF                                                              \
    uint64_t GetDataSize() const {                                                       \
        ::ascendsim::tiling::mirror(this, sizeof(*this));                                \
        return (sizeof(*this) + 7) / 8 * 8;                                              \
    }                                                                                    \
    template <class Any>                                                                 \
    requires std::is_same_v<Any, ::optiling::TilingDef>                                  \
    operator Any&() {                                                                    \
        return ::optiling::TilingDef::of(*this);                                         \
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
