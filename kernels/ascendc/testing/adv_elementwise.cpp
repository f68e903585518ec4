// SPDX-License-Identifier: Apache-2.0
// Calls one elementwise function of the high-level API: `which` says which, `form` with what temporary space.
#include "kernel_operator.h"

using namespace AscendC;

namespace {

constexpr uint32_t count = 200;  // not a whole number of repeats

enum Form { own_space, shared_space, in_place };

template <typename T>
class Elementwise {
public:
    __aicore__ inline void Run(GM_ADDR x, GM_ADDR y, GM_ADDR out, uint32_t which, uint32_t form) {
        pipe_.InitBuffer(in_, 1, 2 * room * sizeof(T));
        pipe_.InitBuffer(out_, 1, room * sizeof(T));
        pipe_.InitBuffer(tmp_, 2560);  // less than the functions would like: they work in chunks
        GlobalTensor<T> gm;
        LocalTensor<T> both = in_.AllocTensor<T>();
        gm.SetGlobalBuffer((__gm__ T*)x);
        DataCopyPad(both, gm, {1, count * sizeof(T), 0, 0, 0}, DataCopyPadExtParams<T>{false, 0, 0, T(0)});
        gm.SetGlobalBuffer((__gm__ T*)y);
        DataCopyPad(
            both[room], gm, {1, count * sizeof(T), 0, 0, 0}, DataCopyPadExtParams<T>{false, 0, 0, T(0)});
        in_.EnQue(both);
        both = in_.DeQue<T>();
        LocalTensor<T> z = out_.AllocTensor<T>();
        Duplicate(z, T(0.0f), room);
        PipeBarrier<PIPE_V>();
        if (form == in_place) {
            Muls(z, both, T(1.0f), count);
            PipeBarrier<PIPE_V>();
            One(which, z, z, both[room]);
        } else if (form == shared_space) {
            One(which, z, both, both[room], tmp_.Get<uint8_t>());
        } else {
            One(which, z, both, both[room]);
        }
        in_.FreeTensor(both);
        out_.EnQue(z);
        z = out_.DeQue<T>();
        gm.SetGlobalBuffer((__gm__ T*)out);
        DataCopyPad(gm, z, {1, count * sizeof(T), 0, 0, 0});
        out_.FreeTensor(z);
    }

private:
    static constexpr uint32_t room = 256;

    template <class... Space>
    __aicore__ inline void One(uint32_t which,
                               const LocalTensor<T>& z,
                               const LocalTensor<T>& x,
                               const LocalTensor<T>& y,
                               const Space&... space) {
        LocalTensor<T> dst = z;
        switch (which) {
            case 0:
                return Tanh(z, x, space..., count);
            case 1:
                return Sinh(z, x, space..., count);
            case 2:
                return Cosh(z, x, space..., count);
            case 3:
                return Asinh(z, x, space..., count);
            case 4:
                return Acosh(z, x, space..., count);
            case 5:
                return Atanh(z, x, space..., count);
            case 6:
                return Sin(z, x, space..., count);
            case 7:
                return Cos(z, x, space..., count);
            case 8:
                return Tan(z, x, space..., count);
            case 9:
                return Asin(z, x, space..., count);
            case 10:
                return Acos(z, x, space..., count);
            case 11:
                return Atan(z, x, space..., count);
            case 12:
                return Erf(z, x, space..., count);
            case 13:
                return Erfc(z, x, space..., count);
            case 14:
                return Lgamma(z, x, space..., count);
            case 15:
                return Digamma(z, x, space..., count);
            case 16:
                return Exp<T, 12>(z, x, space..., count);
            case 17:
                return Log(z, x, space..., count);
            case 18:
                return Log2(z, x, space..., count);
            case 19:
                return Log10(z, x, space..., count);
            case 20:
                return Power(z, x, y, space..., count);
            case 21:
                return Power(z, x, T(2.5f), space..., count);
            case 22:
                return Power(z, T(2.5f), x, space..., count);
            case 23:
                return Floor(z, x, space..., count);
            case 24:
                return Ceil(z, x, space..., count);
            case 25:
                return Trunc(z, x, space..., count);
            case 26:
                return Round(z, x, space..., count);
            case 27:
                return Frac(z, x, space..., count);
            case 28:
                return Sign(z, x, space..., count);
            case 29:
                return Fmod(z, x, y, space..., count);
            case 30:
                return ClampMax(z, x, space..., T(0.5f), count);
            case 31:
                return ClampMin(z, x, space..., T(0.5f), count);
            case 32:
                return Sigmoid(z, x, space..., count);
            case 33:
                return Silu(z, x, count);
            case 34:
                return Swish(z, x, count, T(1.5f));
            case 35:
                return Gelu(z, x, space..., count);
            case 36:
                return FasterGelu(z, x, space..., count);
            case 37:
                return FasterGeluV2(z, x, space..., count);
            case 38:
                return ReGlu(z, y, x, space..., count);
            case 39:
                return GeGLU(z, y, x, space..., count);
            case 40:
                return SwiGLU(dst, y, x, 1.25f, space..., count);
            default:
                return;
        }
    }

    TPipe pipe_;
    TQue<TPosition::VECIN, 1> in_;
    TQue<TPosition::VECOUT, 1> out_;
    TBuf<TPosition::VECCALC> tmp_;
};

}  // namespace

extern "C" __global__ __aicore__ void adv_elementwise(
    GM_ADDR x, GM_ADDR y, GM_ADDR out, uint32_t which, uint32_t form, uint32_t bytes) {
    if (bytes == sizeof(float)) {
        Elementwise<float>().Run(x, y, out, which, form);
    } else {
        Elementwise<half>().Run(x, y, out, which, form);
    }
}
