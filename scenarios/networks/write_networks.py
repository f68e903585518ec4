#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the networks of this folder in ONNX's text form: shapes without weights. usage: write_networks.py [FOLDER]"""
import pathlib
import sys


class Network:
    """Collects nodes; weights are inputs whose names begin with `weights_`."""

    def __init__(self):
        self.nodes = []
        self.weights = []

    def weight(self, *shape):
        name = f"weights_{len(self.weights)}"
        self.weights.append(f"float[{','.join(map(str, shape))}] {name}")
        return name

    def node(self, op, *inputs, out=None, **attributes):
        out = out or f"{op.lower()}_{len(self.nodes)}"
        stated = ", ".join(f"{k} = {str(v).replace(chr(39), chr(34))}" for k, v in attributes.items())
        stated = f" <{stated}>" if stated else ""
        self.nodes.append(f"  {out} = {op}{stated} ({', '.join(inputs)})")
        return out

    def text(self, name, inputs, outputs, opset=17):
        head = f'<ir_version: 8, opset_import: ["" : {opset}]>\n'
        takes = ",\n  ".join([*inputs, *self.weights])
        return f"{head}{name} (\n  {takes}\n) => ({', '.join(outputs)}) {{\n" + "\n".join(self.nodes) + "\n}\n"


def resnet50():
    """He et al. 2015, version 1.5 (the stride in the 3 x 3 convolution), batch norms folded into the filters."""
    net = Network()

    def conv(x, channels, out, filter_size, stride=1, relu=True):
        pad = filter_size // 2
        y = net.node("Conv", x, net.weight(out, channels, filter_size, filter_size), net.weight(out),
                     strides=[stride] * 2, pads=[pad] * 4)
        return net.node("Relu", y) if relu else y

    x = conv("image", 3, 64, 7, 2)
    x = net.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    channels = 64
    for stage, blocks in enumerate([3, 4, 6, 3]):
        width = 64 << stage
        for block in range(blocks):
            stride = 2 if stage > 0 and block == 0 else 1
            y = conv(conv(x, channels, width, 1), width, width, 3, stride)
            y = conv(y, width, 4 * width, 1, relu=False)
            if block == 0:
                x = conv(x, channels, 4 * width, 1, stride, relu=False)
            x = net.node("Relu", net.node("Add", y, x))
            channels = 4 * width
    x = net.node("Flatten", net.node("GlobalAveragePool", x))
    net.node("Gemm", x, net.weight(1000, 2048), net.weight(1000), out="scores", transB=1)
    return net.text("resnet50", ["float[N,3,224,224] image"], ["float[N,1000] scores"])


