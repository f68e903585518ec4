// SPDX-License-Identifier: Apache-2.0
// Calls one function of the high-level API that works on rows: softmax, normalisations, reductions. Operands
// lie in slots of 4096 elements; the cases are numbered as in adv_rows_test.cpp.
#include "kernel_operator.h"

using namespace AscendC;

struct RowsArguments {
    uint32_t which;
    uint32_t m;
    uint32_t stride;
    uint32_t width;
    uint32_t shared;  // with a temporary buffer of the caller
};

namespace {

constexpr SoftmaxConfig dense_values{true, 0, 0, SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC};
constexpr LayerNormConfig gives_variance{false, false, false, false};
constexpr WelfordUpdateConfig welford_in_place{true};

template <typename T>
class RowCalls {
public:
    static constexpr uint32_t slot = 4096;

    __aicore__ inline void Run(GM_ADDR in, GM_ADDR out, const RowsArguments& a) {
        pipe_.InitBuffer(in_, 1, 5 * slot * sizeof(T));
        pipe_.InitBuffer(out_, 1, 4 * slot * sizeof(T));
        pipe_.InitBuffer(tmp_, sizeof(T) == 4 ? 18 * 1024 : 70 * 1024);
        GlobalTensor<T> gm;
        gm.SetGlobalBuffer((__gm__ T*)in);
        x_ = in_.AllocTensor<T>();
        DataCopy(x_, gm, 5 * slot);
        in_.EnQue(x_);
        x_ = in_.DeQue<T>();
        y_ = out_.AllocTensor<T>();
        Duplicate(y_, T(0.0f), 4 * slot);
        PipeBarrier<PIPE_V>();
        if (a.shared != 0) {
            One(a, tmp_.Get<uint8_t>());
        } else {
            One(a);
        }
        in_.FreeTensor(x_);
        out_.EnQue(y_);
        y_ = out_.DeQue<T>();
        gm.SetGlobalBuffer((__gm__ T*)out);
        DataCopy(gm, y_, 4 * slot);
        out_.FreeTensor(y_);
    }

private:
    __aicore__ inline LocalTensor<T> X(uint32_t i) { return x_[i * slot]; }

    __aicore__ inline LocalTensor<T> Y(uint32_t i) { return y_[i * slot]; }

    template <class... Space>
    __aicore__ inline void One(const RowsArguments& a, const Space&... space) {
        const SoftMaxShapeInfo shape{a.m, a.stride, a.m, a.width};
        if (a.which < 20) {
            Softmaxes(a, shape, space...);
        } else if (a.which < 40) {
            Norms(a, space...);
        } else {
            Reductions(a, space...);
        }
    }

    template <class... Space>
    __aicore__ inline void Softmaxes(const RowsArguments& a,
                                     const SoftMaxShapeInfo& shape,
                                     const Space&... space) {
        SoftMaxTiling tiling;
        tiling.srcM = a.m;
        tiling.srcK = a.stride;
        LogSoftMaxTiling log_tiling;
        switch (a.which) {
            case 0:
                return SoftMax<T>(Y(0), Y(1), Y(2), X(0), space..., tiling, shape);
            case 1:
                return SoftMax<T>(Y(0), X(0), space..., tiling, shape);
            case 2:
                return SimpleSoftMax<T>(Y(0), X(1), X(2), X(0), space..., tiling, shape);
            case 3:
                return SoftmaxFlash<T>(
                    Y(0), Y(1), Y(2), X(0), Y(3), X(1), X(2), space..., tiling, true, shape);
            case 4:
                return SoftmaxFlashV2<T, true>(
                    Y(0), Y(1), Y(2), X(0), Y(3), X(1), X(2), space..., tiling, shape);
            case 5:
                return SoftmaxFlashV2<T, false>(
                    Y(0), Y(1), Y(2), X(0), Y(3), X(1), X(2), space..., tiling, shape);
            case 6:
                return SoftmaxFlashV2<T, true, false, false, false, dense_values>(
                    Y(0), Y(1), Y(2), X(0), Y(3), X(1), X(2), space..., tiling, shape);
            case 7:
                return LogSoftMax<T>(Y(0), Y(1), Y(2), X(0), One8(space...), log_tiling, shape);
            case 8:
                return SoftmaxGrad<T>(Y(0), X(0), X(1), space..., tiling, false, shape);
            case 9:
                return SoftmaxGradFront<T>(Y(0), X(0), X(1), space..., tiling, shape);
            case 10: {
                DataCopy(Y(0), X(0), a.m * a.stride);
                PipeBarrier<PIPE_V>();
                const uint32_t bits = sizeof(T) == 4 ? 0x40400000U : 0x4200U;  // 3.0
                AdjustSoftMaxRes<T, T>(Y(0), X(2), bits, T(7.0f), shape);
                return;
            }
            case 11:
                return SoftMax<T, false, false, true>(Y(0), Y(1), Y(2), X(0), space..., tiling, shape);
            case 12:
                return SoftmaxFlashV2<T, true, false, false, true>(
                    Y(0), Y(1), Y(2), X(0), Y(3), X(1), X(2), space..., tiling, shape);
            case 13:
                return SoftmaxGrad<T, false, true>(Y(0), X(0), X(1), space..., tiling, false, shape);
            default:
                return;
        }
    }

