// SPDX-License-Identifier: Apache-2.0
// GroupBarrier: three vector cores wait, twice, until two others have arrived. Those that arrive leave powers
// of ten, late; a core that did not wait finds zeros.
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "kernel_operator.h"

constexpr uint32_t line = 16;  // int32 elements of a 64-byte cache line
constexpr uint32_t arrivals = 2;
constexpr uint32_t waiters = 3;
constexpr uint32_t rounds = 2;

/// `numbers` has a line for each round and arrival, `sums` one for each waiter and round.
extern "C" __global__ __vector__ void gather_numbers(GM_ADDR barrier_lines,
                                                     GM_ADDR numbers_gm,
                                                     GM_ADDR sums_gm) {
    using namespace AscendC;
    GlobalTensor<int32_t> numbers;
    GlobalTensor<int32_t> sums;
    numbers.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(numbers_gm));
    sums.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(sums_gm));
    GroupBarrier<PipeMode::MTE3_MODE> barrier(barrier_lines, arrivals, waiters);
    const uint32_t block =
        GetBlockIdx() ASSERT(GetBlockNum() == arrivals + waiters && "a core for each part");
    LocalTensor<int32_t> tile(TPosition::VECCALC, 0, line);
    for (uint32_t round = 0; round < rounds; ++round) {
        if (block < arrivals) {
            const int32_t powers[rounds * arrivals]{1, 10, 100, 1000};
            Duplicate(tile, powers[round * arrivals + block], line);
            for (uint32_t k = 0; k < 200; ++k) {
                PipeBarrier<PIPE_V>();
                Adds(tile, tile, 0, line);
            }
            SetFlag<HardEvent::V_MTE3>(0);
            WaitFlag<HardEvent::V_MTE3>(0);
            DataCopy(numbers[(round * arrivals + block) * line], tile, line);
            barrier.Arrive(block);
        } else {
            barrier.Wait(block - arrivals);
            int32_t sum = 0;
            for (uint32_t i = 0; i < (round + 1) * arrivals; ++i) {
                GlobalTensor<int32_t> one = numbers[i * line];
                DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(one);
                sum += one.GetValue(0);
            }
            GlobalTensor<int32_t> one = sums[((block - arrivals) * rounds + round) * line];
            one.SetValue(0, sum);
            DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(one);
        }
    }
}

int main() {
    aclInit(nullptr);
    constexpr size_t line_bytes = line * sizeof(int32_t);
    constexpr size_t lines_bytes = waiters * 512;
    constexpr size_t numbers_bytes = rounds * arrivals * line_bytes;
    constexpr size_t sums_bytes = waiters * rounds * line_bytes;
    void* lines = nullptr;
    void* numbers = nullptr;
    void* sums = nullptr;
    aclrtMalloc(&lines, lines_bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&numbers, numbers_bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&sums, sums_bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemset(lines, lines_bytes, 0, lines_bytes);
    aclrtMemset(numbers, numbers_bytes, 0, numbers_bytes);
    aclrtMemset(sums, sums_bytes, 0, sums_bytes);
    gather_numbers<<<arrivals + waiters, nullptr, nullptr>>>(
        static_cast<uint8_t*>(lines), static_cast<uint8_t*>(numbers), static_cast<uint8_t*>(sums));
    std::vector<int32_t> found(sums_bytes / sizeof(int32_t));
    aclrtMemcpy(found.data(), sums_bytes, sums, sums_bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    int wrong = 0;
    for (uint32_t waiter = 0; waiter < waiters; ++waiter) {
        // The first time it adds up what the first round left, 1 + 10, then that of both.
        const int32_t first = found[waiter * rounds * line];
        const int32_t second = found[(waiter * rounds + 1) * line];
        std::printf("waiter %u: %d then %d\n", waiter, first, second);
        wrong += first == 11 ? 0 : 1;
        wrong += second == 1111 ? 0 : 1;
    }
    return wrong;
}
