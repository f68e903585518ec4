// SPDX-License-Identifier: Apache-2.0
// What DataCopyPad puts behind rows of 20 halves that get 12 more: the value of its parameters, or of
// SetPadValue where they have none; and behind rows that get nothing, to a whole block of 32 bytes, the row's
// first element.
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "kernel_operator.h"

constexpr uint32_t elements = 20;
constexpr uint32_t row = 32;

extern "C" __global__ __vector__ void pad(GM_ADDR x, GM_ADDR y) {
    using namespace AscendC;
    GlobalTensor<half> from;
    GlobalTensor<half> to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x));
    to.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(y));
    const DataCopyExtParams one_row{1, elements * sizeof(half), 0, 0, 0};
    const DataCopyPadExtParams<half> kinds[3]{
        {true, 0, row - elements, half(3)}, {false, 0, row - elements, half(3)}, {false, 0, 0, half(3)}};
    SetPadValue(half(5));
    for (uint32_t i = 0; i < 3; ++i) {
        LocalTensor<half> tile(TPosition::VECCALC, i * row * sizeof(half), row);
        DataCopyPad(tile, from, one_row, kinds[i]);
    }
    SetFlag<HardEvent::MTE2_MTE3>(0);
    WaitFlag<HardEvent::MTE2_MTE3>(0);
    DataCopy(to, LocalTensor<half>(TPosition::VECCALC, 0, 3 * row), 3 * row);
}

int main() {
    aclInit(nullptr);
    std::vector<half> x(elements, half(1));
    x[0] = half(2);
    std::vector<half> y(3 * row);
    void* from = nullptr;
    void* to = nullptr;
    aclrtMalloc(&from, elements * sizeof(half), ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&to, y.size() * sizeof(half), ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(from, elements * sizeof(half), x.data(), elements * sizeof(half), ACL_MEMCPY_HOST_TO_DEVICE);
    pad<<<1, nullptr, nullptr>>>(static_cast<uint8_t*>(from), static_cast<uint8_t*>(to));
    aclrtMemcpy(y.data(), y.size() * sizeof(half), to, y.size() * sizeof(half), ACL_MEMCPY_DEVICE_TO_HOST);
    for (uint32_t i = 0; i < 3; ++i) {
        std::printf("%g, padded with %g to %g\n",
                    static_cast<double>(static_cast<float>(y[i * row + elements - 1])),
                    static_cast<double>(static_cast<float>(y[i * row + elements])),
                    static_cast<double>(static_cast<float>(y[i * row + row - 1])));
    }
    return 0;
}