    __aicore__ inline LocalTensor<uint8_t> One8() { return tmp_.Get<uint8_t>(); }

    __aicore__ inline LocalTensor<uint8_t> One8(const LocalTensor<uint8_t>& given) { return given; }

    template <class... Space>
    __aicore__ inline void Norms(const RowsArguments& a, const Space&... space) {
        const T epsilon = T(0.01f);
        LayerNormTiling layer;
        layer.bLength = 1;
        layer.sLength = a.m;
        layer.hLength = a.stride;
        layer.originalHLength = a.width;
        RmsNormTiling rms;
        rms.bLength = 1;
        rms.sLength = a.m;
        rms.hLength = a.stride;
        rms.originalHLength = a.width;
        DeepNormTiling deep;
        deep.bLength = 1;
        deep.sLength = a.m;
        deep.hLength = a.stride;
        deep.originalHLength = a.width;
        switch (a.which) {
            case 20:
                return LayerNorm<T>(Y(0), Y(1), Y(2), X(0), X(1), X(2), space..., epsilon, layer);
            case 21:
                return RmsNorm<T>(Y(0), X(0), X(1), space..., epsilon, rms);
            case 22:
                return DeepNorm<T>(
                    Y(0), Y(1), Y(2), X(0), X(3), X(2), X(1), space..., T(0.5f), epsilon, deep);
            case 23: {
                BatchNormTiling batch;
                batch.originalBLength = a.m;
                batch.meanVarSize = a.stride;
                return BatchNorm<T>(Y(0), Y(1), Y(2), X(0), X(1), X(2), space..., epsilon, batch);
            }
            case 24: {
                GroupNormTiling group;  // m = 2 images of m / 2 channels in 2 groups
                group.n = 2;
                group.c = a.m / 2;
                group.g = 2;
                group.hw = a.width;
                group.hwAlignSize = a.stride;
                return GroupNorm<T>(Y(0), Y(1), Y(2), X(0), X(1), X(2), space..., epsilon, group);
            }
            case 25: {
                LayerNormGradTiling grad;
                grad.bLength = 1;
                grad.sLength = a.m;
                grad.hLength = a.stride;
                grad.originalHLength = a.width;
                return LayerNormGrad<T>(Y(0), Y(1), X(0), X(3), X(1), X(2), X(4), space..., epsilon, grad);
            }
            case 26: {
                LayerNormGradBetaTiling grad;
                grad.bLength = 1;
                grad.sLength = a.m;
                grad.hLength = a.stride;
                return LayerNormGradBeta<T>(Y(0), Y(1), X(0), X(3), space..., grad);
            }
            default:
                return FloatNorms(a, space...);
        }
    }