def bert_base(length=128, hidden=768, heads=12, layers=12, vocabulary=30522):
    """Devlin et al. 2018, base, as PyTorch exports its encoder: 128 tokens, GELU by erf."""
    net = Network()

    def linear(x, inputs, outputs):
        return net.node("Add", net.node("MatMul", x, net.weight(inputs, outputs)), net.weight(outputs))

    def norm(x):
        return net.node("LayerNormalization", x, net.weight(hidden), net.weight(hidden), axis=-1)

    def scalar(value):
        return net.node("Constant", value_float=value)

    split = net.node("Constant", value_ints=[0, 0, heads, hidden // heads])
    joined = net.node("Constant", value_ints=[0, 0, hidden])
    scale, root, one, half = scalar(8.0), scalar(1.4142135), scalar(1.0), scalar(0.5)
    words = net.node("Gather", net.weight(vocabulary, hidden), "tokens", axis=0)
    x = norm(net.node("Add", words, net.weight(length, hidden)))
    for _ in range(layers):
        q, k, v = (net.node("Reshape", linear(x, hidden, hidden), split) for _ in range(3))
        q = net.node("Transpose", q, perm=[0, 2, 1, 3])
        k = net.node("Transpose", k, perm=[0, 2, 3, 1])
        v = net.node("Transpose", v, perm=[0, 2, 1, 3])
        scores = net.node("Add", net.node("Div", net.node("MatMul", q, k), scale), "mask")
        y = net.node("MatMul", net.node("Softmax", scores, axis=-1), v)
        y = net.node("Reshape", net.node("Transpose", y, perm=[0, 2, 1, 3]), joined)
        x = norm(net.node("Add", linear(y, hidden, hidden), x))
        y = linear(x, hidden, 4 * hidden)
        erf = net.node("Add", net.node("Erf", net.node("Div", y, root)), one)
        y = net.node("Mul", net.node("Mul", y, erf), half)
        x = norm(net.node("Add", linear(y, 4 * hidden, hidden), x))
    net.node("Identity", x, out="states")
    return net.text("bert_base", [f"int64[N,{length}] tokens", f"float[N,1,1,{length}] mask"],
                    [f"float[N,{length},{hidden}] states"])


def unet3d(shape=(64, 128, 128), base=32, levels=4, classes=3):
    """Cicek et al. 2016, 3-D U-Net, with padding so that extents stay; batch norms folded into the filters."""
    net = Network()

    def conv(x, channels, out, filter_size=3, relu=True):
        y = net.node("Conv", x, net.weight(out, channels, *[filter_size] * 3), net.weight(out),
                     kernel_shape=[filter_size] * 3, pads=[filter_size // 2] * 6)
        return net.node("Relu", y) if relu else y

    x, channels, skips = "volume", 1, []
    for level in range(levels):
        width = base << level
        x = conv(conv(x, channels, width), width, 2 * width)
        channels = 2 * width
        if level + 1 < levels:
            skips.append((x, channels))
            x = net.node("MaxPool", x, kernel_shape=[2] * 3, strides=[2] * 3)
    for step, (skip, width) in enumerate(reversed(skips)):
        # a transposed convolution of 2 x 2 x 2 without overlap: eight results of each position, then put in place
        x = conv(x, channels, 8 * channels, 1, relu=False)
        depth, height, across = (extent >> levels - 1 - step for extent in shape)
        parts = net.node("Constant", value_ints=[0, channels, 2, 2, 2, depth, height, across])
        x = net.node("Transpose", net.node("Reshape", x, parts), perm=[0, 1, 5, 2, 6, 3, 7, 4])
        whole = net.node("Constant", value_ints=[0, channels, 2 * depth, 2 * height, 2 * across])
        x = net.node("Reshape", x, whole)
        x = net.node("Concat", skip, x, axis=1)
        x = conv(conv(x, channels + width, width), width, width)
        channels = width
    y = conv(x, channels, classes, 1, relu=False)
    net.node("Identity", y, out="scores")
    extents = ",".join(map(str, shape))
    return net.text("unet3d", [f"float[N,1,{extents}] volume"], [f"float[N,{classes},{extents}] scores"])


def yolov5s(side=640, classes=80):
    """Jocher et al. 2020, version 5, small: Focus, C3, SPP and three heads; batch norms folded into the filters."""
    net = Network()

    def conv(x, channels, out, filter_size=1, stride=1):
        y = net.node("Conv", x, net.weight(out, channels, filter_size, filter_size), net.weight(out),
                     strides=[stride] * 2, pads=[filter_size // 2] * 4)
        return net.node("Mul", y, net.node("Sigmoid", y))

    def ints(*values):
        return net.node("Constant", value_ints=list(values))

    def joined(*parts):
        return net.node("Concat", *parts, axis=1)

    def c3(x, channels, out, blocks, shortcut=True):
        half = out // 2
        y = conv(x, channels, half)
        for _ in range(blocks):
            z = conv(conv(y, half, half), half, half, 3)
            y = net.node("Add", y, z) if shortcut else z
        return conv(joined(y, conv(x, channels, half)), 2 * half, out)

    def spp(x, channels):
        half = channels // 2
        x = conv(x, channels, half)
        pools = [net.node("MaxPool", x, kernel_shape=[k, k], strides=[1, 1], pads=[k // 2] * 4) for k in (5, 9, 13)]
        return conv(joined(x, *pools), 4 * half, channels)

    far, axes, steps = ints(side, side), ints(2, 3), ints(2, 2)
    parts = [net.node("Slice", "image", ints(y, x), far, axes, steps) for x in (0, 1) for y in (0, 1)]
    x = conv(joined(*parts), 12, 32, 3)
    x = c3(conv(x, 32, 64, 3, 2), 64, 64, 1)
    fine = c3(conv(x, 64, 128, 3, 2), 128, 128, 3)
    middle = c3(conv(fine, 128, 256, 3, 2), 256, 256, 3)
    x = c3(spp(conv(middle, 256, 512, 3, 2), 512), 512, 512, 1, False)
    twice = net.node("Constant", value_floats=[1.0, 1.0, 2.0, 2.0])

    def doubled(x):
        return net.node("Resize", x, "", twice, mode="'nearest'", nearest_mode="'floor'",
                        coordinate_transformation_mode="'asymmetric'")

    coarse = conv(x, 512, 256)
    x = c3(joined(doubled(coarse), middle), 512, 256, 1, False)
    between = conv(x, 256, 128)
    fine = c3(joined(doubled(between), fine), 256, 128, 1, False)
    middle = c3(joined(conv(fine, 128, 128, 3, 2), between), 256, 256, 1, False)
    last = c3(joined(conv(middle, 256, 256, 3, 2), coarse), 512, 512, 1, False)
    heads = []
    for i, (y, channels, stride) in enumerate([(fine, 128, 8), (middle, 256, 16), (last, 512, 32)]):
        each = classes + 5
        y = net.node("Conv", y, net.weight(3 * each, channels, 1, 1), net.weight(3 * each))
        y = net.node("Reshape", y, ints(0, 3, each, side // stride, side // stride))
        y = net.node("Sigmoid", net.node("Transpose", y, perm=[0, 1, 3, 4, 2]))
        heads.append(net.node("Reshape", y, ints(0, -1, each)))
    net.node("Concat", *heads, out="boxes", axis=1)
    return net.text("yolov5s", [f"float[N,3,{side},{side}] image"], [f"float[N,25200,{classes + 5}] boxes"])


def lstm(steps=32, width=256, hidden=512):
    """Hochreiter and Schmidhuber 1997: two layers, and a projection of the last state."""
    net = Network()
    x = net.node("Transpose", "x", perm=[1, 0, 2])
    one = net.node("Constant", value_ints=[1])
    for inputs in (width, hidden):
        x = net.node("LSTM", x, net.weight(1, 4 * hidden, inputs), net.weight(1, 4 * hidden, hidden),
                     net.weight(1, 8 * hidden), hidden_size=hidden)
        x = net.node("Squeeze", x, one)
    last = net.node("Gather", x, net.node("Constant", value_int=steps - 1), axis=0)
    net.node("Gemm", last, net.weight(10, hidden), net.weight(10), out="scores", transB=1)
    return net.text("lstm", [f"float[N,{steps},{width}] x"], ["float[N,10] scores"])


def embedding_mlp(words=20, vocabulary=100000, width=128, hidden=512):
    """A bag of embeddings, summed, through a perceptron of three layers."""
    net = Network()
    rows = net.node("Gather", net.weight(vocabulary, width), "words", axis=0)
    x = net.node("ReduceSum", rows, net.node("Constant", value_ints=[1]), keepdims=0)
    for inputs, outputs in ((width, hidden), (hidden, hidden)):
        x = net.node("Relu", net.node("Gemm", x, net.weight(outputs, inputs), net.weight(outputs), transB=1))
    x = net.node("Gemm", x, net.weight(1, hidden), net.weight(1), transB=1)
    net.node("Sigmoid", x, out="score")
    return net.text("embedding_mlp", [f"int64[N,{words}] words"], ["float[N,1] score"])


class Attention:
    """Linear maps, norms and attention of one network."""

    def __init__(self, hidden, heads):
        self.net, self.hidden, self.heads = Network(), hidden, heads

    def scalar(self, value):
        return self.net.node("Constant", value_float=value)

    def ints(self, *values):
        return self.net.node("Constant", value_ints=list(values))

    def linear(self, x, inputs, outputs, bias=True):
        y = self.net.node("MatMul", x, self.net.weight(inputs, outputs))
        return self.net.node("Add", y, self.net.weight(outputs)) if bias else y

    def norm(self, x):
        return self.net.node("LayerNormalization", x, self.net.weight(self.hidden), self.net.weight(self.hidden), axis=-1)

    def root_norm(self, x):
        square = self.net.node("ReduceMean", self.net.node("Mul", x, x), axes=[-1], keepdims=1)
        root = self.net.node("Sqrt", self.net.node("Add", square, self.scalar(0.00001)))
        return self.net.node("Mul", self.net.node("Div", x, root), self.net.weight(self.hidden))

    def split(self, x, heads, perm=(0, 2, 1, 3)):
        y = self.net.node("Reshape", x, self.ints(0, 0, heads, self.hidden // self.heads))
        return self.net.node("Transpose", y, perm=list(perm))

    def attended(self, q, k, v, mask=None):
        """q [N, heads, S, d], k [N, heads, d, S], v [N, heads, S, d] -> [N, S, hidden]."""
        scores = self.net.node("Mul", self.net.node("MatMul", q, k), self.scalar((self.hidden // self.heads) ** -0.5))
        scores = self.net.node("Add", scores, mask) if mask else scores
        y = self.net.node("MatMul", self.net.node("Softmax", scores, axis=-1), v)
        return self.net.node("Reshape", self.net.node("Transpose", y, perm=[0, 2, 1, 3]), self.ints(0, 0, self.hidden))

    def attention(self, x, memory, mask=None):
        q = self.split(self.linear(x, self.hidden, self.hidden), self.heads)
        k = self.split(self.linear(memory, self.hidden, self.hidden), self.heads, (0, 2, 3, 1))
        v = self.split(self.linear(memory, self.hidden, self.hidden), self.heads)
        return self.linear(self.attended(q, k, v, mask), self.hidden, self.hidden)

    def feed(self, x):
        y = self.linear(x, self.hidden, 4 * self.hidden)
        erf = self.net.node("Add", self.net.node("Erf", self.net.node("Div", y, self.scalar(1.4142135))), self.scalar(1.0))
        y = self.net.node("Mul", self.net.node("Mul", y, erf), self.scalar(0.5))
        return self.linear(y, 4 * self.hidden, self.hidden)


def encoder_block(name, tokens, masked):
    of = Attention(1280, 16)
    y = of.norm("x")
    x = of.net.node("Add", "x", of.attention(y, y, "mask" if masked else None))
    of.net.node("Add", x, of.feed(of.norm(x)), out="y")
    inputs = [f"float[N,{tokens},1280] x"] + ([f"float[N,1,1,{tokens}] mask"] if masked else [])
    return of.net.text(name, inputs, [f"float[N,{tokens},1280] y"])


def vision_block():
    """One layer of an image encoder: 197 tokens of 1280, 16 heads of 80."""
    return encoder_block("vision_block", 197, False)


def text_block():
    """One layer of a text encoder: 77 tokens of 1280, 16 heads of 80, with a mask."""
    return encoder_block("text_block", 77, True)


def cross_attention():
    """Attention between modes, both ways: 197 tokens of an image, 77 of a text."""
    of = Attention(1280, 16)
    of.net.node("Add", "image", of.attention(of.norm("image"), "text"), out="image_out")
    of.net.node("Add", "text", of.attention(of.norm("text"), "image"), out="text_out")
    return of.net.text("cross_attention", ["float[N,197,1280] image", "float[N,77,1280] text"],
                       ["float[N,197,1280] image_out", "float[N,77,1280] text_out"])


def llama_layer(name, tokens, past, hidden=4096, heads=32, groups=8, inner=14336):
    """A decoder layer as of Llama 3 with 8 billion weights: rotary embedding, 8 groups of keys, SwiGLU."""
    of = Attention(hidden, heads)
    net, size = of.net, hidden // heads
    low, high, end, last = of.ints(0), of.ints(size // 2), of.ints(size), of.ints(3)

    def rotated(x):
        first, second = net.node("Slice", x, low, high, last), net.node("Slice", x, high, end, last)
        turned = net.node("Concat", net.node("Neg", second), first, axis=-1)
        return net.node("Add", net.node("Mul", x, "cosine"), net.node("Mul", turned, "sine"))

    def repeated(x):
        wide = net.node("Unsqueeze", x, of.ints(2))
        wide = net.node("Expand", wide, of.ints(1, 1, heads // groups, 1, 1))
        return net.node("Reshape", wide, of.ints(0, heads, -1, size))

    y = of.root_norm("x")
    q = rotated(of.split(of.linear(y, hidden, hidden, False), heads))
    k = rotated(of.split(of.linear(y, hidden, groups * size, False), groups))
    v = of.split(of.linear(y, hidden, groups * size, False), groups)
    if past:
        k, v = net.node("Concat", "past_keys", k, axis=2), net.node("Concat", "past_values", v, axis=2)
    net.node("Identity", k, out="keys")
    net.node("Identity", v, out="values")
    turned = net.node("Transpose", repeated(k), perm=[0, 1, 3, 2])
    y = of.attended(q, turned, repeated(v), None if past else "mask")
    x = net.node("Add", "x", of.linear(y, hidden, hidden, False))
    y = of.root_norm(x)
    gate = of.linear(y, hidden, inner, False)
    gate = net.node("Mul", gate, net.node("Sigmoid", gate))
    y = net.node("Mul", gate, of.linear(y, hidden, inner, False))
    net.node("Add", x, of.linear(y, inner, hidden, False), out="y")
    inputs = [f"float[N,{tokens},{hidden}] x", f"float[{tokens},{size}] cosine", f"float[{tokens},{size}] sine"]
    cache = f"float[N,{groups},past,{size}]"
    inputs += [f"{cache} past_keys", f"{cache} past_values"] if past else [f"float[1,1,{tokens},{tokens}] mask"]
    held = f"float[N,{groups},all,{size}]" if past else f"float[N,{groups},{tokens},{size}]"
    return net.text(name, inputs, [f"float[N,{tokens},{hidden}] y", f"{held} keys", f"{held} values"])


def llama_prefill():
    """All tokens of a prompt at once; its length is open."""
    return llama_layer("llama_prefill", "tokens", False)


def llama_decode():
    """One token behind `past` others."""
    return llama_layer("llama_decode", 1, True)


def swiglu(tokens=512, hidden=4096, inner=16384):
    """silu(x Wg) * (x Wu) alone, of a feed-forward part."""
    net = Network()
    gate = net.node("MatMul", "x", net.weight(hidden, inner))
    up = net.node("MatMul", "x", net.weight(hidden, inner))
    net.node("Mul", net.node("Mul", gate, net.node("Sigmoid", gate)), up, out="y")
    return net.text("swiglu", [f"float[N,{tokens},{hidden}] x"], [f"float[N,{tokens},{inner}] y"])


def expert_layer(tokens=512, hidden=1024, inner=2048, experts=8, chosen=2):
    """A mixture of experts, each with room for `slots` rows: two for each token, by a router's choice that is given."""
    net = Network()

    def ints(*values):
        return net.node("Constant", value_ints=list(values))

    rows = net.node("Reshape", "x", ints(-1, hidden))
    scores = net.node("Softmax", net.node("MatMul", rows, net.weight(hidden, experts)), axis=-1)
    shares = net.node("Gather", net.node("Reshape", scores, ints(-1, 1)), "choices", axis=0)
    taken = net.node("Gather", rows, "slots", axis=0)
    gate = net.node("MatMul", taken, net.weight(experts, hidden, inner))
    up = net.node("MatMul", taken, net.weight(experts, hidden, inner))
    y = net.node("Mul", net.node("Mul", gate, net.node("Sigmoid", gate)), up)
    y = net.node("Reshape", net.node("MatMul", y, net.weight(experts, inner, hidden)), ints(-1, hidden))
    y = net.node("Mul", net.node("Gather", y, "places", axis=0), shares)
    y = net.node("ReduceSum", y, ints(1), keepdims=0)
    net.node("Add", "x", net.node("Reshape", y, ints(-1, tokens, hidden)), out="y")
    return net.text("expert_layer",
                    [f"float[N,{tokens},{hidden}] x", f"int64[{experts},slots] slots", f"int64[rows,{chosen}] choices",
                     f"int64[rows,{chosen}] places"], [f"float[N,{tokens},{hidden}] y"])


NETWORKS = (resnet50, bert_base, yolov5s, lstm, embedding_mlp, vision_block, text_block, cross_attention,
            llama_prefill, llama_decode, swiglu, expert_layer, unet3d)


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    for network in NETWORKS:
        (folder / f"{network.__name__}.onnxtxt").write_text(network(), encoding="utf-8")


if __name__ == "__main__":
    main()
