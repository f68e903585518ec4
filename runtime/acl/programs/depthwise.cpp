// SPDX-License-Identifier: Apache-2.0
// A depthwise convolution 3 x 3, padding 1, stride 1, in half: y[c] = x[c] * w[c], each image and channel for
// itself.
//   ascendsim run depthwise.cpp -- 16 256 56 56      (images, channels, height, width)
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "kernel_operator.h"

struct Images {
    uint32_t planes;  // images times channels
    uint32_t channels;
    uint32_t height;
    uint32_t width;
    uint32_t pitch;  // of a row in the unified buffer: whole blocks of 32 bytes
    uint32_t rows;   // of a tile
};

/// Tiles of rows, with one row more above and below, three times: shifted by one column to either side, so
/// that each of the nine taps is one multiplication of the whole tile.
class Depthwise {
public:
    __aicore__ inline Depthwise(GM_ADDR x, GM_ADDR w, GM_ADDR y, const Images& images) : of(images) {
        xGm.SetGlobalBuffer((__gm__ half*)x);
        wGm.SetGlobalBuffer((__gm__ half*)w);
        yGm.SetGlobalBuffer((__gm__ half*)y);
        shifted = (of.rows + 2) * of.pitch;
        pipe.InitBuffer(in, 2, 3 * shifted * sizeof(half));
        pipe.InitBuffer(out, 2, of.rows * of.pitch * sizeof(half));
    }

    __aicore__ inline void Process() {
        const uint32_t tiles = (of.height + of.rows - 1) / of.rows;
        for (uint32_t i = AscendC::GetBlockIdx(); i < of.planes * tiles; i += AscendC::GetBlockNum()) {
            Tile(i / tiles, i % tiles * of.rows);
        }
    }

private:
    __aicore__ inline void Tile(uint32_t plane, uint32_t first) {
        const uint32_t rows = of.height - first < of.rows ? of.height - first : of.rows;
        AscendC::LocalTensor<half> x = in.AllocTensor<half>();
        Load(x, plane, first, rows);
        in.EnQue(x);
        x = in.DeQue<half>();
        AscendC::LocalTensor<half> y = out.AllocTensor<half>();
        const uint64_t taps = uint64_t{plane % of.channels} * 9;
        for (uint32_t tap = 0; tap < 9; ++tap) {
            const half weight = wGm.GetValue(taps + tap);
            const uint32_t from = tap % 3 * shifted + tap / 3 * of.pitch;
            if (tap == 0) {
                AscendC::Muls(y, x[from], weight, rows * of.pitch);
            } else {
                AscendC::Axpy(y, x[from], weight, rows * of.pitch);
            }
            AscendC::PipeBarrier<PIPE_V>();
        }
        in.FreeTensor(x);
        out.EnQue(y);
        y = out.DeQue<half>();
        AscendC::DataCopyPad(
            yGm[(uint64_t{plane} * of.height + first) * of.width],
            y,
            AscendC::DataCopyExtParams{
                static_cast<uint16_t>(rows), static_cast<uint32_t>(of.width * sizeof(half)), 0, 0, 0});
        out.FreeTensor(y);
    }

    /// The rows from `first` - 1 on, as they are in the second part, one column later in the first, one
    /// earlier in the third. Outside of the image are zeros.
    __aicore__ inline void Load(const AscendC::LocalTensor<half>& to,
                                uint32_t plane,
                                uint32_t first,
                                uint32_t rows) {
        const uint32_t above = first == 0 ? 1 : 0;
        const uint32_t below = first + rows == of.height ? 1 : 0;
        if (above + below > 0 || of.width == 1) {
            AscendC::Duplicate(to, static_cast<half>(0), 3 * shifted);
            const event_t done =
                static_cast<event_t>(GetTPipePtr()->FetchEventID(AscendC::HardEvent::V_MTE2));
            AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(done);
            AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(done);
        }
        const uint32_t loaded = rows + 2 - above - below;
        const uint64_t from = (uint64_t{plane} * of.height + first + above - 1) * of.width;
        for (uint32_t part = 0; part < 3; ++part) {
            const uint32_t left = part == 0 ? 1 : 0;
            const uint32_t skipped = part == 2 ? 1 : 0;
            const uint32_t taken = of.width - left - skipped;
            if (taken == 0) {
                continue;
            }
            const AscendC::DataCopyExtParams rowsOf{static_cast<uint16_t>(loaded),
                                                    static_cast<uint32_t>(taken * sizeof(half)),
                                                    static_cast<uint32_t>((left + skipped) * sizeof(half)),
                                                    0,
                                                    0};
            const uint8_t right = static_cast<uint8_t>(of.pitch - taken - left);
            const AscendC::DataCopyPadExtParams<half> zeros{
                true, static_cast<uint8_t>(left), right, static_cast<half>(0)};
            AscendC::DataCopyPad(to[part * shifted + above * of.pitch], xGm[from + skipped], rowsOf, zeros);
        }
    }