    template <class... Space>
    __aicore__ inline void FloatNorms(const RowsArguments& a, const Space&... space) {
        if constexpr (sizeof(T) == 4) {
            const LayerNormPara layer{a.m, a.width, a.stride};
            const NormalizePara given{a.m, a.width, a.stride};
            switch (a.which) {
                case 27:
                    return LayerNorm<T, T>(Y(0), Y(1), Y(2), X(0), X(1), X(2), 0.01f, space..., layer, {});
                case 28:
                    return LayerNorm<T, T, false, gives_variance>(
                        Y(0), Y(1), Y(2), X(0), X(1), X(2), 0.01f, space..., layer, {});
                case 29:
                    return Normalize<T, T>(Y(0), Y(1), X(3), X(4), X(0), X(1), X(2), space..., 0.01f, given);
                case 30: {  // m pieces of `stride` elements, then all of them together
                    for (uint32_t i = 0; i < a.m; ++i) {
                        const WelfordUpdateParam update{
                            1, a.stride, a.stride, 1.0f / static_cast<float>(i + 1)};
                        WelfordUpdate<T, float>(Y(1), Y(2), Y(1), Y(2), X(0)[i * a.stride], space..., update);
                    }
                    WelfordFinalizePara all;
                    all.abLength = all.headCountLength = a.stride;
                    all.headCount = a.m;
                    all.rRec = 1.0f / static_cast<float>(a.m * a.stride);
                    WelfordFinalize(Y(0), Y(0)[8], Y(1), Y(2), space..., all);
                    return;
                }
                case 31: {  // the first `width` of a row, the rest as it was
                    const WelfordUpdateParam update{1, a.stride, a.width, 0.25F};
                    return WelfordUpdate<T, float, false, welford_in_place>(
                        Y(0), Y(1), X(1), X(2), X(0), space..., update);
                }
                default:
                    return;
            }
        }
    }

    template <class... Space>
    __aicore__ inline void Reductions(const RowsArguments& a, const Space&... space) {
        using AR = Pattern::Reduce::AR;
        using RA = Pattern::Reduce::RA;
        const uint32_t shape[2]{a.m, a.width};
        switch (a.which) {
            case 40:
                return Sum<T>(Y(0), X(0), space..., {a.m, a.stride, a.width});
            case 41:
                return Mean<T, float>(Y(0), X(0), space..., {a.m, a.stride, a.width});
            case 42:
                return ReduceMax<T, AR>(Y(0), X(0), space..., shape, true);
            case 43:
                return ReduceMax<T, RA>(Y(0), X(0), space..., shape, true);
            case 44:
                return ReduceMin<T, AR>(Y(0), X(0), space..., shape, true);
            case 45:
                return ReduceMin<T, RA>(Y(0), X(0), space..., shape, true);
            default:
                break;
        }
        if constexpr (sizeof(T) == 4) {
            switch (a.which) {
                case 46:
                    return ReduceSum<T, AR>(Y(0), X(0), space..., shape, true);
                case 47:
                    return ReduceSum<T, RA>(Y(0), X(0), space..., shape, true);
                case 48:
                    return ReduceMean<T, AR>(Y(0), X(0), space..., shape, true);
                case 49:
                    return ReduceMean<T, RA>(Y(0), X(0), space..., shape, true);
                case 50:
                    return ReduceProd<T, AR>(Y(0), X(1), space..., shape, true);
                case 51:
                    return ReduceProd<T, RA>(Y(0), X(1), space..., shape, true);
                case 52:
                    return ReduceSum<T, AR, true>(Y(0), X(0), space..., shape, true);
                case 53:
                    return ReduceMax<T, AR, true>(Y(0), X(0), space..., shape, true);
                case 54:
                    return ReduceMin<T, AR, true>(Y(0), X(0), space..., shape, true);
                default:
                    return;
            }
        }
    }

    TPipe pipe_;
    TQue<TPosition::VECIN, 1> in_;
    TQue<TPosition::VECOUT, 1> out_;
    TBuf<TPosition::VECCALC> tmp_;
    LocalTensor<T> x_, y_;
};

}  // namespace

extern "C" __global__ __aicore__ void adv_rows(GM_ADDR in,
                                               GM_ADDR out,
                                               uint32_t bytes,
                                               RowsArguments arguments) {
    if (bytes == sizeof(float)) {
        RowCalls<float>().Run(in, out, arguments);
    } else {
        RowCalls<half>().Run(in, out, arguments);
    }
}
