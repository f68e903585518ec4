// SPDX-License-Identifier: Apache-2.0
// Every way in which the cores of a launch wait for each other. Each core leaves a number in global memory,
// the first ones later than the others, waits, and adds up what it finds; a core that did not wait finds
// zeros. The last way waits for nothing, to show that.
//   ascendsim run core_sync.cpp --set run.sanitize=false     # the hazard checker does not know flags in
//   memory
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "kernel_operator.h"

constexpr uint32_t line = 16;  // int32 elements of a 64-byte cache line
constexpr uint32_t places = 8;
constexpr uint16_t flag = 3;

enum Way : uint32_t { mode_0, hard, soft, soft_for_some, mode_1, hard_for_all, nothing };

/// A core's number is 10 to the power of its place, so that a sum tells whose are in it.
__aicore__ inline int32_t number_of(uint32_t place) {
    int32_t number = 1;
    for (uint32_t i = 0; i < place; ++i) {
        number *= 10;
    }
    return number;
}

/// A vector core leaves its number, after work that takes the longer the lower its place.
__aicore__ inline void leave(AscendC::GlobalTensor<int32_t> numbers, uint32_t place) {
    using namespace AscendC;
    LocalTensor<int32_t> tile(TPosition::VECCALC, 0, line);
    Duplicate(tile, number_of(place), line);
    for (uint32_t i = place; i < places; ++i) {
        for (uint32_t k = 0; k < 50; ++k) {
            PipeBarrier<PIPE_V>();
            Adds(tile, tile, 0, line);
        }
    }
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
    DataCopy(numbers[place * line], tile, line);
}

/// The sum of the numbers at `first` to `last`, read past the data cache.
__aicore__ inline int32_t sum_of(AscendC::GlobalTensor<int32_t> numbers, uint32_t first, uint32_t last) {
    using namespace AscendC;
    int32_t sum = 0;
    for (uint32_t place = first; place <= last; ++place) {
        GlobalTensor<int32_t> one = numbers[place * line];
        DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(one);
        sum += one.GetValue(0);
    }
    return sum;
}

__aicore__ inline void answer(AscendC::GlobalTensor<int32_t> sums, uint32_t place, int32_t sum) {
    using namespace AscendC;
    GlobalTensor<int32_t> one = sums[place * line];
    one.SetValue(0, sum);
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(one);
}

/// Vector cores alone. `soft_for_some` has two blocks that leave at once.
template <uint32_t way>
__global__ __vector__ void among_vector_cores(GM_ADDR n, GM_ADDR s, GM_ADDR workspace, uint32_t waiting) {
    using namespace AscendC;
    GlobalTensor<int32_t> numbers;
    GlobalTensor<int32_t> sums;
    GlobalTensor<int32_t> flags;
    numbers.SetGlobalBuffer((__gm__ int32_t*)n);
    sums.SetGlobalBuffer((__gm__ int32_t*)s);
    flags.SetGlobalBuffer((__gm__ int32_t*)workspace);
    const LocalTensor<int32_t> space(TPosition::VECCALC, 4096, 256);
    const uint32_t self = GetBlockIdx();
    if (self >= waiting) {
        return;
    }
    leave(numbers, self);
    if constexpr (way == mode_0) {
        CrossCoreSetFlag<0, PIPE_MTE3>(flag);
        CrossCoreWaitFlag(flag);
    } else if constexpr (way == hard) {
        PipeBarrier<PIPE_ALL>();
        SyncAll();
    } else if constexpr (way == soft) {
        PipeBarrier<PIPE_ALL>();
        SyncAll(flags, space);
    } else if constexpr (way == soft_for_some) {
        PipeBarrier<PIPE_ALL>();
        SyncAll(flags, space, static_cast<int32_t>(waiting));
    }
    answer(sums, self, sum_of(numbers, 0, waiting - 1));
}

