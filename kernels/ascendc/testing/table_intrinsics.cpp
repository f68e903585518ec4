// SPDX-License-Identifier: Apache-2.0
// Intrinsics by tables: each entry calls one by its name, on one repeat of dense operands.
#include "kernel_operator.h"
#include "kernels/ascendc/testing/alias_table.hpp"

namespace {

using ascendsim::isa::Alias;

template <typename T>
__aicore__ inline __ubuf__ T* At(uint64_t offset) {
    return reinterpret_cast<__ubuf__ T*>(get_imm(offset));
}

#define CONVERSION(name, to, from) \
    {#name, 1, [](uint64_t z, uint64_t x, uint64_t) { name(At<to>(z), At<from>(x), 1, 1, 1, 8, 8); }},
#define ROUNDED(name, to, from)   \
    CONVERSION(name##r, to, from) \
    CONVERSION(name##a, to, from) \
    CONVERSION(name##f, to, from) \
    CONVERSION(name##c, to, from) \
    CONVERSION(name##z, to, from)

constexpr Alias conversions[] = {
    CONVERSION(vconv_f162f32, float, half) CONVERSION(vconv_bf162f32, float, bfloat16_t) CONVERSION(
        vconv_s162f32, float, int16_t) CONVERSION(vconv_u82f16, half, uint8_t)
        CONVERSION(vconv_s82f16, half, int8_t) CONVERSION(vconv_s42f16, half, int4b_t) CONVERSION(
            vconv_s322s64, int64_t, int32_t) CONVERSION(vconv_s642s32, int32_t, int64_t)
            CONVERSION(vconv_s322s16, int16_t, int32_t) CONVERSION(vconv_f322f16, half, float) CONVERSION(
                vconv_f322f16o, half, float) CONVERSION(vconv_f162s4, int4b_t, half)
                CONVERSION(vconv_f162s8, int8_t, half) CONVERSION(vconv_f162u8, uint8_t, half) CONVERSION(
                    vconv_s162f16, half, int16_t) CONVERSION(vconv_s322f32, float, int32_t)
                    ROUNDED(vconv_f322f16, half, float) ROUNDED(vconv_f322bf16, bfloat16_t, float)
                        ROUNDED(vconv_f322f32, float, float) ROUNDED(vconv_f322s16, int16_t, float)
                            ROUNDED(vconv_f322s32, int32_t, float) ROUNDED(vconv_f322s64, int64_t, float)
                                ROUNDED(vconv_f162s4, int4b_t, half) ROUNDED(vconv_f162s8, int8_t, half)
                                    ROUNDED(vconv_f162u8, uint8_t, half) ROUNDED(vconv_f162s16, int16_t, half)
                                        ROUNDED(vconv_f162s32, int32_t, half)
                                            ROUNDED(vconv_bf162s32, int32_t, bfloat16_t)
                                                ROUNDED(vconv_s162f16, half, int16_t)
                                                    ROUNDED(vconv_s322f32, float, int32_t)
                                                        ROUNDED(vconv_s642f32, float, int64_t){},
};

#define ONE(name, type) \
    {#name, 1, [](uint64_t z, uint64_t x, uint64_t) { name(At<type>(z), At<type>(x), 1, 1, 1, 8, 8); }},
#define TWO(name, type)                                                    \
    {#name, 2, [](uint64_t z, uint64_t x, uint64_t y) {                    \
         name(At<type>(z), At<type>(x), At<type>(y), 1, 1, 1, 1, 8, 8, 8); \
     }},
#define ONTO(name)                                                            \
    {#name, 2, [](uint64_t z, uint64_t x, uint64_t y) {                       \
         vector_dup(At<float>(z), 2.0f, 1, 1, 0, 8, 0);                       \
         pipe_barrier(PIPE_V);                                                \
         name(At<float>(z), At<float>(x), At<float>(y), 1, 1, 1, 1, 8, 8, 8); \
     }},
#define SCALAR(name, type, value)                              \
    {#name, 1, [](uint64_t z, uint64_t x, uint64_t) {          \
         name(At<type>(z), At<type>(x), value, 1, 1, 1, 8, 8); \
     }},
#define GROUP(name) \
    {#name, 1, [](uint64_t z, uint64_t x, uint64_t) { name(At<float>(z), At<float>(x), 1, 1, 1, 8); }},
#define EXTREME(name, order)                                           \
    {#name " " #order, 1, [](uint64_t z, uint64_t x, uint64_t) {       \
         name(At<float>(z), At<float>(x), 1, 1, 1, 8, Order_t::order); \
     }},
#define COMPARISON(suffix)                                                                \
    {"vcmpv_" #suffix,                                                                    \
     2,                                                                                   \
     [](uint64_t z, uint64_t x, uint64_t y) {                                             \
         vcmpv_##suffix(At<uint8_t>(z), At<float>(x), At<float>(y), 1, 1, 1, 1, 8, 8, 8); \
     }},                                                                                  \
        {"vcmpvs_" #suffix,                                                               \
         1,                                                                               \
         [](uint64_t z, uint64_t x, uint64_t) {                                           \
             vcmpvs_##suffix(At<uint8_t>(z), At<float>(x), 2.0f, 1, 1, 1, 8, 8);          \
         }},                                                                              \
        {"vcmp_" #suffix, 2, [](uint64_t z, uint64_t x, uint64_t y) {                     \
             vcmp_##suffix(At<float>(x), At<float>(y), 1, 1, 1, 1, 8, 8, 8);              \
             pipe_barrier(PIPE_V);                                                        \
             get_cmpmask(At<uint8_t>(z));                                                 \
         }},
// Numbers as tile libraries name them, by types of their own.
enum class Pattern : uint8_t { even = 1, odd = 2 };
enum class Choice : uint8_t { by_scalar = 1 };

#define PATTERN(number)                                                                    \
    {"vreducev2 " #number, 1, [](uint64_t z, uint64_t x, uint64_t) {                       \
         vreducev2(At<uint32_t>(z), At<uint32_t>(x), At<uint32_t>(x), 1, 1, number, 8, 8); \
     }},

constexpr Alias operations[] = {
    ONE(vabs, float) ONE(vexp, float) ONE(vln, float) ONE(vsqrt, float) ONE(vrsqrt, float)
    ONE(vrec, float) ONE(vrelu, float) ONE(vnot, uint16_t) ONE(vcopy, uint32_t)
    TWO(vadd, float) TWO(vsub, float) TWO(vmul, float) TWO(vdiv, float) TWO(vmax, float)
    TWO(vmin, float) TWO(vand, uint16_t) TWO(vor, uint16_t) TWO(vaddrelu, float)
    TWO(vsubrelu, float) ONTO(vmla) ONTO(vmadd) ONTO(vmaddrelu)
    SCALAR(vadds, float, 3.0f) SCALAR(vmuls, float, 3.0f) SCALAR(vmaxs, float, 2.0f)
    SCALAR(vmins, float, 2.0f) SCALAR(vlrelu, float, 0.25f) SCALAR(vshl, int32_t, 3)
    SCALAR(vshr, int32_t, 2) SCALAR(vaxpy, float, 3.0f)
    GROUP(vcadd) GROUP(vcgadd) GROUP(vcgmax) GROUP(vcgmin) GROUP(vcpadd)
    EXTREME(vcmax, VALUE_INDEX) EXTREME(vcmax, INDEX_VALUE) EXTREME(vcmax, ONLY_VALUE)
    EXTREME(vcmax, ONLY_INDEX) EXTREME(vcmin, VALUE_INDEX) EXTREME(vcmin, INDEX_VALUE)
    EXTREME(vcmin, ONLY_VALUE) EXTREME(vcmin, ONLY_INDEX)
    COMPARISON(lt) COMPARISON(gt) COMPARISON(eq) COMPARISON(le) COMPARISON(ge) COMPARISON(ne)
    PATTERN(Pattern::even) PATTERN(Pattern::odd) PATTERN(3) PATTERN(4) PATTERN(5) PATTERN(6) PATTERN(7)
    {"vreducev2 0", 2, [](uint64_t z, uint64_t x, uint64_t y) {
         vreducev2(At<uint32_t>(z), At<uint32_t>(x), At<uint32_t>(y), 1, 1, 0, 8, 1);
     }},
    {"vbrcb", 1, [](uint64_t z, uint64_t x, uint64_t) {
         vbrcb(At<uint32_t>(z), At<uint32_t>(x), 1, 8, 1);
     }},
    {"vsel", 2, [](uint64_t z, uint64_t x, uint64_t y) {
         vcmp_lt(At<float>(x), At<float>(y), 1, 1, 1, 1, 8, 8, 8);
         pipe_barrier(PIPE_V);
         vsel(At<float>(z), At<float>(x), At<float>(y), 1, 1, 1, 1, 8, 8, 8);
     }},
    {"vsel of a scalar", 2, [](uint64_t z, uint64_t x, uint64_t y) {
         vector_dup(At<float>(y), 5.0f, 1, 1, 0, 8, 0);  // into the register of comparisons
         pipe_barrier(PIPE_V);
         set_cmpmask(At<float>(y));
         vcmpvs_gt(At<uint8_t>(y), At<float>(x), 2.0f, 1, 1, 1, 8, 8);
         pipe_barrier(PIPE_V);
         vsel(At<float>(z), At<float>(x), At<uint8_t>(y), 1, 1, 1, 1, 8, 8, 8, Choice::by_scalar);
     }},
    {"copy_ubuf_to_ubuf", 1, [](uint64_t z, uint64_t x, uint64_t) {
         copy_ubuf_to_ubuf(At<float>(z), At<float>(x), 0, 2, 1, 3, 1);
     }},
    {},
};

}  // namespace

ascendsim::isa::AliasTable conversion_aliases() {
    return conversions;
}

ascendsim::isa::AliasTable operation_aliases() {
    return operations;
}

/// Loads 256 bytes of `x` and `y`, calls `alias`, and stores 256 bytes, of which those it did not write are
/// 0.
extern "C" __global__ __aicore__ void table_intrinsics(GM_ADDR alias, GM_ADDR x, GM_ADDR y, GM_ADDR out) {
    constexpr uint64_t first = 0x400;
    constexpr uint64_t second = 0x800;
    constexpr uint64_t result = 0xc00;
    copy_gm_to_ubuf(At<void>(first), (__gm__ void*)x, 0, 1, 8, 0, 0);
    copy_gm_to_ubuf(At<void>(second), (__gm__ void*)y, 0, 1, 8, 0, 0);
    pipe_barrier(PIPE_ALL);
    set_mask_norm();
    set_vector_mask(0, ~0ULL);
    vector_dup(At<uint32_t>(result), 0, 1, 1, 0, 8, 0);
    pipe_barrier(PIPE_ALL);
    set_vector_mask(~0ULL, ~0ULL);
    reinterpret_cast<const Alias*>(alias)->call(result, first, second);
    pipe_barrier(PIPE_ALL);
    copy_ubuf_to_gm((__gm__ void*)out, At<void>(result), 0, 1, 8, 0, 0);
}