    Images of;
    uint32_t shifted;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> in;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> out;
    AscendC::GlobalTensor<half> xGm;
    AscendC::GlobalTensor<half> wGm;
    AscendC::GlobalTensor<half> yGm;
};

__global__ __vector__ void depthwise(GM_ADDR x, GM_ADDR w, GM_ADDR y, Images images) {
    Depthwise(x, w, y, images).Process();
}

namespace {

/// A plane's convolution in float.
float expected(const std::vector<aclFloat16>& x,
               const std::vector<aclFloat16>& w,
               const Images& of,
               uint64_t at) {
    const uint64_t plane = at / (uint64_t{of.height} * of.width);
    const auto row = static_cast<int64_t>(at / of.width % of.height);
    const auto column = static_cast<int64_t>(at % of.width);
    float sum = 0;
    for (int64_t tap = 0; tap < 9; ++tap) {
        const int64_t r = row + tap / 3 - 1;
        const int64_t c = column + tap % 3 - 1;
        if (r >= 0 && r < of.height && c >= 0 && c < of.width) {
            sum +=
                aclFloat16ToFloat(
                    x[(plane * of.height + static_cast<uint64_t>(r)) * of.width + static_cast<uint64_t>(c)]) *
                aclFloat16ToFloat(w[plane % of.channels * 9 + static_cast<uint64_t>(tap)]);
        }
    }
    return sum;
}

std::vector<aclFloat16> filled(uint64_t count, uint32_t seed) {
    std::vector<aclFloat16> values(count);
    for (aclFloat16& value : values) {
        seed = seed * 1664525U + 1013904223U;
        value = aclFloatToFloat16(static_cast<float>(seed >> 24U) / 128.0F - 1.0F);
    }
    return values;
}

}  // namespace

int main(int argc, char** argv) {
    uint32_t shape[4] = {1, 32, 224, 224};
    for (int i = 1; i < argc && i <= 4; ++i) {
        shape[i - 1] = static_cast<uint32_t>(std::atoi(argv[i]));
    }
    Images of{shape[0] * shape[1], shape[1], shape[2], shape[3], (shape[3] + 15) / 16 * 16, 0};
    aclInit(nullptr);
    aclrtSetDevice(0);
    int64_t cores = 0;
    aclrtGetDeviceInfo(0, ACL_DEV_ATTR_VECTOR_CORE_NUM, &cores);
    constexpr uint32_t room = 170 * 1024;  // bytes of the unified buffer, twice three inputs and an output
    of.rows = room / 2 / (4 * of.pitch * sizeof(aclFloat16)) - 2;
    of.rows = of.rows < of.height ? of.rows : of.height;
    const uint64_t count = uint64_t{of.planes} * of.height * of.width;
    const size_t bytes = count * sizeof(aclFloat16);
    const size_t weights = of.channels * 9 * sizeof(aclFloat16);
    const std::vector<aclFloat16> x = filled(count, 1);
    const std::vector<aclFloat16> w = filled(of.channels * 9, 2);
    std::vector<aclFloat16> y(count);
    void *dx = nullptr, *dw = nullptr, *dy = nullptr;
    aclrtMalloc(&dx, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&dw, weights, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&dy, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(dx, bytes, x.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtMemcpy(dw, weights, w.data(), weights, ACL_MEMCPY_HOST_TO_DEVICE);
    const uint64_t tiles = uint64_t{of.planes} * ((of.height + of.rows - 1) / of.rows);
    const auto blocks = static_cast<uint32_t>(tiles < static_cast<uint64_t>(cores) ? tiles : cores);
    depthwise<<<blocks, nullptr, nullptr>>>((uint8_t*)dx, (uint8_t*)dw, (uint8_t*)dy, of);
    aclrtSynchronizeStream(nullptr);
    aclrtMemcpy(y.data(), bytes, dy, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < count; ++i) {
        // Nine products of values below 1, each rounded to half: 9 * 2^-10 in sums below 9, twice for both
        // steps.
        wrong += std::fabs(aclFloat16ToFloat(y[i]) - expected(x, w, of, i)) > 0.05F ? 1 : 0;
    }
    std::printf(
        "%u x %u x %u x %u: wrong: %lu of %lu\n", shape[0], shape[1], shape[2], shape[3], wrong, count);
    aclrtFree(dx);
    aclrtFree(dw);
    aclrtFree(dy);
    aclrtResetDevice(0);
    aclFinalize();
    return wrong == 0 ? 0 : 1;
}
