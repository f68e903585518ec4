# SPDX-License-Identifier: Apache-2.0
"""Kernels as operators of PyTorch, and the SwiGLU of the examples."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import ascendsim  # noqa: E402
import ascendsim.torch  # noqa: E402
from ascendsim.examples import swiglu as example  # noqa: E402

# y = factor * x, one tile to a core.
SCALE = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void scale(GM_ADDR x, GM_ADDR y, float factor, uint32_t total) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    const uint32_t each = total / GetBlockNum();
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer((__gm__ float*)x + each * GetBlockIdx(), each);
    to.SetGlobalBuffer((__gm__ float*)y + each * GetBlockIdx(), each);
    pipe.InitBuffer(in, 1, each * sizeof(float));
    pipe.InitBuffer(out, 1, each * sizeof(float));
    LocalTensor<float> a = in.AllocTensor<float>();
    DataCopy(a, from, each);
    in.EnQue(a);
    a = in.DeQue<float>();
    LocalTensor<float> b = out.AllocTensor<float>();
    Muls(b, a, factor, each);
    in.FreeTensor(a);
    out.EnQue(b);
    b = out.DeQue<float>();
    DataCopy(to, b, each);
    out.FreeTensor(b);
}
"""


def register_scale(**changes):
    settings = {
        "source": SCALE,
        "outputs": make_scale,
        "launch": lambda x, factor: {"factor": factor, "total": x.numel(), "blocks": 2},
        "backward": lambda grad, x, factor: torch.ops.ascendsim.scale(grad, factor),
        "fallback": lambda x, factor: x * factor,
    }
    return ascendsim.torch.register("scale", **{**settings, **changes})


def make_scale(x, factor: float):
    return torch.empty_like(x)


def test_an_operator_runs_its_kernel_and_has_a_gradient():
    scale = register_scale()
    scale.clear()
    x = torch.arange(64.0).requires_grad_()
    y = torch.ops.ascendsim.scale(x, 3.0)
    y.sum().backward()
    assert torch.equal(y, 3 * x) and torch.equal(x.grad, torch.full((64,), 3.0))
    assert scale.schema == "scale(Tensor x, float factor) -> Tensor"
    assert len(scale.results) == 2 and scale.last.complete and scale.time_us > 0


def test_shapes_are_known_without_a_run():
    scale = register_scale()
    scale.clear()
    y = scale(torch.empty(5, 7, device="meta"), 1.0)
    assert y.shape == (5, 7) and y.device.type == "meta" and not scale.results


def test_autocast_casts_to_the_kernels_type():
    kernel = ascendsim.torch.register(
        "scale_cast", source=SCALE, outputs=make_scale, launch=lambda x, f: {"factor": f, "total": x.numel()}, autocast=torch.float32
    )
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = kernel(torch.full((64,), 2, dtype=torch.bfloat16), 2.0)
    assert y.dtype == torch.float32 and torch.equal(y, torch.full((64,), 4.0))
    with pytest.raises(TypeError, match="'x' has elements of float32 in the kernel; the array has bfloat16"):
        kernel(torch.full((64,), 2, dtype=torch.bfloat16), 2.0)


def test_plain_pytorch_computes_where_the_kernel_cannot_run(monkeypatch):
    scale = register_scale()
    scale.clear()
    x = torch.arange(64.0)
    with ascendsim.torch.simulate("never"):
        assert torch.equal(scale(x, 2.0), 2 * x)
    monkeypatch.delenv("ASCENDSIM", raising=False)
    monkeypatch.setattr("ascendsim._program.program", missing)
    with pytest.warns(UserWarning, match="plain PyTorch computes it, as the program ascendsim is not there"):
        assert torch.equal(scale(x, 2.0), 2 * x)
    with ascendsim.torch.simulate("always"), pytest.raises(ascendsim.UserError, match="not there"):
        scale(x, 2.0)
    register_scale(fallback=None)
    with pytest.raises(ascendsim.UserError, match="not there"):
        scale(x, 2.0)
    assert not scale.results


def missing():
    raise ascendsim.UserError("the program ascendsim is not there")


def test_says_what_is_wrong_with_a_registration():
    with pytest.raises(TypeError, match="give either source= .* or kernel="):
        ascendsim.torch.register("nothing", outputs=make_scale)
    with pytest.raises(ascendsim.UserError, match="there is no such kernel source"):
        ascendsim.torch.register("nothing", source="no_such.cpp", outputs=make_scale)
    with pytest.raises(ValueError, match="is there already with another schema: scale"):
        register_scale(outputs=lambda x: torch.empty_like(x))
    with pytest.raises(RuntimeError, match="has no gradient, but 'x' asks for one: register it with backward="):
        register_scale(backward=None)(torch.ones(64, requires_grad=True), 1.0)
    with pytest.raises(RuntimeError, match="backward returns 3 gradients; it needs one for each of the 1 tensors"):
        register_scale(backward=lambda grad, x, factor: [grad] * 3)(torch.ones(64, requires_grad=True), 1.0).sum().backward()


