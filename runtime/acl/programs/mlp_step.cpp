// SPDX-License-Identifier: Apache-2.0
// A training step of 1024 -> 2048 -> 512 with ReLU, in half: forward, squared error, gradients, and descent.
// Steps after the first may be executions of a captured graph:
//   ascendsim run mlp_step.cpp -- 32 1         (batch, steps)
//   ascendsim run mlp_step.cpp -- 32 3 graph
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "acl/acl.h"
#include "products.h"

enum Step : uint32_t { bias_and_relu, difference, relu_gradient, descent };

constexpr uint32_t tile = 4096;

/// c = a with b, element by element; b repeats after `period` elements.
__global__ __vector__ void each(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t count, uint32_t period, Step step, float rate) {
    using namespace AscendC;
    TPipe pipe;
    TQue<TPosition::VECIN, 2> inA;
    TQue<TPosition::VECIN, 2> inB;
    TQue<TPosition::VECOUT, 2> out;
    TBuf<TPosition::VECCALC> masks;
    pipe.InitBuffer(inA, 2, tile * sizeof(half));
    pipe.InitBuffer(inB, 2, tile * sizeof(half));
    pipe.InitBuffer(out, 2, tile * sizeof(half));
    pipe.InitBuffer(masks, tile / 8);
    GlobalTensor<half> ga;
    GlobalTensor<half> gb;
    GlobalTensor<half> gc;
    ga.SetGlobalBuffer((__gm__ half*)a);
    gb.SetGlobalBuffer((__gm__ half*)b);
    gc.SetGlobalBuffer((__gm__ half*)c);
    const uint32_t most = period < tile ? period : tile;
    for (uint32_t at = GetBlockIdx() * most; at < count; at += GetBlockNum() * most) {
        const uint32_t part = count - at < most ? count - at : most;
        LocalTensor<half> ua = inA.AllocTensor<half>();
        LocalTensor<half> ub = inB.AllocTensor<half>();
        DataCopy(ua, ga[at], part);
        DataCopy(ub, gb[at % period], part);
        inA.EnQue(ua);
        inB.EnQue(ub);
        ua = inA.DeQue<half>();
        ub = inB.DeQue<half>();
        LocalTensor<half> uc = out.AllocTensor<half>();
        if (step == bias_and_relu) {
            Add(uc, ua, ub, part);
            PipeBarrier<PIPE_V>();
            Relu(uc, uc, part);
        } else if (step == difference) {
            Sub(uc, ua, ub, part);
        } else if (step == relu_gradient) {
            LocalTensor<uint8_t> mask = masks.Get<uint8_t>();
            CompareScalar(mask, ub, static_cast<half>(0), CMPMODE::GT, part);
            PipeBarrier<PIPE_V>();
            Select(uc, mask, ua, static_cast<half>(0), SELMODE::VSEL_TENSOR_SCALAR_MODE, part);
        } else {
            Muls(uc, ub, static_cast<half>(-rate), part);
            PipeBarrier<PIPE_V>();
            Add(uc, uc, ua, part);
        }
        inA.FreeTensor(ua);
        inB.FreeTensor(ub);
        out.EnQue(uc);
        uc = out.DeQue<half>();
        DataCopy(gc[at], uc, part);
        out.FreeTensor(uc);
    }
}

