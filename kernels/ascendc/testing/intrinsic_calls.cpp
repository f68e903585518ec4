// SPDX-License-Identifier: Apache-2.0
// Calls the intrinsic layer by pointers, each result in a row of 64 floats, and reads a list of tensors.
#include "kernel_operator.h"

namespace {

constexpr uint32_t row = 64;
constexpr uint32_t row_bytes = row * sizeof(float);

class Intrinsics {
public:
    __aicore__ inline void Process(__gm__ float* x, __gm__ float* y, __gm__ float* out) {
        out_ = out;
        copy_gm_to_ubuf(x_, x, 0, 1, row_bytes / 32, 0, 0);
        // Rows of 3 floats, padded on the right to blocks of 8 with the register's value.
        float padding = -1.0f;
        uint64_t bits = 0;
        __builtin_memcpy(&bits, &padding, sizeof(padding));
        set_mov_pad_val(bits);
        copy_gm_to_ubuf_align_b32(y_, y, 0, 8, 3 * sizeof(float), 0, 5, 0, 0);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        set_vector_mask(0, ~0ULL);
        Lanes();
        Choices();
        Reductions();
        Conversions();
    }

private:
    __aicore__ inline void Store() {
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
        copy_ubuf_to_gm(out_, z_, 0, 1, row_bytes / 32, 0, 0);
        out_ += row;
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
        vector_dup(z_, 0.0f, 1, 1, 0, 8, 0);
        pipe_barrier(PIPE_V);
    }

    __aicore__ inline void Lanes() {
        vadd(z_, x_, y_, 1, 1, 1, 1, 8, 8, 8);
        Store();
        vmuls(z_, x_, 3.0f, 1, 1, 1, 8, 8);
        Store();
        set_vector_mask(0, 0xffff);
        vabs(z_, x_, 1, 1, 1, 8, 8);
        set_vector_mask(0, ~0ULL);
        Store();
        vector_dup(z_, 1.0f, 1, 1, 0, 8, 0);
        pipe_barrier(PIPE_V);
        vmla(z_, x_, y_, 1, 1, 1, 1, 8, 8, 8);
        Store();
    }

    __aicore__ inline void Choices() {
        auto* bits = reinterpret_cast<__ubuf__ uint8_t*>(work_);
        vcmpvs_gt(bits, x_, 5.0f, 1, 1, 1, 8, 8);
        pipe_barrier(PIPE_V);
        set_cmpmask(bits);
        pipe_barrier(PIPE_V);
        vsel(z_, x_, y_, 1, 1, 1, 1, 8, 8, 8);
        Store();
        auto* offsets = reinterpret_cast<__ubuf__ int32_t*>(work_);
        vector_dup(offsets, 8, 1, 1, 0, 8, 0);
        pipe_barrier(PIPE_V);
        // x starts at address 0 of the unified buffer.
        vgather(z_, reinterpret_cast<__ubuf__ uint32_t*>(offsets), 0, 8, 1);
        Store();
    }

    __aicore__ inline void Reductions() {
        vcadd(z_, x_, 1, 1, 1, 8, false);
        Store();
        vcgmax(z_, x_, 1, 1, 1, 8);
        Store();
        // The API's newer names, on tensors at the same places; an address is a number.
        const AscendC::LocalTensor<float> x(AscendC::TPosition::VECCALC, 0, row);
        const AscendC::LocalTensor<float> z(AscendC::TPosition::VECCALC, 0x800, row);
        AscendC::ReduceRepeat<AscendC::ReduceType::SUM>(z, x, 64, 1, 1, 1, 8);
        Store();
        AscendC::ReduceDataBlock<AscendC::ReduceType::MIN>(z, x, 64, 1, 1, 1, 8);
        Store();
        const uint64_t distance = 4 + z.GetPhyAddr() - x.GetPhyAddr();
        vector_dup(z_, static_cast<float>(distance), 1, 1, 0, 8, 0);
        Store();
        vcadd(nullptr, x_, 1, 1, 1, 8, true);
        set_flag(PIPE_V, PIPE_S, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_S, EVENT_ID0);
        const int64_t sum = get_acc_val();
        vector_dup(z_, *reinterpret_cast<const float*>(&sum), 1, 1, 0, 8, 0);
        Store();
    }

    __aicore__ inline void Conversions() {
        auto* whole = reinterpret_cast<__ubuf__ int32_t*>(work_);
        vconv_f322s32f(whole, x_, 1, 1, 1, 8, 8);
        pipe_barrier(PIPE_V);
        vconv_s322f32(z_, whole, 1, 1, 1, 8, 8);
        Store();
        const int64_t value = max(clz(1), bcnt1(0xff)) + sff1(0x10);  // 63 + 4
        vector_dup(z_, static_cast<float>(value + block_idx), 1, 1, 0, 8, 0);
        Store();
        float copied[3];
        copy_data_align64(reinterpret_cast<uint8_t*>(copied), (__ubuf__ uint8_t*)x_, sizeof(copied));
        float again[3];  // of what lies on the stack already
        copy_data_align64(reinterpret_cast<uint8_t*>(again), copied, sizeof(again));
        vector_dup(z_, again[0] + again[1] + again[2], 1, 1, 0, 8, 0);
        Store();
    }

