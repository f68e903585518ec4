// SPDX-License-Identifier: Apache-2.0
// What kernels built on a template library do: all memory taken from a pipe that was destroyed at once, the
// object that holds it handed on by value, callbacks that are aggregates, and a bias of half that becomes
// float in the bias table.
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "kernel_operator.h"

#define LIBRARY_DEVICE __forceinline__ __aicore__

constexpr uint32_t rows = 16;
constexpr uint32_t depth = 16;
constexpr uint32_t columns = 64;

/// The memories of a cube core, divided by hand.
struct Resource {
    AscendC::TPipe pipe;
    AscendC::LocalTensor<half> left{AscendC::TPosition::A1, 0, rows* depth};
    AscendC::LocalTensor<half> right{AscendC::TPosition::A1, 8192, depth* columns};
    AscendC::LocalTensor<half> bias{AscendC::TPosition::C1, 16384, columns};
    AscendC::LocalTensor<half> l0a{AscendC::TPosition::A2, 0, rows* depth};
    AscendC::LocalTensor<half> l0b{AscendC::TPosition::B2, 0, depth* columns};
    AscendC::LocalTensor<float> l0c{AscendC::TPosition::CO1, 0, rows* columns};
    AscendC::LocalTensor<float> table{AscendC::TPosition::C2, 0, columns};

    LIBRARY_DEVICE Resource() { pipe.Destroy(); }
};

/// Raises one flag from MTE1; an aggregate, for its constructor is defaulted.
struct Raise {
    LIBRARY_DEVICE Raise() = default;

    LIBRARY_DEVICE void operator()() const { AscendC::SetFlag<AscendC::HardEvent::MTE1_M>(id + offset); }

    int32_t id{0};
    int32_t offset;
};

/// left x right + bias; the half bias lies in blocks of 64 B and takes twice as much of the table.
LIBRARY_DEVICE void multiply(Resource resource, const Raise& loaded) {
    using namespace AscendC;
    LoadData(resource.l0a, resource.left, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
    LoadData(resource.l0b, resource.right, LoadData2DParams(0, columns / 16, 1, 0, 0, true, 0));
    DataCopyParams blocks;
    blocks.blockLen = columns * sizeof(half) / 64;
    DataCopy(resource.table, resource.bias, blocks);
    loaded();
    WaitFlag<HardEvent::MTE1_M>(3);
    MmadParams mmad;
    mmad.m = rows;
    mmad.n = columns;
    mmad.k = depth;
    mmad.cmatrixInitVal = false;
    Mmad(resource.l0c, resource.l0a, resource.l0b, resource.table, mmad);
}

__global__ __cube__ void multiply_with_bias(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c) {
    using namespace AscendC;
    Resource resource;
    GlobalTensor<half> left;
    GlobalTensor<half> right;
    GlobalTensor<half> sums;
    GlobalTensor<float> product;
    left.SetGlobalBuffer((__gm__ half*)a);
    right.SetGlobalBuffer((__gm__ half*)b);
    sums.SetGlobalBuffer((__gm__ half*)bias);
    product.SetGlobalBuffer((__gm__ float*)c);
    DataCopy(resource.left, left, Nd2NzParams(1, rows, depth, 0, depth, rows, 1, 0));
    DataCopy(resource.right, right, Nd2NzParams(1, depth, columns, 0, columns, depth, 1, 0));
    DataCopy(resource.bias, sums, columns);
    SetFlag<HardEvent::MTE2_MTE1>(0);
    WaitFlag<HardEvent::MTE2_MTE1>(0);
    Raise loaded[1];
    loaded[0] = {2, 1};
    multiply(resource, loaded[0]);
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
    Fixpipe<float, float, CFG_ROW_MAJOR>(
        product, resource.l0c, FixpipeParamsV220(columns, rows, rows, columns, false));
}

/// Device memory that holds `values`.
template <class T>
uint8_t* on_device(const std::vector<T>& values) {
    void* memory = nullptr;
    aclrtMalloc(&memory, values.size() * sizeof(T), ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(memory,
                values.size() * sizeof(T),
                values.data(),
                values.size() * sizeof(T),
                ACL_MEMCPY_HOST_TO_DEVICE);
    return static_cast<uint8_t*>(memory);
}

int main() {
    aclInit(nullptr);
    aclrtSetDevice(0);
    std::vector<half> a(rows * depth);
    std::vector<half> b(depth * columns);
    std::vector<half> bias(columns);
    std::vector<float> c(rows * columns);
    for (uint32_t i = 0; i < a.size(); ++i) {
        a[i] = half(float(i % 7) - 3.0F);
    }
    for (uint32_t i = 0; i < b.size(); ++i) {
        b[i] = half(float(i % 5) - 2.0F);
    }
    for (uint32_t i = 0; i < columns; ++i) {
        bias[i] = half(float(i) * 0.25F - 8.0F);
    }
    void* dc = nullptr;
    aclrtMalloc(&dc, c.size() * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
    multiply_with_bias<<<1, nullptr, nullptr>>>(
        on_device(a), on_device(b), on_device(bias), static_cast<uint8_t*>(dc));
    aclrtMemcpy(c.data(), c.size() * sizeof(float), dc, c.size() * sizeof(float), ACL_MEMCPY_DEVICE_TO_HOST);
    int wrong = 0;
    for (uint32_t i = 0; i < rows * columns; ++i) {
        float sum = float(bias[i % columns]);
        for (uint32_t k = 0; k < depth; ++k) {
            sum += float(a[i / columns * depth + k]) * float(b[k * columns + i % columns]);
        }
        wrong += c[i] == sum ? 0 : 1;  // small whole numbers and quarters: exact in any order
    }
    std::printf("%d of %u wrong\n", wrong, rows * columns);
    aclFinalize();
    return wrong == 0 ? 0 : 1;
}