namespace {

constexpr uint32_t inputs = 1024;
constexpr uint32_t hidden = 2048;
constexpr uint32_t outputs = 512;
constexpr float rate = 1.0F / 64;

using Matrix = std::vector<float>;

Matrix filled(size_t count, float scale, uint32_t seed) {
    Matrix values(count);
    for (float& value : values) {
        seed = seed * 1664525U + 1013904223U;
        value =
            aclFloat16ToFloat(aclFloatToFloat16((static_cast<float>(seed >> 20U) / 2048.0F - 1.0F) * scale));
    }
    return values;
}

/// C = A x B by rows of A and columns of B, as they are stored or transposed, rounded to half.
Matrix times(const Matrix& a, const Matrix& b, uint32_t m, uint32_t k, uint32_t n, bool ta, bool tb) {
    Matrix c(size_t{m} * n);
    for (uint32_t i = 0; i < m; ++i) {
        for (uint32_t l = 0; l < k; ++l) {
            const float value = ta ? a[size_t{l} * m + i] : a[size_t{i} * k + l];
            for (uint32_t j = 0; value != 0 && j < n; ++j) {
                c[size_t{i} * n + j] += value * (tb ? b[size_t{j} * k + l] : b[size_t{l} * n + j]);
            }
        }
    }
    for (float& value : c) {
        value = aclFloat16ToFloat(aclFloatToFloat16(value));
    }
    return c;
}

class DeviceMatrix {
public:
    explicit DeviceMatrix(size_t count) : bytes_{count * sizeof(aclFloat16)} {
        aclrtMalloc(&memory_, bytes_, ACL_MEM_MALLOC_HUGE_FIRST);
    }

    explicit DeviceMatrix(const Matrix& values) : DeviceMatrix(values.size()) {
        std::vector<aclFloat16> halves;
        for (const float value : values) {
            halves.push_back(aclFloatToFloat16(value));
        }
        aclrtMemcpy(memory_, bytes_, halves.data(), bytes_, ACL_MEMCPY_HOST_TO_DEVICE);
    }

    DeviceMatrix(const DeviceMatrix&) = delete;
    DeviceMatrix& operator=(const DeviceMatrix&) = delete;

    ~DeviceMatrix() { aclrtFree(memory_); }

    [[nodiscard]] uint8_t* get() const { return static_cast<uint8_t*>(memory_); }

    [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(bytes_ / sizeof(aclFloat16)); }

    [[nodiscard]] Matrix read() const {
        std::vector<aclFloat16> halves(count());
        aclrtMemcpy(halves.data(), bytes_, memory_, bytes_, ACL_MEMCPY_DEVICE_TO_HOST);
        Matrix values;
        for (const aclFloat16 value : halves) {
            values.push_back(aclFloat16ToFloat(value));
        }
        return values;
    }

private:
    size_t bytes_;
    void* memory_ = nullptr;
};

void apply(
    Step step, const DeviceMatrix& a, const DeviceMatrix& b, const DeviceMatrix& c, aclrtStream stream) {
    int64_t cores = 0;
    aclrtGetDeviceInfo(0, ACL_DEV_ATTR_VECTOR_CORE_NUM, &cores);
    const uint32_t most = std::min(tile, b.count());
    const uint32_t blocks = std::min(static_cast<uint32_t>(cores), (a.count() + most - 1) / most);
    each<<<blocks, nullptr, stream>>>(a.get(), b.get(), c.get(), a.count(), b.count(), step, rate);
}

uint32_t differing(const Matrix& got, const Matrix& expected, float tolerance) {
    uint32_t wrong = 0;
    for (size_t i = 0; i < got.size(); ++i) {
        wrong += std::fabs(got[i] - expected[i]) > tolerance ? 1 : 0;
    }
    return wrong;
}

/// One step on the host, with the roundings of the device.
void step_on_host(
    const Matrix& x, const Matrix& b1, const Matrix& target, Matrix& w1, Matrix& w2, uint32_t batch) {
    const auto rounded = [](float value) { return aclFloat16ToFloat(aclFloatToFloat16(value)); };
    Matrix h = times(x, w1, batch, inputs, hidden, false, false);
    for (size_t i = 0; i < h.size(); ++i) {
        h[i] = std::max(0.0F, rounded(h[i] + b1[i % hidden]));
    }
    Matrix error = times(h, w2, batch, hidden, outputs, false, false);
    for (size_t i = 0; i < error.size(); ++i) {
        error[i] = rounded(error[i] - target[i]);
    }
    const Matrix of_w2 = times(h, error, hidden, batch, outputs, true, false);
    Matrix of_h = times(error, w2, batch, outputs, hidden, false, true);
    for (size_t i = 0; i < of_h.size(); ++i) {
        of_h[i] = h[i] > 0 ? of_h[i] : 0;
    }
    const Matrix of_w1 = times(x, of_h, inputs, batch, hidden, true, false);
    for (size_t i = 0; i < w2.size(); ++i) {
        w2[i] = rounded(w2[i] + rounded(-rate * of_w2[i]));
    }
    for (size_t i = 0; i < w1.size(); ++i) {
        w1[i] = rounded(w1[i] + rounded(-rate * of_w1[i]));
    }
}

}  // namespace

