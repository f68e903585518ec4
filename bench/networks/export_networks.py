#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Exports networks to ONNX with random weights and one set of inputs each.

  export_networks.py DIR [--only TEXT] [--list]

Writes DIR/NAME/model.onnx and DIR/NAME/INPUT.npy. Needs PyTorch and, for the networks of images, torchvision.
"""
import argparse
import pathlib
import sys
import warnings

import numpy
import torch
from torch import nn

IMAGE_NETWORKS = {  # of torchvision, with the side of their image
    "resnet18": 64, "resnet50": 64, "mobilenet_v2": 64, "vgg16": 224, "densenet121": 64, "vit_b_16": 224,
    "efficientnet_b0": 64, "shufflenet_v2_x1_0": 64, "squeezenet1_1": 64, "googlenet": 64, "inception_v3": 96,
    "convnext_tiny": 64, "swin_t": 64, "regnet_y_400mf": 64, "regnet_x_400mf": 64,
    "mobilenet_v3_small": 64, "mnasnet1_0": 64, "alexnet": 224, "resnext50_32x4d": 64, "efficientnet_v2_s": 64,
    "wide_resnet50_2": 64, "maxvit_t": 224, "convnext_small": 32,
}
SEGMENTATION_NETWORKS = {"fcn_resnet50": 64, "deeplabv3_mobilenet_v3_large": 64, "lraspp_mobilenet_v3_large": 64}
VIDEO_NETWORKS = {"r3d_18": (4, 32), "mc3_18": (4, 32), "r2plus1d_18": (4, 32), "s3d": (16, 224)}
DETECTION_NETWORKS = {"ssdlite320_mobilenet_v3_large": 320, "fasterrcnn_mobilenet_v3_large_320_fpn": 320,
                      "retinanet_resnet50_fpn": 64, "fcos_resnet50_fpn": 64}


class First(nn.Module):
    """Of a network with several results, or a dictionary of them, the first."""

    def __init__(self, of):
        super().__init__()
        self.of = of

    def forward(self, *inputs):
        result = self.of(*inputs)
        while not isinstance(result, torch.Tensor):
            result = next(iter(result.values())) if isinstance(result, dict) else result[0]
        return result


class Bert(nn.Module):
    """Embeddings, encoder layers and a pooler, as BERT has them."""

    def __init__(self, hidden=768, heads=12, layers=2, vocabulary=30522):
        super().__init__()
        self.words = nn.Embedding(vocabulary, hidden)
        self.places = nn.Embedding(512, hidden)
        self.norm = nn.LayerNorm(hidden, eps=1e-12)
        layer = nn.TransformerEncoderLayer(hidden, heads, 4 * hidden, activation="gelu", batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.pooler = nn.Linear(hidden, hidden)

    def forward(self, tokens, mask):
        places = torch.arange(tokens.shape[1], device=tokens.device).unsqueeze(0)
        x = self.norm(self.words(tokens) + self.places(places))
        x = self.encoder(x, src_key_padding_mask=mask == 0)
        return x, torch.tanh(self.pooler(x[:, 0]))


class Attention(nn.Module):
    """Causal self-attention, spelled out."""

    def __init__(self, hidden, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(hidden, 3 * hidden)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x):
        b, s, h = x.shape
        q, k, v = self.qkv(x).split(h, dim=2)
        q, k, v = (t.view(b, s, self.heads, h // self.heads).transpose(1, 2) for t in (q, k, v))
        scores = q @ k.transpose(-2, -1) / (h // self.heads) ** 0.5
        mask = torch.tril(torch.ones(s, s, device=x.device)) == 0
        scores = scores.masked_fill(mask, float("-inf"))
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, s, h))


class Gpt(nn.Module):
    def __init__(self, hidden=128, heads=4, layers=2, vocabulary=1000):
        super().__init__()
        self.words = nn.Embedding(vocabulary, hidden)
        self.places = nn.Parameter(torch.randn(1, 64, hidden) * 0.02)
        self.blocks = nn.ModuleList(
            nn.ModuleList([nn.LayerNorm(hidden), Attention(hidden, heads), nn.LayerNorm(hidden),
                           nn.Sequential(nn.Linear(hidden, 4 * hidden), nn.GELU(), nn.Linear(4 * hidden, hidden))])
            for _ in range(layers))
        self.norm = nn.LayerNorm(hidden)

    def forward(self, tokens):
        x = self.words(tokens) + self.places[:, :tokens.shape[1]]
        for before, attention, between, feed in self.blocks:
            x = x + attention(before(x))
            x = x + feed(between(x))
        return self.norm(x) @ self.words.weight.t()


class RmsNorm(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


class LlamaLayer(nn.Module):
    """Rotary embedding, grouped queries, SwiGLU; with a cache of keys and values."""

    def __init__(self, hidden=256, heads=8, groups=2, inner=688):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, hidden // heads
        self.q = nn.Linear(hidden, hidden, bias=False)
        self.k = nn.Linear(hidden, groups * self.size, bias=False)
        self.v = nn.Linear(hidden, groups * self.size, bias=False)
        self.o = nn.Linear(hidden, hidden, bias=False)
        self.gate, self.up = nn.Linear(hidden, inner, bias=False), nn.Linear(hidden, inner, bias=False)
        self.down = nn.Linear(inner, hidden, bias=False)
        self.before, self.between = RmsNorm(hidden), RmsNorm(hidden)

    def rotated(self, x, places):
        rates = 1.0 / (10000.0 ** (torch.arange(0, self.size, 2).float() / self.size))
        angles = places[:, :, None].float() * rates
        cos, sin = (torch.cat([f(angles), f(angles)], -1)[:, None] for f in (torch.cos, torch.sin))
        half = self.size // 2
        return x * cos + torch.cat([-x[..., half:], x[..., :half]], -1) * sin

    def forward(self, x, places, keys, values):
        b, s, h = x.shape
        y = self.before(x)
        q = self.rotated(self.q(y).view(b, s, self.heads, self.size).transpose(1, 2), places)
        k = self.rotated(self.k(y).view(b, s, self.groups, self.size).transpose(1, 2), places)
        v = self.v(y).view(b, s, self.groups, self.size).transpose(1, 2)
        keys, values = torch.cat([keys, k], 2), torch.cat([values, v], 2)
        all_k = keys[:, :, None].expand(-1, -1, self.heads // self.groups, -1, -1).reshape(b, self.heads, -1, self.size)
        all_v = values[:, :, None].expand(-1, -1, self.heads // self.groups, -1, -1).reshape(b, self.heads, -1, self.size)
        scores = (q @ all_k.transpose(2, 3)) * self.size ** -0.5
        causal = torch.arange(all_k.shape[2])[None, None, None] <= places[:, None, :, None]
        scores = torch.where(causal, scores, torch.tensor(-10000.0))
        x = x + self.o((scores.softmax(-1) @ all_v).transpose(1, 2).reshape(b, s, h))
        y = self.between(x)
        return x + self.down(nn.functional.silu(self.gate(y)) * self.up(y)), keys, values


class Recurrent(nn.Module):
    def __init__(self, kind, **options):
        super().__init__()
        self.cell = kind(32, 48, **options)
        self.last = nn.Linear(48 * (2 if options.get("bidirectional") else 1), 10)

    def forward(self, x):
        return self.last(self.cell(x)[0])


class Tagger(nn.Module):
    """Embedding, a bidirectional LSTM whose states are results, too."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(500, 32)
        self.cell = nn.LSTM(32, 64, 2, batch_first=True, bidirectional=True)
        self.last = nn.Linear(128, 9)

    def forward(self, tokens):
        y, (hidden, state) = self.cell(self.words(tokens))
        return self.last(y).log_softmax(-1), hidden, state


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        def block(a, b):
            return nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.LeakyReLU(0.1))
        self.down1, self.down2, self.middle = block(3, 16), block(16, 32), block(32, 64)
        self.up2, self.up1 = nn.ConvTranspose2d(64, 32, 2, 2), nn.ConvTranspose2d(32, 16, 4, 2, 1)
        self.join2, self.join1 = block(64, 32), block(32, 16)
        self.last = nn.Conv2d(16, 2, 1)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(nn.functional.max_pool2d(a, 2))
        c = self.middle(nn.functional.max_pool2d(b, 2))
        y = self.join2(torch.cat([self.up2(c), b], 1))
        return self.last(self.join1(torch.cat([self.up1(y), a], 1))).sigmoid()


class SuperResolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 32, 5, padding=2), nn.PReLU(32), nn.Conv2d(32, 9, 3, padding=1),
                                  nn.PixelShuffle(3))

    def forward(self, x):
        y = self.body(x)
        return y + nn.functional.interpolate(x, scale_factor=3.0, mode="bilinear", align_corners=False)


class YoloHead(nn.Module):
    """Detections of one grid: SiLU convolutions, a spatial pyramid pool, decoded boxes."""

    def __init__(self):
        super().__init__()
        def conv(a, b, k, s=1):
            return nn.Sequential(nn.Conv2d(a, b, k, s, k // 2, bias=False), nn.BatchNorm2d(b), nn.SiLU())
        self.stem = nn.Sequential(conv(3, 16, 6, 2), conv(16, 32, 3, 2), conv(32, 64, 3, 2))
        self.pool = nn.MaxPool2d(5, 1, 2)
        self.join = conv(256, 64, 1)
        self.head = nn.Conv2d(64, 3 * 15, 1)
        self.anchors = nn.Parameter(torch.tensor([[10., 13.], [16., 30.], [33., 23.]]).view(1, 3, 1, 1, 2))

    def forward(self, x):
        x = self.stem(x)
        a = self.pool(x)
        b = self.pool(a)
        x = self.head(self.join(torch.cat([x, a, b, self.pool(b)], 1)))
        n, _, h, w = x.shape
        x = x.view(n, 3, 15, h, w).permute(0, 1, 3, 4, 2).sigmoid()
        ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        grid = torch.stack((xs, ys), 2).view(1, 1, h, w, 2).float()
        xy = (x[..., 0:2] * 2 - 0.5 + grid) * 8
        wh = (x[..., 2:4] * 2) ** 2 * self.anchors
        return torch.cat((xy, wh, x[..., 4:]), -1).view(n, -1, 15)


class WaveNet(nn.Module):
    """Dilated convolutions over one axis with gates."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(8, 32, 1)
        self.gates = nn.ModuleList(nn.Conv1d(32, 64, 3, padding=2 ** i, dilation=2 ** i) for i in range(4))
        self.outs = nn.ModuleList(nn.Conv1d(32, 32, 1) for _ in range(4))
        self.norm = nn.GroupNorm(4, 32)

    def forward(self, x):
        x = self.first(x)
        for gate, out in zip(self.gates, self.outs):
            a, b = gate(x).chunk(2, 1)
            x = x + out(torch.tanh(a) * torch.sigmoid(b))
        return self.norm(x).mean(-1)


class Voice(nn.Module):
    """A spectrum by convolution, a small encoder, an LSTM with its state as input and result."""

    def __init__(self):
        super().__init__()
        self.basis = nn.Conv1d(1, 130, 128, 64, bias=False)
        self.encoder = nn.Sequential(nn.Conv1d(65, 32, 3, 1, 1), nn.ReLU(), nn.Conv1d(32, 32, 3, 2, 1), nn.ReLU())
        self.cell = nn.LSTM(32, 32, 1)
        self.last = nn.Conv1d(32, 1, 1)

    def forward(self, x, hidden, state):
        x = nn.functional.pad(x, (32, 32), mode="reflect")
        y = self.basis(x.unsqueeze(1))
        y = torch.sqrt(y[:, :65] ** 2 + y[:, 65:] ** 2 + 1e-6)
        y = self.encoder(torch.log(y + 1e-3))
        y, (hidden, state) = self.cell(y.permute(2, 0, 1), (hidden, state))
        return torch.sigmoid(self.last(y.permute(1, 2, 0).relu())).mean(2), hidden, state


class Recommender(nn.Module):
    """Embedding bags and dense features, crossed, then an MLP."""

    def __init__(self):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(n, 16) for n in (1000, 500, 100))
        self.bottom = nn.Sequential(nn.Linear(13, 64), nn.ReLU(), nn.Linear(64, 16), nn.ReLU())
        self.top = nn.Sequential(nn.Linear(22, 64), nn.ReLU(), nn.Linear(64, 1), nn.Sigmoid())

    def forward(self, dense, ids):
        x = self.bottom(dense)
        rows = [x] + [t(ids[:, i]).sum(1) for i, t in enumerate(self.tables)]
        stacked = torch.stack(rows, 1)
        crossed = torch.bmm(stacked, stacked.transpose(1, 2))
        i, j = torch.tril_indices(4, 4, -1)
        return self.top(torch.cat([x, crossed[:, i, j]], 1))


class Graphs(nn.Module):
    """A graph network over an adjacency matrix."""

    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(24, 32), nn.Linear(32, 7)

    def forward(self, x, adjacency):
        a = adjacency + torch.eye(adjacency.shape[0])
        d = a.sum(1).pow(-0.5)
        a = d[:, None] * a * d[None, :]
        return nn.functional.log_softmax(a @ self.two(torch.relu(a @ self.one(x))), 1)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerDecoderLayer(64, 4, 128, batch_first=True, norm_first=True)
        self.decoder = nn.TransformerDecoder(layer, 2)

    def forward(self, x, memory):
        n = x.shape[1]
        mask = torch.triu(torch.full((n, n), float("-inf")), 1)
        return self.decoder(x, memory, tgt_mask=mask)


class Generator(nn.Module):
    """An image from noise."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.ConvTranspose2d(32, 64, 4), nn.BatchNorm2d(64), nn.ReLU(), nn.ConvTranspose2d(64, 32, 4, 2, 1),
            nn.InstanceNorm2d(32, affine=True), nn.ELU(), nn.Upsample(scale_factor=2), nn.ReflectionPad2d(1),
            nn.Conv2d(32, 3, 3), nn.Tanh())

    def forward(self, z):
        return self.body(z[:, :, None, None])


class Beam(nn.Module):
    """One step of a beam search: top-k over scores, indices split into beam and word."""

    def forward(self, scores, logits):
        total = scores[:, :, None] + logits.log_softmax(-1)
        best, index = total.flatten(1).topk(4, dim=1)
        words = index % logits.shape[2]
        beams = torch.div(index, logits.shape[2], rounding_mode="floor")
        return best, words, beams, torch.cumsum(best, 1), torch.argmax(logits, -1)


def tokens(*shape, most):
    return torch.randint(0, most, shape)


def seeded(make):
    torch.manual_seed(1)
    return make()


def settled(network):
    """Statistics and scales of norms as of a trained network, so that no error hides in ones and zeros."""
    for module in network.modules():
        if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)):
            nn.init.uniform_(module.running_mean, -0.2, 0.2)
            nn.init.uniform_(module.running_var, 0.5, 1.5)
        if isinstance(module, nn.Linear) and not module.weight.any():
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, (nn.BatchNorm2d, nn.LayerNorm, nn.GroupNorm)) and module.weight is not None:
            nn.init.uniform_(module.weight, 0.7, 1.3)
            nn.init.uniform_(module.bias, -0.2, 0.2)
    return network


