// SPDX-License-Identifier: Apache-2.0
// One instruction, issued again and again on one core: what it costs in isolation or back to back, with its
// operands in banks of one's choice. The kernel reads the core's clock before and after and writes the
// difference.
#include "kernels/ops/micro/instruction/instruction_tiling.hpp"

#ifdef ASCENDSIM_HOST
#include "kernels/ops/micro/instruction/instruction_host.hpp"
#else
#include "kernels/ops/micro/instruction/instruction_cube.h"
#include "kernels/ops/micro/instruction/instruction_vector.h"

using namespace instruction;

extern "C" __global__ __aicore__ void instruction_float16(
    GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR cycles, Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    VectorProgram<half>(tiling).Process(x, y, z, cycles);
}

extern "C" __global__ __aicore__ void instruction_float32(
    GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR cycles, Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    VectorProgram<float>(tiling).Process(x, y, z, cycles);
}

extern "C" __global__ __aicore__ void instruction_int32(
    GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR cycles, Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    VectorProgram<int32_t>(tiling).Process(x, y, z, cycles);
}

extern "C" __global__ __aicore__ void instruction_int16(
    GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR cycles, Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    VectorProgram<int16_t>(tiling).Process(x, y, z, cycles);
}

extern "C" __global__ __aicore__ void instruction_cube(
    GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR cycles, Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    CubeProgram(tiling).Process(x, y, z, cycles);
}
#endif
