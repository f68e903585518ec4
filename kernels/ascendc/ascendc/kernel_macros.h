// SPDX-License-Identifier: Apache-2.0
// Macros of kernel entries: tiling data, tiling keys, kernel types.
#pragma once

#include "kernels/ascendc/ascendc/tensor.h"

namespace AscendC {

/// Copies a tiling struct out of global memory, as the scalar unit would.
template <typename T>
inline void CopyTiling(T* tiling, const void* source, Site site) {
    const auto* from = static_cast<const uint8_t*>(source);
    constexpr std::size_t line = 64;
    for (std::size_t at = 0; at < sizeof(T); at += line) {
        const std::size_t bytes = sizeof(T) - at < line ? sizeof(T) - at : line;
        ascendsim::isa::scalar_gm_access(from + at, static_cast<uint32_t>(bytes), false, site);
    }
    __builtin_memcpy(static_cast<void*>(tiling), source, sizeof(T));
}

}  // namespace AscendC

#define GET_TILING_DATA_WITH_STRUCT(tiling_struct, tiling_data, tiling_arg) \
    tiling_struct tiling_data;                                              \
    AscendC::CopyTiling(&tiling_data, tiling_arg, AscendC::Site::here())
#define GET_TILING_DATA_PTR_WITH_STRUCT(tiling_struct, dst_ptr, tiling_arg)     \
    tiling_struct dst_ptr##_storage;                                            \
    AscendC::CopyTiling(&dst_ptr##_storage, tiling_arg, AscendC::Site::here()); \
    const tiling_struct* dst_ptr = &dst_ptr##_storage
#define GET_TILING_DATA_MEMBER(tiling_type, member, var, tiling_arg)                                  \
    decltype(tiling_type::member) var;                                                                \
    AscendC::CopyTiling(&var,                                                                         \
                        reinterpret_cast<const uint8_t*>(tiling_arg) + offsetof(tiling_type, member), \
                        AscendC::Site::here())
#define COPY_TILING_WITH_STRUCT(tiling_struct, src_ptr, dst_ptr)             \
    tiling_struct dst_ptr##_storage;                                         \
    AscendC::CopyTiling(&dst_ptr##_storage, src_ptr, AscendC::Site::here()); \
    const tiling_struct* dst_ptr = &dst_ptr##_storage

// REGISTER_TILING_DEFAULT(type) names the struct that GET_TILING_DATA copies. GetDefaultTiling is found by
// overload resolution at the kernel's end of the translation unit, the last registration before it counting.
#define REGISTER_TILING_DEFAULT(tiling_struct) using AscendSimDefaultTiling = tiling_struct
#define REGISTER_TILING_FOR_TILINGKEY(expression, tiling_struct) static_assert(true)
// Asks the vendor's build for a deterministic variant beside the usual one (DETERMINISTIC_MODE).
#define ENABLE_DETERMINISTIC() static_assert(true)
#ifndef GET_TILING_DATA
#define GET_TILING_DATA(tiling_data, tiling_arg) \
    AscendSimDefaultTiling tiling_data;          \
    AscendC::CopyTiling(&tiling_data, tiling_arg, AscendC::Site::here())
#endif

// The tiling key of the build: a kernel is built for one key at a time, or told at run time.
#ifndef TILING_KEY_VAR
#define TILING_KEY_VAR (ascendsim::isa::tiling_key())
#endif
#define TILING_KEY_IS(key) ((TILING_KEY_VAR) == (key))
#define TILING_KEY_LIST(...) static_assert(true)

// What KERNEL_TASK_TYPE makes on the chip; some kernels write it by hand.
enum KernelMetaFieldType : uint16_t {
    F_TYPE_KTYPE = 1,
    F_TYPE_CROSS_CORE_SYNC = 2,
    F_TYPE_MIX_TASK_RATION = 3,
};

enum KernelMetaCoreType : uint32_t {
    K_TYPE_AICORE = 1,
    K_TYPE_AIC = 2,
    K_TYPE_AIV = 3,
    K_TYPE_MIX_AIC_MAIN = 4,
    K_TYPE_MIX_AIV_MAIN = 5,
};

struct BaseTlv {
    uint16_t type;
    uint16_t len;
};

struct OpSystemRunCfg {
    uint64_t l2Cacheoffset;
};

struct FunMetaKType {
    BaseTlv head;
    uint32_t ktype;
};

struct FunMetaMixCoreType {
    BaseTlv head;
    uint16_t taskRation0;
    uint16_t taskRation1;
};

struct FunLevelKType {
    FunMetaKType ktypeMeta;
};

struct FunLevelMixCoreType {
    FunMetaKType ktypeMeta;
    FunMetaMixCoreType mixCoreType;
};

// The text is read behind the preprocessor, where a host program's launches look for it.
#define KERNEL_TASK_TYPE(key, type) static_assert(true, "ascendsim_task_key" #key #type)
#define KERNEL_TASK_TYPE_DEFAULT(type) static_assert(true, "ascendsim_task_type" #type)
#define ENABLE_FEATURE_FOR_COMPILE(...) static_assert(true)
#define ENABLE_PRINTF() static_assert(true)
#define ENABLE_PRINTF_DUMP_SIZE() static_assert(true)
