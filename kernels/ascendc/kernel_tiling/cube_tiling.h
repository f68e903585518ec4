// SPDX-License-Identifier: Apache-2.0
// TCubeTiling: how a matrix product is cut, from the host's tiling class to the Matmul object. One struct
// serves the host, which sets fields by calls (optiling), and the kernel, which reads them.
#pragma once

#include <cstdint>
#include <cstring>

#define ASCENDSIM_CUBE_TILING_FIELDS(field)                                                                  \
    field(usedCoreNum) field(M) field(N) field(Ka) field(Kb) field(singleCoreM) field(singleCoreN)           \
        field(singleCoreK) field(baseM) field(baseN) field(baseK) field(depthA1) field(depthB1) field(stepM) \
            field(stepN) field(isBias) field(transLength) field(iterateOrder) field(shareMode)               \
                field(shareL1Size) field(shareL0CSize) field(shareUbSize) field(batchM) field(batchN)        \
                    field(singleBatchM) field(singleBatchN) field(stepKa) field(stepKb)                      \
                        field(depthAL1CacheUB) field(depthBL1CacheUB) field(dbL0A) field(dbL0B) field(dbL0C) \
                            field(ALayoutInfoB) field(ALayoutInfoS) field(ALayoutInfoN) field(ALayoutInfoG)  \
                                field(ALayoutInfoD) field(BLayoutInfoB) field(BLayoutInfoS)                  \
                                    field(BLayoutInfoN) field(BLayoutInfoG) field(BLayoutInfoD)              \
                                        field(CLayoutInfoB) field(CLayoutInfoS1) field(CLayoutInfoN)         \
                                            field(CLayoutInfoG) field(CLayoutInfoS2) field(BatchNum)         \
                                                field(mxTypePara)

namespace AscendC::tiling {

struct TCubeTiling {
#define ASCENDSIM_FIELD(name)                            \
    int32_t name = 0;                                    \
    constexpr void set_##name(int32_t value) {           \
        name = value;                                    \
    }                                                    \
    [[nodiscard]] constexpr int32_t get_##name() const { \
        return name;                                     \
    }
    ASCENDSIM_CUBE_TILING_FIELDS(ASCENDSIM_FIELD)
#undef ASCENDSIM_FIELD

    [[nodiscard]] std::size_t GetDataSize() const {
        return sizeof(TCubeTiling);
    }

    void SaveToBuffer(void* buffer, std::size_t capacity) const {
        const TCubeTiling copy = *this;
        std::memcpy(
            buffer, static_cast<const void*>(&copy), capacity < sizeof(copy) ? capacity : sizeof(copy));
    }
};

}  // namespace AscendC::tiling

using AscendC::tiling::TCubeTiling;