int main(int argc, char** argv) {
    const auto batch = static_cast<uint32_t>(argc > 1 ? std::atoi(argv[1]) : 32);
    const int steps = argc > 2 ? std::atoi(argv[2]) : 1;
    const bool graph = argc > 3 && std::strcmp(argv[3], "graph") == 0;
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtStream stream = nullptr;
    aclrtCreateStream(&stream);
    const Matrix x = filled(size_t{batch} * inputs, 0.5F, 1);
    const Matrix b1 = filled(hidden, 0.5F, 2);
    const Matrix target = filled(size_t{batch} * outputs, 0.5F, 3);
    Matrix w1 = filled(size_t{inputs} * hidden, 1.0F / 32, 4);
    Matrix w2 = filled(size_t{hidden} * outputs, 1.0F / 32, 5);
    uint32_t wrong = 0;
    {
        const DeviceMatrix dx{x}, db{b1}, dt{target}, dw1{w1}, dw2{w2};
        const DeviceMatrix h{size_t{batch} * hidden}, y{size_t{batch} * outputs},
            error{size_t{batch} * outputs};
        const DeviceMatrix of_w2{w2.size()}, of_h{size_t{batch} * hidden}, of_w1{w1.size()};
        const auto m = static_cast<int32_t>(batch);
        const Product first = share(m, hidden, inputs, false, false);
        const Product second = share(m, outputs, hidden, false, false);
        const Product gradient_2 = share(hidden, outputs, m, true, false);
        const Product gradient_h = share(m, hidden, outputs, false, true);
        const Product gradient_1 = share(inputs, hidden, m, true, false);
        const auto put_step = [&] {
            multiply(first, dx.get(), dw1.get(), h.get(), stream);
            apply(bias_and_relu, h, db, h, stream);
            multiply(second, h.get(), dw2.get(), y.get(), stream);
            apply(difference, y, dt, error, stream);
            multiply(gradient_2, h.get(), error.get(), of_w2.get(), stream);
            multiply(gradient_h, error.get(), dw2.get(), of_h.get(), stream);
            apply(relu_gradient, of_h, h, of_h, stream);
            multiply(gradient_1, dx.get(), of_h.get(), of_w1.get(), stream);
            apply(descent, dw2, of_w2, dw2, stream);
            apply(descent, dw1, of_w1, dw1, stream);
        };
        aclmdlRI model = nullptr;
        if (graph) {
            aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
            put_step();
            aclmdlRICaptureEnd(stream, &model);
        }
        for (int i = 0; i < steps; ++i) {
            if (graph) {
                aclmdlRIExecuteAsync(model, stream);
            } else {
                put_step();
            }
            aclrtSynchronizeStream(stream);
            step_on_host(x, b1, target, w1, w2, batch);
        }
        // Sums of 2048 products in another order; a step of descent scales them by 1/64.
        wrong = differing(dw1.read(), w1, 0.004F) + differing(dw2.read(), w2, 0.004F);
        if (graph) {
            aclmdlRIDestroy(model);
        }
    }
    std::printf("batch %u, %d steps%s: wrong: %u\n", batch, steps, graph ? " of a graph" : "", wrong);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
    return wrong == 0 ? 0 : 1;
}