/// Groups of a cube core and two vector cores: the two wait for each other, or all for all.
template <uint32_t way>
__global__ __mix__(1, 2) void among_groups(GM_ADDR n, GM_ADDR s, GM_ADDR, uint32_t groups) {
    using namespace AscendC;
    GlobalTensor<int32_t> numbers;
    GlobalTensor<int32_t> sums;
    numbers.SetGlobalBuffer((__gm__ int32_t*)n);
    sums.SetGlobalBuffer((__gm__ int32_t*)s);
    if ASCEND_IS_AIC {
        if constexpr (way == hard_for_all) {
            answer(numbers, 2 * groups + GetBlockIdx(), number_of(2 * groups + GetBlockIdx()));
            SyncAll<false>();
            answer(sums, 2 * groups + GetBlockIdx(), sum_of(numbers, 0, 3 * groups - 1));
        }
    }
    if ASCEND_IS_AIV {
        const uint32_t self = GetBlockIdx();
        leave(numbers, self);
        if constexpr (way == mode_1) {
            CrossCoreSetFlag<1, PIPE_MTE3>(flag);
            CrossCoreWaitFlag(flag);
            answer(sums, self, sum_of(numbers, self / 2 * 2, self / 2 * 2 + 1));
        } else {
            PipeBarrier<PIPE_ALL>();
            SyncAll<false>();
            answer(sums, self, sum_of(numbers, 0, 3 * groups - 1));
        }
    }
}

/// Blocks add, and keep the largest and the smallest, in the same places; copies reach a place one after the
/// other.
__global__ __vector__ void together(GM_ADDR n) {
    using namespace AscendC;
    GlobalTensor<int32_t> numbers;
    numbers.SetGlobalBuffer((__gm__ int32_t*)n);
    LocalTensor<int32_t> tile(TPosition::VECCALC, 0, line);
    Duplicate(tile, static_cast<int32_t>(GetBlockIdx()) * 3 - 5, line);  // -5, -2, 1, 4
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
    SetAtomicAdd<int32_t>();
    DataCopy(numbers, tile, line);
    SetAtomicMax<int32_t>();
    DataCopy(numbers[line], tile, line);
    SetAtomicMin<int32_t>();
    DataCopy(numbers[2 * line], tile, line);
    SetAtomicNone();
}

/// Zeros on the device.
uint8_t* zeros(size_t bytes) {
    void* memory = nullptr;
    aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemset(memory, bytes, 0, bytes);
    return static_cast<uint8_t*>(memory);
}

constexpr size_t bytes = places * line * sizeof(int32_t);

std::vector<int32_t> read(uint8_t* device) {
    std::vector<int32_t> values(places * line);
    aclrtMemcpy(values.data(), bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    return values;
}

template <class Launch>
void show(const char* name, uint32_t count, const Launch& launch) {
    uint8_t* sums = zeros(bytes);
    launch(zeros(bytes), sums, zeros(4096));
    const std::vector<int32_t> found = read(sums);
    std::printf("%s:", name);
    for (uint32_t place = 0; place < count; ++place) {
        std::printf(" %d", found[place * line]);
    }
    std::printf("\n");
}

template <uint32_t way>
void vector_cores(const char* name, uint32_t blocks, uint32_t waiting) {
    show(name, waiting, [&](uint8_t* numbers, uint8_t* sums, uint8_t* workspace) {
        among_vector_cores<way><<<blocks, nullptr, nullptr>>>(numbers, sums, workspace, waiting);
    });
}

template <uint32_t way>
void groups(const char* name, uint32_t count) {
    show(name, count, [&](uint8_t* numbers, uint8_t* sums, uint8_t* workspace) {
        among_groups<way><<<2, nullptr, nullptr>>>(numbers, sums, workspace, 2U);
    });
}

int main() {
    aclInit(nullptr);
    aclrtSetDevice(0);
    vector_cores<mode_0>("flag of mode 0", 4, 4);
    vector_cores<hard>("SyncAll", 4, 4);
    vector_cores<soft>("SyncAll in memory", 4, 4);
    vector_cores<soft_for_some>("SyncAll in memory, 3 of 5 blocks", 5, 3);
    groups<mode_1>("flag of mode 1", 4);
    groups<hard_for_all>("SyncAll of all kinds", 6);
    vector_cores<nothing>("nothing", 4, 4);
    uint8_t* numbers = zeros(bytes);
    together<<<4, nullptr, nullptr>>>(numbers);
    const std::vector<int32_t> found = read(numbers);
    std::printf("sum %d, largest %d, smallest %d\n", found[0], found[line], found[2 * line]);
    aclFinalize();
    return 0;
}
