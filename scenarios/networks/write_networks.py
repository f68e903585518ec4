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


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    for network in (resnet50, bert_base):
        (folder / f"{network.__name__}.onnxtxt").write_text(network(), encoding="utf-8")


if __name__ == "__main__":
    main()
