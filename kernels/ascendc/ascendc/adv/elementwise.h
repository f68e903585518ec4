// SPDX-License-Identifier: Apache-2.0
// Runs a function of floats over tensors of float, half or bfloat16, in chunks that fit into the temporary
// space.
#pragma once

#include "kernels/ascendc/ascendc/adv/scratch.h"
#include "kernels/ascendc/ascendc/adv/steps.h"

namespace AscendC::adv {

template <typename T>
inline bool SamePlace(const LocalTensor<T>& a, const LocalTensor<T>& b) {
    return a.address_.bufferAddr == b.address_.bufferAddr;
}

/// A tensor of floats of `share` elements, taken only if it is needed.
inline LocalTensor<float> NodeIf(bool needed, Scratch& scratch, uint32_t share) {
    return needed ? scratch.Take<float>(share) : LocalTensor<float>();
}

using Floats = LocalTensor<float>;
using FloatSteps = Steps<float>;

/// dst = function(src): function(steps, y, x, t) gets y apart from x unless it `may_alias`, and `temps`
/// tensors more in t. Narrow types are widened before and rounded to nearest even after.
template <uint32_t temps, bool may_alias = false, typename T, class Function>
inline void Unary(const LocalTensor<T>& dst,
                  const LocalTensor<T>& src,
                  Scratch scratch,
                  uint32_t count,
                  Function function,
                  Site site) {
    if constexpr (has_vector_unit) {
        constexpr bool narrow = !std::is_same_v<T, float>;
        const bool copies = narrow || (!may_alias && SamePlace(dst, src));
        const uint32_t share = scratch.Share(temps + (copies ? 1U : 0U) + (narrow ? 1U : 0U), count);
        LocalTensor<float> t[temps + 1];
        for (uint32_t i = 0; i < temps; ++i) {
            t[i] = scratch.Take<float>(share);
        }
        LocalTensor<float> x = NodeIf(copies, scratch, share);
        LocalTensor<float> y = NodeIf(narrow, scratch, share);
        for (uint32_t at = 0; at < count; at += share) {
            const Steps<float> v(count - at < share ? count - at : share, site);
            if constexpr (narrow) {
                v.cast(x, src[at]);
                function(v, y, x, t);
                const Steps<T> store(count - at < share ? count - at : share, site);
                store.cast(dst[at], y, RoundMode::CAST_RINT);
            } else {
                if (copies) {
                    v.copy(x, src[at]);
                }
                function(v, dst[at], copies ? x : src[at], t);
            }
        }
    }
}

/// A side of a binary function: a tensor, or one value for all elements.
template <typename T>
struct Side {
    Side(const LocalTensor<T>& all) : tensor(all) {}

    Side(T one) : value(one), is_scalar(true) {}

    LocalTensor<T> tensor;
    T value{};
    bool is_scalar = false;
};

/// dst = function(a, b), as Unary; function(steps, y, a, b, t).
template <uint32_t temps, typename T, class Function>
inline void Binary(const LocalTensor<T>& dst,
                   const Side<T>& a,
                   const Side<T>& b,
                   Scratch scratch,
                   uint32_t count,
                   Function function,
                   Site site) {
    if constexpr (has_vector_unit) {
        constexpr bool narrow = !std::is_same_v<T, float>;
        const Side<T>* sides[2] = {&a, &b};
        bool owns[2];
        uint32_t nodes = temps + (narrow ? 1U : 0U);
        for (int i = 0; i < 2; ++i) {
            owns[i] = narrow || sides[i]->is_scalar || SamePlace(dst, sides[i]->tensor);
            nodes += owns[i] ? 1U : 0U;
        }
        const uint32_t share = scratch.Share(nodes, count);
        LocalTensor<float> t[temps + 1];
        for (uint32_t i = 0; i < temps; ++i) {
            t[i] = scratch.Take<float>(share);
        }
        LocalTensor<float> own[2] = {NodeIf(owns[0], scratch, share), NodeIf(owns[1], scratch, share)};
        const LocalTensor<float> wide = NodeIf(narrow, scratch, share);
        for (int i = 0; i < 2; ++i) {
            if (sides[i]->is_scalar) {
                Steps<float>(share, site).fill(own[i], static_cast<float>(sides[i]->value));
            }
        }
        for (uint32_t at = 0; at < count; at += share) {
            const uint32_t n = count - at < share ? count - at : share;
            const Steps<float> v(n, site);
            LocalTensor<float> x[2];
            for (int i = 0; i < 2; ++i) {
                x[i] = own[i];
                if (!sides[i]->is_scalar) {
                    if constexpr (narrow) {
                        v.cast(x[i], sides[i]->tensor[at]);
                    } else if (owns[i]) {
                        v.copy(x[i], sides[i]->tensor[at]);
                    } else {
                        x[i] = sides[i]->tensor[at];
                    }
                }
            }
            if constexpr (narrow) {
                function(v, wide, x[0], x[1], t);
                Steps<T>(n, site).cast(dst[at], wide, RoundMode::CAST_RINT);
            } else {
                function(v, dst[at], x[0], x[1], t);
            }
        }
    }
}

}  // namespace AscendC::adv

