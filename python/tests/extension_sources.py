# SPDX-License-Identifier: Apache-2.0
"""Sources of an extension of PyTorch, in the forms that published ones have."""

KERNELS = """
#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
__aicore__ inline void scaled(GM_ADDR x, GM_ADDR y, float factor, uint32_t total) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, total * sizeof(T));
    GlobalTensor<T> from, to;
    from.SetGlobalBuffer((__gm__ T*)x, total);
    to.SetGlobalBuffer((__gm__ T*)y, total);
    LocalTensor<T> all = buffer.Get<T>();
    DataCopy(all, from, total);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Muls(all, all, T(factor), total);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(to, all, total);
}

// Launched by its name from the host's file.
extern "C" __global__ __aicore__ void scale_float(GM_ADDR x, GM_ADDR y, float factor, uint32_t total) {
    scaled<float>(x, y, factor, total);
}

// Launched in this file.
template <typename T>
__global__ __aicore__ void scale_any(GM_ADDR x, GM_ADDR y, float factor, uint32_t total) {
    scaled<T>(x, y, factor, total);
}

extern "C" void launch_half(void* stream, void* x, void* y, float factor, uint32_t total) {
    scale_any<half><<<1, nullptr, stream>>>((GM_ADDR)x, (GM_ADDR)y, factor, total);
}

extern "C" __global__ __aicore__ void crash(GM_ADDR x) {
    *(volatile int*)0x70000000 = 1;
}
"""

BINDING = """
#include <torch/extension.h>
#include <torch/library.h>

#include "acl/acl.h"
#include "aclrtlaunch_crash.h"
#include "aclrtlaunch_scale_float.h"
#include "tiling/platform/platform_ascendc.h"
#include "torch_npu/csrc/core/npu/NPUStream.h"
#include "torch_npu/csrc/framework/OpCommand.h"

extern "C" void launch_half(void* stream, void* x, void* y, float factor, uint32_t total);

at::Tensor scale(const at::Tensor& x, double factor) {
    TORCH_CHECK(x.device().type() == c10::DeviceType::PrivateUse1, "x must be on the device");
    at::Tensor y = at::empty_like(x);
    auto stream = c10_npu::getCurrentNPUStream().stream(false);
    if (x.scalar_type() == at::kHalf) {
        launch_half(stream, x.data_ptr(), y.data_ptr(), float(factor), uint32_t(x.numel()));
        return y;
    }
    auto call = [=]() -> int {
        return int(ACLRT_LAUNCH_KERNEL(scale_float)(1, stream, x.data_ptr(), y.data_ptr(), float(factor), uint32_t(x.numel())));
    };
    at_npu::native::OpCommand::RunOpApi("scale", call);
    return y;
}

void crash_now(const at::Tensor& x) {
    ACLRT_LAUNCH_KERNEL(crash)(1, c10_npu::getCurrentNPUStream().stream(), x.data_ptr());
}

int64_t cores() {
    return platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAic();
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("scale", &scale);
    m.def("crash", &crash_now);
    m.def("cores", &cores);
}

TORCH_LIBRARY(scaling, m) {
    m.def("scale(Tensor x, float factor) -> Tensor");
}

TORCH_LIBRARY_IMPL(scaling, PrivateUse1, m) {
    m.impl("scale", &scale);
}
"""

SUITE = """
import pytest
import torch
import torch_npu
import scaling_ops

torch.npu.set_device("npu:1")

@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_scale(dtype):
    x = torch.rand(64, device="npu", dtype=dtype)
    start, end = torch.npu.Event(enable_timing=True), torch.npu.Event(enable_timing=True)
    start.record()
    y = scaling_ops.scale(x, 2.0)
    end.record()
    torch.npu.synchronize()
    assert torch.equal(y.cpu(), (x * 2).cpu())
    assert 0 < start.elapsed_time(end) < 1

def test_operator():
    x = torch.ones(64).npu()
    y = torch.ops.scaling.scale(x, 3.0)
    assert x.device.type == "npu" and y.device == torch.device("npu", 0) and y.cpu().sum() == 192

def test_crash():
    scaling_ops.crash(torch.ones(64).npu())

def test_goes_on_behind_a_crash():
    assert scaling_ops.scale(torch.ones(64).npu(), 5.0).cpu().sum() == 320

def test_platform():
    assert scaling_ops.cores() == 20

def test_of_a_newer_pytorch():
    torch.no_such_function_yet(1)

def test_what_is_not_there():
    torch_npu.npu_fusion_attention(1)
"""