    // Pointers made of numbers are offsets in the unified buffer.
    __ubuf__ float* x_ = (__ubuf__ float*)get_imm(0);
    __ubuf__ float* y_ = (__ubuf__ float*)get_imm(0x400);
    __ubuf__ float* z_ = (__ubuf__ float*)get_imm(0x800);
    __ubuf__ float* work_ = (__ubuf__ float*)get_imm(0xc00);
    __gm__ float* out_ = nullptr;
};

}  // namespace

extern "C" __global__ __aicore__ void intrinsic_calls(GM_ADDR x, GM_ADDR y, GM_ADDR out) {
    Intrinsics calls;
    calls.Process((__gm__ float*)x, (__gm__ float*)y, (__gm__ float*)out);
}

/// Writes to `out` for each tensor of the list: dimensions, last size, first element.
extern "C" __global__ __aicore__ void list_calls(GM_ADDR list, GM_ADDR out) {
    AscendC::ListTensorDesc tensors(list);
    auto* to = (__gm__ uint64_t*)out;
    *to++ = tensors.GetSize();
    for (uint32_t i = 0; i < tensors.GetSize(); ++i) {
        uint64_t shape[8]{};
        AscendC::TensorDesc<int32_t> tensor;
        tensor.SetShapeAddr(shape);
        tensors.GetDesc(tensor, i);
        *to++ = tensor.GetDim();
        *to++ = tensor.GetShape(static_cast<uint32_t>(tensor.GetDim()) - 1);
        *to++ = static_cast<uint64_t>(tensor.GetDataPtr()[0]);
    }
}

/// Two turns of one block, which is its own predecessor.
extern "C" __global__ __aicore__ void turn_calls(GM_ADDR flags) {
    AscendC::GlobalTensor<int32_t> gm;
    gm.SetGlobalBuffer((__gm__ int32_t*)flags);
    AscendC::LocalTensor<int32_t> ub(AscendC::TPosition::VECCALC, 0, 16);
    AscendC::InitDetermineComputeWorkspace(gm, ub);
    for (int turn = 0; turn < 2; ++turn) {
        AscendC::WaitPreBlock(gm, ub);
        AscendC::NotifyNextBlock(gm, ub);
    }
}

/// Calls something that is declared only.
extern "C" __global__ __aicore__ void unavailable_calls() {
    AscendC::LocalTensor<uint8_t> tensor(AscendC::TPosition::VECCALC, 0, 32);
    AscendC::ProposalExtract(tensor, tensor, 1, 0);
}

/// A layout places (row, column) of a matrix whose rows lie 10 elements apart.
static_assert(AscendC::MakeLayout(AscendC::MakeShape(4, 8),
                                  AscendC::MakeStride(10, 1))(AscendC::MakeCoord(2, 3)) == 23);
static_assert(AscendC::AuxGetC0Size<half>() == 16 && AscendC::AuxGetC0Size<int4b_t>() == 64);

namespace {

template <typename T>
using BinaryFunction = void(const AscendC::LocalTensor<T>&,
                            const AscendC::LocalTensor<T>&,
                            const AscendC::LocalTensor<T>&,
                            const int32_t&);
template <typename T>
using MaskedFunction = void(const AscendC::LocalTensor<T>&,
                            const AscendC::LocalTensor<T>&,
                            const AscendC::LocalTensor<T>&,
                            uint64_t,
                            const uint8_t,
                            const AscendC::BinaryRepeatParams&);
template <typename T>
using ScalarFunction =
    void(const AscendC::LocalTensor<T>&, const AscendC::LocalTensor<T>&, const T&, const int32_t&);

template <typename T, BinaryFunction<T>* first, MaskedFunction<T>* second, ScalarFunction<T>* third>
__aicore__ inline void Chain(const AscendC::LocalTensor<T>& tensor) {
    first(tensor, tensor, tensor, 8);
    second(tensor, tensor, tensor, 8, 1, AscendC::BinaryRepeatParams());
    third(tensor, tensor, T(1), 8);
}

}  // namespace

/// Passes calls as template arguments: x -> (x + x) * (x + x) + 1, and the last step as a plain call.
extern "C" __global__ __aicore__ void function_calls(GM_ADDR x) {
    AscendC::LocalTensor<float> tensor(AscendC::TPosition::VECCALC, 0, 8);
    AscendC::GlobalTensor<float> gm;
    gm.SetGlobalBuffer((__gm__ float*)x);
    AscendC::DataCopy(tensor, gm, 8);
    Chain<float, AscendC::Add, AscendC::Mul<float>, AscendC::Adds<float>>(tensor);
    AscendC::Adds(tensor, tensor, 1.0f, 8);
    AscendC::DataCopy(gm, tensor, 8);
}