@pytest.fixture
def tensors():
    generator = torch.Generator().manual_seed(5)
    x, gate, up = (torch.randn(*shape, generator=generator) / 4 for shape in ((2, 24, 48), (48, 80), (48, 80)))
    return x.half(), gate.half(), up.half()


def test_swiglu_agrees_with_float32(tensors):
    y = torch.ops.ascendsim.swiglu(*tensors)
    # Results below 0.25 are rounded to float16 by at most 2^-13 / 2, which is 6.1e-5.
    expected = example.plain(*tensors)
    small = expected.abs() < 0.25
    assert small.float().mean() > 0.5
    assert (y.float() - expected)[small].abs().max() < 1e-4
    torch.testing.assert_close(y.float(), expected, rtol=1e-3, atol=1e-4)
    assert not example.swiglu.last.hazards


def test_gradients_of_swiglu_agree_with_float32(tensors):
    wide = [one.float().requires_grad_() for one in tensors]
    given = [one.clone().requires_grad_() for one in tensors]
    dy = torch.randn(2, 24, 80).half()
    torch.ops.ascendsim.swiglu(*given).backward(dy)
    example.plain(*wide).backward(dy.float())
    for got, expected in zip(given, wide):
        torch.testing.assert_close(got.grad.float(), expected.grad, rtol=4e-3, atol=4e-3)


def test_gradients_of_swiglu_agree_with_differences():
    generator = torch.Generator().manual_seed(6)
    shapes = (1, 16, 16), (16, 16), (16, 16)
    inputs = [(torch.randn(*shape, generator=generator) / 4).requires_grad_() for shape in shapes]

    def function(x, gate, up):
        return torch.ops.ascendsim.swiglu(x.half(), gate.half(), up.half()).float()

    # Results are float16. The fast mode changes all 256 elements of an input at once, each by eps / 16: with 0.25 that is
    # far above the steps of float16 (2^-12 at 0.5), and the second derivative's share stays below 1e-2.
    assert torch.autograd.gradcheck(function, inputs, eps=0.25, atol=2e-2, rtol=5e-2, fast_mode=True)


@pytest.mark.parametrize(
    "change, kind, message",
    [
        (lambda x, g, u: (x[0], g, u), ValueError, "x has rank 2; it must have rank 3"),
        (lambda x, g, u: (x.float(), g, u), TypeError, r"x is torch.float32; the kernels take torch.float16, cast with x.half\(\)"),
        (lambda x, g, u: (x, g, u.bfloat16()), TypeError, "up is torch.bfloat16"),
        (lambda x, g, u: (x, g[:32], u), ValueError, "the first dimension of gate is 32, x's hidden size is 48; they must be equal"),
        (lambda x, g, u: (x, g, u[0]), ValueError, "up has rank 1; it must have rank 2"),
        (lambda x, g, u: (x, g, u[:, :16]), ValueError, "both must have the same shape"),
        (lambda x, g, u: (x[..., :40], g[:40], u[:40]), ValueError, "the hidden size is 40; it must be a positive multiple of 16"),
    ],
)
def test_swiglu_refuses_what_its_kernels_do_not_take(tensors, change, kind, message):
    with pytest.raises(kind, match=message):
        torch.ops.ascendsim.swiglu(*change(*tensors))


def test_a_small_transformer_trains_with_it():
    for operator in (example.swiglu, example.swiglu_backward):
        operator.clear()
    losses = example.train(steps=6)
    with ascendsim.torch.simulate("never"):
        expected = example.train(steps=6)
    assert len(example.swiglu.results) == 6 and len(example.swiglu_backward.results) == 6
    assert losses[-1] < losses[0] / 2
    np.testing.assert_allclose(losses, expected, rtol=0.05, atol=0.02)


def test_a_shipped_kernel_says_what_it_takes():
    x = np.ones((1, 16, 16), np.float16)
    shapes = {"shape": x.shape, "gate": (16, 16), "up": (16, 16)}
    with pytest.raises(ascendsim.UserError, match="the kernel has no input 'weight'.*it has: x, wg, wu"):
        ascendsim.op("swiglu", x=x, weight=x[0], out={"y": np.empty_like(x)}, **shapes)
    with pytest.raises(ascendsim.UserError, match=r"'x' takes \[1, 16, 16\] of float16"):
        ascendsim.op("swiglu", x=x.astype(np.float32), out={"y": np.empty_like(x)}, **shapes)
    with pytest.raises(ascendsim.UserError, match="the kernel has no result 'z'"):
        ascendsim.op("swiglu", x=x, out={"z": np.empty_like(x)}, **shapes)