def of_torchvision(all_):
    try:
        from torchvision import models
    except ImportError:
        print("no torchvision: without its networks", file=sys.stderr)
        return
    for name, side in IMAGE_NETWORKS.items():
        extra = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
        make = lambda name=name, extra=extra: models.get_model(name, weights=None, **extra)
        all_[name] = (make, lambda side=side: (torch.randn(1, 3, side, side),), {})
    for name, side in SEGMENTATION_NETWORKS.items():
        make = lambda name=name: First(models.get_model(name, weights=None, weights_backbone=None))
        all_[name] = (make, lambda side=side: (torch.randn(1, 3, side, side),), {})
    for name, (frames, side) in VIDEO_NETWORKS.items():
        make = lambda name=name: models.get_model(name, weights=None)
        all_[name] = (make, lambda f=frames, s=side: (torch.randn(1, 3, f, s, s),), {})
    for name, side in DETECTION_NETWORKS.items():
        make = lambda name=name: models.get_model(name, weights=None, weights_backbone=None)
        all_[name] = (make, lambda side=side: ([torch.rand(3, side, side)],), {})
    all_["resnet50_full"] = (lambda: models.resnet50(), lambda: (torch.randn(1, 3, 224, 224),), {})
    all_["resnet18_batch"] = (lambda: models.resnet18(), lambda: (torch.randn(2, 3, 64, 64),),
                              {"dynamic_axes": {"x": {0: "batch"}}, "input_names": ["x"]})
    all_["resnet18_opset9"] = (lambda: models.resnet18(), lambda: (torch.randn(1, 3, 64, 64),), {"opset_version": 9})
    all_["mobilenet_v2_opset7"] = (lambda: models.mobilenet_v2(), lambda: (torch.randn(1, 3, 64, 64),),
                                   {"opset_version": 7})
    all_["resnet18_unfolded"] = (lambda: models.resnet18(), lambda: (torch.randn(1, 3, 64, 64),),
                                 {"do_constant_folding": False, "training": torch.onnx.TrainingMode.PRESERVE,
                                  "keep_initializers_as_inputs": True})


