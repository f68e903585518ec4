#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the small networks of decisions.toml, whose size is the open extent N. usage: write_decisions.py [FOLDER]"""
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from write_networks import Attention, Network  # noqa: E402


def norm_of_channels(net, x, channels):
    return net.node("BatchNormalization", x, *(net.weight(channels) for _ in range(4)))


def silu(net, x, out=None):
    return net.node("Mul", x, net.node("Sigmoid", x), out=out)


def conv(net, x, channels, out, taps):
    return net.node("Conv", x, net.weight(out, channels, taps, taps), pads=[taps // 2] * 4)


def ints(net, *values):
    return net.node("Constant", value_ints=list(values))


def conv_bn_relu():
    net = Network()
    net.node("Relu", norm_of_channels(net, conv(net, "x", 64, 64, 3), 64), out="y")
    return net, ["float[1,64,N,N] x"], ["float[1,64,N,N] y"]


def conv_bn_silu():
    net = Network()
    silu(net, norm_of_channels(net, conv(net, "x", 64, 64, 3), 64), "y")
    return net, ["float[1,64,N,N] x"], ["float[1,64,N,N] y"]


def reference_case():
    """The reference case of the seed: 64 to 128 channels, 3 x 3, N images of 224 x 224."""
    net = Network()
    net.node("Relu", norm_of_channels(net, conv(net, "x", 64, 128, 3), 128), out="y")
    return net, ["float[N,64,224,224] x"], ["float[N,128,224,224] y"]


def focus_conv():
    net = Network()
    far, axes, steps = ints(net, 100000, 100000), ints(net, 2, 3), ints(net, 2, 2)
    parts = [net.node("Slice", "x", ints(net, y, x), far, axes, steps) for x in (0, 1) for y in (0, 1)]
    net.node("Conv", net.node("Concat", *parts, axis=1), net.weight(64, 12, 3, 3), pads=[1] * 4, out="y")
    return net, ["float[1,3,N,N] x"], ["float[1,64,M,M] y"]


def c3():
    """The two 1 x 1 convolutions that a C3 block starts with, one bottleneck, and the one that joins them."""
    net = Network()
    y = silu(net, conv(net, "x", 64, 32, 1))
    z = silu(net, conv(net, silu(net, conv(net, y, 32, 32, 1)), 32, 32, 3))
    left = net.node("Add", y, z)
    right = silu(net, conv(net, "x", 64, 32, 1))
    silu(net, conv(net, net.node("Concat", left, right, axis=1), 64, 64, 1), "y")
    return net, ["float[1,64,N,N] x"], ["float[1,64,N,N] y"]


def spp():
    net = Network()
    pools = [net.node("MaxPool", "x", kernel_shape=[k, k], strides=[1, 1], pads=[k // 2] * 4) for k in (5, 9, 13)]
    net.node("Concat", "x", *pools, axis=1, out="y")
    return net, ["float[1,64,N,N] x"], ["float[1,256,N,N] y"]


def matmul_add():
    net = Network()
    net.node("Add", net.node("MatMul", "x", net.weight("N", "N")), net.weight("N"), out="y")
    return net, ["float[N,N] x"], ["float[N,N] y"]


def matmul_add_relu():
    net = Network()
    net.node("Relu", net.node("Add", net.node("MatMul", "x", net.weight("N", "N")), net.weight("N")), out="y")
    return net, ["float[N,N] x"], ["float[N,N] y"]


def lstm_gates():
    """One step of a cell with 512 values: four gates of input and state, their bias and activation."""
    net = Network()
    gates = net.node("Add", net.node("MatMul", "x", net.weight(1024, 2048)), net.weight(2048))
    net.node("Sigmoid", gates, out="y")
    return net, ["float[N,1024] x"], ["float[N,2048] y"]


def linear_bn_relu():
    net = Network()
    y = net.node("Gemm", "x", net.weight(1024, 1024), net.weight(1024))
    net.node("Relu", norm_of_channels(net, y, 1024), out="y")
    return net, ["float[N,1024] x"], ["float[N,1024] y"]


def layer_norm_gelu():
    net = Network()
    x = net.node("LayerNormalization", "x", net.weight(1024), net.weight(1024), axis=-1)
    root, one, half = (net.node("Constant", value_float=v) for v in (1.4142135, 1.0, 0.5))
    erf = net.node("Add", net.node("Erf", net.node("Div", x, root)), one)
    net.node("Mul", net.node("Mul", x, erf), half, out="y")
    return net, ["float[N,1024] x"], ["float[N,1024] y"]


def residual_norm():
    net = Network()
    total = net.node("Add", "x", "residual")
    net.node("LayerNormalization", total, net.weight(1024), net.weight(1024), axis=-1, out="y")
    return net, ["float[N,1024] x", "float[N,1024] residual"], ["float[N,1024] y"]


def element_wise():
    net = Network()
    x = net.node("Add", net.node("Mul", "x", net.weight(1024)), net.weight(1024))
    silu(net, x, "y")
    return net, ["float[N,1024] x"], ["float[N,1024] y"]


def swiglu():
    net = Network()
    gate = silu(net, net.node("MatMul", "x", net.weight(1024, 2816)))
    net.node("Mul", gate, net.node("MatMul", "x", net.weight(1024, 2816)), out="y")
    return net, ["float[N,1024] x"], ["float[N,2816] y"]


def heads():
    return [f"float[1,8,N,64] {name}" for name in "qkv"]


def attended(net, q, k, out=None):
    turned = net.node("Transpose", k, perm=[0, 1, 3, 2])
    scores = net.node("Mul", net.node("MatMul", q, turned), net.node("Constant", value_float=0.125))
    return net.node("MatMul", net.node("Softmax", scores, axis=-1), "v", out=out)


def attention():
    net = Network()
    attended(net, "q", "k", "y")
    return net, heads(), ["float[1,8,N,64] y"]


def rotary_attention():
    net = Network()
    low, high, end, last = ints(net, 0), ints(net, 32), ints(net, 64), ints(net, 3)

    def rotated(x):
        first, second = net.node("Slice", x, low, high, last), net.node("Slice", x, high, end, last)
        turned = net.node("Concat", net.node("Neg", second), first, axis=-1)
        return net.node("Add", net.node("Mul", x, "cosine"), net.node("Mul", turned, "sine"))

    attended(net, rotated("q"), rotated("k"), "y")
    return net, [*heads(), "float[N,64] cosine", "float[N,64] sine"], ["float[1,8,N,64] y"]


def embedding_bag():
    net = Network()
    rows = net.node("Gather", net.weight(10000, 64), "words", axis=0)
    x = net.node("ReduceSum", rows, ints(net, 1), keepdims=0)
    net.node("Relu", net.node("Gemm", x, net.weight(256, 64), net.weight(256), transB=1), out="y")
    return net, ["int64[N,20] words"], ["float[N,256] y"]


def encoder_layer():
    """Attention with its linear maps, residual, norm and a feed-forward part: 512 wide, 8 heads, N tokens."""
    of = Attention(512, 8)
    x = of.norm(of.net.node("Add", "x", of.attention("x", "x")))
    of.net.node("Add", x, of.feed(x), out="y")
    return of.net, ["float[1,N,512] x"], ["float[1,N,512] y"]


PATTERNS = (conv_bn_relu, conv_bn_silu, reference_case, focus_conv, c3, spp, matmul_add, matmul_add_relu, lstm_gates,
            linear_bn_relu, layer_norm_gelu, residual_norm, element_wise, swiglu, attention, rotary_attention,
            embedding_bag, encoder_layer)


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    for pattern in PATTERNS:
        net, inputs, outputs = pattern()
        text = net.text(pattern.__name__, inputs, outputs)
        (folder / f"{pattern.__name__}.onnxtxt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