/// A function of one tensor in its documented forms: with or without temporary space, with or without a count
/// (else all of src). The forms that end in an empty pack have exactly the documented parameters, so that a
/// kernel can pass them as template arguments (`Compute<half, Tan<half, false>>`); a plain call prefers those
/// that know its place. Behind `steps` stands a template parameter that only some functions have.
#define ASCENDSIM_UNARY_FUNCTION(name, temps, may_alias, steps, ...)                                        \
    template <typename T, bool isReuseSource = false __VA_OPT__(, ) __VA_ARGS__>                            \
    inline void name(const LocalTensor<T>& dst,                                                             \
                     const LocalTensor<T>& src,                                                             \
                     const LocalTensor<uint8_t>& sharedTmpBuffer,                                           \
                     const uint32_t calCount,                                                               \
                     Site site = Site::here()) {                                                            \
        adv::Unary<temps, may_alias>(dst, src, {#name, sharedTmpBuffer, site}, calCount, adv::steps, site); \
    }                                                                                                       \
    template <typename T, bool isReuseSource = false __VA_OPT__(, ) __VA_ARGS__>                            \
    inline void name(const LocalTensor<T>& dst,                                                             \
                     const LocalTensor<T>& src,                                                             \
                     const LocalTensor<uint8_t>& sharedTmpBuffer,                                           \
                     Site site = Site::here()) {                                                            \
        adv::Unary<temps, may_alias>(                                                                       \
            dst, src, {#name, sharedTmpBuffer, site}, src.GetSize(), adv::steps, site);                     \
    }                                                                                                       \
    template <typename T, bool isReuseSource = false __VA_OPT__(, ) __VA_ARGS__>                            \
    inline void name(const LocalTensor<T>& dst,                                                             \
                     const LocalTensor<T>& src,                                                             \
                     const uint32_t calCount,                                                               \
                     Site site = Site::here()) {                                                            \
        adv::Unary<temps, may_alias>(dst, src, {#name, site}, calCount, adv::steps, site);                  \
    }                                                                                                       \
    template <typename T, bool isReuseSource = false __VA_OPT__(, ) __VA_ARGS__>                            \
    inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, Site site = Site::here()) {      \
        adv::Unary<temps, may_alias>(dst, src, {#name, site}, src.GetSize(), adv::steps, site);             \
    }                                                                                                       \
    template <typename T, bool isReuseSource = false __VA_OPT__(, ) __VA_ARGS__, typename... None>          \
    requires(sizeof...(None) == 0) inline void name(const LocalTensor<T>& dst,                              \
                                                    const LocalTensor<T>& src,                              \
                                                    const LocalTensor<uint8_t>& sharedTmpBuffer,            \
                                                    const uint32_t calCount,                                \
                                                    None...) {                                              \
        name<T, isReuseSource>(dst, src, sharedTmpBuffer, calCount, Site{});                                \
    }                                                                                                       \
    template <typename T, bool isReuseSource = false __VA_OPT__(, ) __VA_ARGS__, typename... None>          \
    requires(sizeof...(None) == 0) inline void name(                                                        \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t calCount, None...) {           \
        name<T, isReuseSource>(dst, src, calCount, Site{});                                                 \
    }                                                                                                       \
    template <typename T, bool isReuseSource = false __VA_OPT__(, ) __VA_ARGS__, typename... None>          \
    requires(sizeof...(None) == 0) inline void name(                                                        \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, None...) {                                    \
        name<T, isReuseSource>(dst, src, Site{});                                                           \
    }