def networks():
    all_ = {}
    of_torchvision(all_)
    r = torch.randn
    all_["bert"] = (Bert, lambda: (tokens(2, 16, most=30522), torch.ones(2, 16, dtype=torch.int64)),
                    {"input_names": ["tokens", "mask"]})
    all_["bert_dynamic"] = (Bert, lambda: (tokens(2, 16, most=30522), torch.ones(2, 16, dtype=torch.int64)),
                            {"input_names": ["tokens", "mask"], "output_names": ["states", "pooled"],
                             "dynamic_axes": {n: {0: "batch", 1: "sequence"} for n in ("tokens", "mask")}})
    all_["encoder"] = (lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, 128), 2), lambda: (r(10, 2, 64),), {})
    all_["decoder"] = (Decoder, lambda: (r(2, 6, 64), r(2, 9, 64)), {})
    all_["gpt"] = (Gpt, lambda: (tokens(1, 12, most=1000),), {})
    all_["gpt_dynamic"] = (Gpt, lambda: (tokens(1, 12, most=1000),),
                           {"input_names": ["tokens"], "dynamic_axes": {"tokens": {0: "batch", 1: "sequence"}}})
    all_["llama_prefill"] = (LlamaLayer, lambda: (r(1, 8, 256), torch.arange(8)[None], r(1, 2, 0, 32), r(1, 2, 0, 32)), {})
    all_["llama_decode"] = (LlamaLayer, lambda: (r(1, 1, 256), torch.tensor([[20]]), r(1, 2, 20, 32), r(1, 2, 20, 32)),
                            {"input_names": ["x", "places", "keys", "values"],
                             "dynamic_axes": {"keys": {2: "past"}, "values": {2: "past"}}})
    for name, kind in (("lstm", nn.LSTM), ("gru", nn.GRU), ("rnn", nn.RNN)):
        all_[name] = (lambda kind=kind: Recurrent(kind), lambda: (r(7, 3, 32),), {})
        all_[name + "_both"] = (lambda kind=kind: Recurrent(kind, num_layers=2, bidirectional=True, batch_first=True),
                                lambda: (r(3, 7, 32),), {})
        all_[name + "_dynamic"] = (lambda kind=kind: Recurrent(kind), lambda: (r(7, 3, 32),),
                                   {"input_names": ["x"], "dynamic_axes": {"x": {0: "steps", 1: "batch"}}})
    all_["tagger"] = (Tagger, lambda: (tokens(2, 9, most=500),), {})
    all_["unet"] = (UNet, lambda: (r(1, 3, 32, 32),), {})
    all_["super_resolution"] = (SuperResolution, lambda: (r(1, 1, 20, 24),), {})
    all_["super_resolution_dynamic"] = (SuperResolution, lambda: (r(1, 1, 20, 24),),
                                        {"input_names": ["x"], "dynamic_axes": {"x": {0: "n", 2: "h", 3: "w"}}})
    all_["yolo"] = (YoloHead, lambda: (torch.rand(1, 3, 64, 64),), {})
    all_["yolo_opset11"] = (YoloHead, lambda: (torch.rand(1, 3, 64, 64),), {"opset_version": 11})
    all_["wavenet"] = (WaveNet, lambda: (r(2, 8, 100),), {})
    all_["voice"] = (Voice, lambda: (r(1, 512), torch.zeros(1, 1, 32), torch.zeros(1, 1, 32)), {"opset_version": 16})
    all_["recommender"] = (Recommender, lambda: (r(8, 13), tokens(8, 3, 5, most=100)), {})
    all_["graph_network"] = (Graphs, lambda: (r(20, 24), (torch.rand(20, 20) > 0.7).float()), {})
    all_["generator"] = (Generator, lambda: (r(2, 32),), {})
    all_["beam"] = (Beam, lambda: (r(2, 4), r(2, 4, 50)), {})
    all_["mlp_half"] = (lambda: nn.Sequential(nn.Linear(64, 128), nn.SiLU(), nn.LayerNorm(128), nn.Linear(128, 8)),
                        lambda: (r(4, 64),), {"opset_version": 17})
    return all_


def export(name, make, inputs, options, folder):
    network = settled(seeded(make)).eval()
    arguments = inputs()
    folder.mkdir(parents=True, exist_ok=True)
    flat = [t for a in arguments for t in (a if isinstance(a, list) else [a])]
    names = options.get("input_names", [f"input{i}" for i in range(len(flat))])
    settings = {"opset_version": 14, "input_names": names, **options}
    torch.onnx.export(network, arguments, str(folder / "model.onnx"), **settings)
    for input_name, tensor in zip(names, flat):
        numpy.save(folder / f"{input_name}.npy", tensor.numpy())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    failed = 0
    for name, (make, inputs, options) in networks().items():
        if arguments.only not in name or (arguments.folder / name / "model.onnx").exists():
            continue
        if arguments.list:
            print(name)
            continue
        try:
            export(name, make, inputs, options, arguments.folder / name)
            print(f"{name}: exported", flush=True)
        except Exception as error:  # whatever stops PyTorch stops one network alone
            failed += 1
            print(f"{name}: PyTorch cannot export it: {str(error).splitlines()[0]}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
