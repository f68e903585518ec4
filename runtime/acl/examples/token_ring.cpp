// SPDX-License-Identifier: Apache-2.0
// Blocks wait for each other through global memory, in each of the ways kernels do it: a flag read by the
// scalar unit past its cache, a flag read through a plain pointer, a flag copied into the unified buffer, and
// IBSet/IBWait. Block i adds i + 1 to what block i - 1 left.
//   ascendsim run token_ring.cpp
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "kernel_operator.h"

constexpr uint32_t blocks = 6;
constexpr uint32_t line = 16;  // int32 elements of a 64-byte cache line
constexpr uint32_t flag_bytes = 32;

enum Way : uint32_t { scalar_reads, plain_pointer, copies, block_flags };

__aicore__ inline void clean(AscendC::GlobalTensor<int32_t>& tensor) {
    AscendC::DataCacheCleanAndInvalid<int32_t,
                                      AscendC::CacheLine::SINGLE_CACHE_LINE,
                                      AscendC::DcciDst::CACHELINE_OUT>(tensor);
}

template <uint32_t way>
__aicore__ inline void wait_for(AscendC::GlobalTensor<int32_t> flag, AscendC::LocalTensor<int32_t> local) {
    if constexpr (way == scalar_reads) {
        do {
            clean(flag);
        } while (flag.GetValue(0) == 0);
    } else if constexpr (way == plain_pointer) {
        volatile __gm__ int32_t* plain = (volatile __gm__ int32_t*)flag.GetPhyAddr();
        while (*plain == 0) {
            dcci((__gm__ void*)plain, SINGLE_CACHE_LINE);
        }
        dcci((__gm__ void*)plain, SINGLE_CACHE_LINE);
    } else {
        do {
            AscendC::SetFlag<AscendC::HardEvent::S_MTE2>(0);
            AscendC::WaitFlag<AscendC::HardEvent::S_MTE2>(0);
            AscendC::DataCopy(local, flag, flag_bytes / sizeof(int32_t));
            AscendC::SetFlag<AscendC::HardEvent::MTE2_S>(0);
            AscendC::WaitFlag<AscendC::HardEvent::MTE2_S>(0);
        } while (local.GetValue(0) == 0);
    }
}

template <uint32_t way>
__global__ __vector__ void pass_token(GM_ADDR sums, GM_ADDR flags) {
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, flag_bytes);
    auto local = buffer.Get<int32_t>();
    const uint32_t self = AscendC::GetBlockIdx();
    AscendC::GlobalTensor<int32_t> sum;
    AscendC::GlobalTensor<int32_t> all_flags;
    all_flags.SetGlobalBuffer((__gm__ int32_t*)flags);
    int32_t before = 0;
    if (self > 0) {
        if constexpr (way == block_flags) {
            AscendC::IBWait(all_flags, local, self - 1, 0);
        } else {
            wait_for<way>(all_flags[(self - 1) * line], local);
        }
        sum.SetGlobalBuffer((__gm__ int32_t*)sums + (self - 1) * line);
        clean(sum);
        before = sum.GetValue(0);
    }
    sum.SetGlobalBuffer((__gm__ int32_t*)sums + self * line);
    sum.SetValue(0, before + static_cast<int32_t>(self) + 1);
    clean(sum);
    if (self + 1 == blocks) {
        return;
    }
    if constexpr (way == block_flags) {
        AscendC::IBSet(all_flags, local, self, 0);
    } else {
        auto flag = all_flags[self * line];
        flag.SetValue(0, 1);
        clean(flag);
    }
}

template <uint32_t way>
int run(const char* name, aclrtStream stream) {
    constexpr size_t bytes = blocks * line * sizeof(int32_t);
    void* sums = nullptr;
    void* flags = nullptr;
    aclrtMalloc(&sums, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&flags, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemset(sums, bytes, 0, bytes);
    aclrtMemset(flags, bytes, 0, bytes);
    pass_token<way><<<blocks, nullptr, stream>>>((uint8_t*)sums, (uint8_t*)flags);
    aclrtSynchronizeStream(stream);
    std::vector<int32_t> result(blocks * line);
    aclrtMemcpy(result.data(), bytes, sums, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    const int32_t last = result[(blocks - 1) * line];
    std::printf("%s: %d\n", name, last);
    aclrtFree(sums);
    aclrtFree(flags);
    return last == blocks * (blocks + 1) / 2 ? 0 : 1;
}

int main() {
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtStream stream = nullptr;
    aclrtCreateStream(&stream);
    const int wrong = run<scalar_reads>("scalar reads", stream) +
                      run<plain_pointer>("plain pointer", stream) + run<copies>("copies", stream) +
                      run<block_flags>("block flags", stream);
    aclrtDestroyStream(stream);
    aclFinalize();
    return wrong == 0 ? 0 : 1;
}
