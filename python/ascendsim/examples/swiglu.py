# SPDX-License-Identifier: Apache-2.0
"""SwiGLU, y = silu(x Wg) * (x Wu), as an operator of PyTorch: forward and backward on the simulated chip, in a small
Transformer that trains.

    python3 -m ascendsim.examples.swiglu
"""

import torch
from torch import nn
from torch.nn import functional

import ascendsim
import ascendsim.torch


def check(x, gate, up, *_):
    """What the kernels take. Every other call gets a sentence."""
    if x.dim() != 3:
        raise ValueError(f"swiglu: x has rank {x.dim()}; it must have rank 3: [batch, sequence, hidden]")
    for name, weight in (("gate", gate), ("up", up)):
        if weight.dim() != 2:
            raise ValueError(f"swiglu: {name} has rank {weight.dim()}; it must have rank 2: [hidden, intermediate]")
        if weight.size(0) != x.size(2):
            raise ValueError(
                f"swiglu: the first dimension of {name} is {weight.size(0)}, x's hidden size is {x.size(2)}; they must be equal"
            )
    if gate.shape != up.shape:
        raise ValueError(f"swiglu: gate is {list(gate.shape)}, up is {list(up.shape)}; both must have the same shape")
    if x.size(2) == 0 or x.size(2) % 16 != 0:
        raise ValueError(f"swiglu: the hidden size is {x.size(2)}; it must be a positive multiple of 16")
    for name, tensor in (("x", x), ("gate", gate), ("up", up)):
        if tensor.dtype != torch.float16:
            raise TypeError(f"swiglu: {name} is {tensor.dtype}; the kernels take torch.float16, cast with {name}.half()")


def forward_kernel(x, gate, up, *, out):
    return ascendsim.op("swiglu", x=x, wg=gate, wu=up, out={"y": out}, shape=x.shape, gate=gate.shape, up=up.shape)


def backward_kernel(dy, x, gate, up, *, out):
    results = dict(zip(("dx", "dwg", "dwu"), out))
    shapes = {"shape": x.shape, "gate": gate.shape, "up": up.shape, "pass": "backward"}
    return ascendsim.op("swiglu", dy=dy, x=x, wg=gate, wu=up, out=results, **shapes)


def plain(x, gate, up):
    """The reference, in float32."""
    wide = x.float()
    return functional.silu(wide @ gate.float()) * (wide @ up.float())


def plain_backward(dy, x, gate, up):
    """The gradients of plain(), written out: operators run below PyTorch's autograd."""
    wide, gate, up, dy = x.float(), gate.float(), up.float(), dy.float()
    a, b = wide @ gate, wide @ up
    s = torch.sigmoid(a)
    da, db = dy * b * s * (1 + a * (1 - s)), dy * a * s
    rows = wide.flatten(0, 1).t()
    gradients = da @ gate.t() + db @ up.t(), rows @ da.flatten(0, 1), rows @ db.flatten(0, 1)
    return tuple(one.half() for one in gradients)


swiglu_backward = ascendsim.torch.register(
    "swiglu_backward",
    outputs=lambda dy, x, gate, up: (torch.empty_like(x), torch.empty_like(gate), torch.empty_like(up)),
    returns=3,
    kernel=backward_kernel,
    fallback=plain_backward,
)

swiglu = ascendsim.torch.register(
    "swiglu",
    outputs=lambda x, gate, up: x.new_empty((*x.shape[:2], up.shape[1])),
    kernel=forward_kernel,
    backward="swiglu_backward",
    fallback=lambda x, gate, up: plain(x, gate, up).half(),
    check=check,
    autocast=torch.float16,
)


class SwiGLU(nn.Module):
    """The feed-forward layer; its weights are float32, the kernels compute with float16."""

    def __init__(self, hidden, intermediate):
        super().__init__()
        self.gate = nn.Parameter(torch.randn(hidden, intermediate) / hidden**0.5)
        self.up = nn.Parameter(torch.randn(hidden, intermediate) / hidden**0.5)
        self.down = nn.Linear(intermediate, hidden, bias=False)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = torch.ops.ascendsim.swiglu(x, self.gate, self.up)
        return self.down(y.to(x.dtype))


class Block(nn.Module):
    """Attention and SwiGLU, each behind a norm."""

    def __init__(self, hidden, intermediate, heads):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(hidden), nn.LayerNorm(hidden)])
        self.attention = nn.MultiheadAttention(hidden, heads, batch_first=True)
        self.feed_forward = SwiGLU(hidden, intermediate)

    def forward(self, x):
        y = self.norms[0](x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        return x + self.feed_forward(self.norms[1](x))


class Transformer(nn.Module):
    """Predicts the next of `words` words."""

    def __init__(self, words=16, hidden=32, intermediate=64, heads=2, layers=1):
        super().__init__()
        self.embedding = nn.Embedding(words, hidden)
        self.blocks = nn.Sequential(*[Block(hidden, intermediate, heads) for _ in range(layers)])
        self.head = nn.Linear(hidden, words)

    def forward(self, words):
        return self.head(self.blocks(self.embedding(words)))


def train(steps=8, seed=1, batch=2, length=8, words=16):
    """Trains on sequences that count upwards; returns the loss of each step."""
    torch.manual_seed(seed)
    model = Transformer(words)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-2)
    losses = []
    for _ in range(steps):
        text = (torch.randint(words, (batch, 1)) + torch.arange(length + 1)) % words
        loss = functional.cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss))
    return losses


def main():
    for step, loss in enumerate(train()):
        print(f"step {step}: loss {loss:.3f}")
    for operator in (swiglu, swiglu_backward):
        print(f"{operator.name}: {len(operator.results)} runs, {operator.time_us:.1f} us on the device")


if __name__ == "__main__":
    main()
