#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a network whose every result is rounded to float16, to tell what that type alone costs a network.

  rounded_network.py DIR OUT

DIR holds model.onnx in float32 and its inputs as .npy; OUT becomes a folder of the same form. ONNX Runtime computes each
operator of OUT/model.onnx in float32, on constants that are float16 numbers, and only what it hands on is rounded: no
device that holds results as float16 and rounds each once does better, but for luck. Constants of BatchNormalization, which a converter
folds in float32, and those beyond the range of float16 stay. Needs protobuf-compiler, python3-protobuf and libonnx-dev.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy

FLOAT, HALF = 1, 10  # TensorProto.DataType
INTEGER = 2  # AttributeProto.AttributeType
AS_THEY_ARE = {"Shape", "Cast", "Slice", "Gather"}  # move values, or make integers


def messages():
    """The module that protoc makes of ONNX's own schema."""
    schema = pathlib.Path("/usr/include/onnx/onnx.proto")
    folder = tempfile.mkdtemp()
    subprocess.run(["protoc", f"--proto_path={schema.parent}", f"--python_out={folder}", schema.name], check=True)
    sys.path.insert(0, folder)
    import onnx_pb2
    return onnx_pb2


def round_tensor(tensor):
    if tensor.data_type != FLOAT:
        return
    raw = tensor.HasField("raw_data")
    values = numpy.frombuffer(tensor.raw_data, "<f4") if raw else numpy.array(tensor.float_data, "<f4")
    if values.size == 0 or numpy.abs(values).max() > numpy.finfo(numpy.float16).max:
        return
    rounded = values.astype(numpy.float16).astype("<f4")
    if raw:
        tensor.raw_data = rounded.tobytes()
    else:
        del tensor.float_data[:]
        tensor.float_data.extend(rounded.tolist())


def add_cast(graph, taken, given, to):
    cast = graph.node.add(op_type="Cast", input=[taken], output=[given])
    cast.attribute.add(name="to", i=to, type=INTEGER)


def round_results(graph):
    nodes = list(graph.node)
    folded = {name for node in nodes if node.op_type == "BatchNormalization" for name in node.input[1:]}
    for tensor in graph.initializer:
        if tensor.name not in folded:
            round_tensor(tensor)
    del graph.node[:]
    for node in nodes:
        if node.op_type == "Constant":
            for attribute in node.attribute:
                if node.output[0] not in folded:
                    round_tensor(attribute.t)
        if node.op_type == "Constant" or node.op_type in AS_THEY_ARE:
            graph.node.append(node)
            continue
        result = node.output[0]
        node.output[0] = result + "__exact"
        graph.node.append(node)
        add_cast(graph, result + "__exact", result + "__half", HALF)
        add_cast(graph, result + "__half", result, FLOAT)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, out = map(pathlib.Path, sys.argv[1:])
    model = messages().ModelProto()
    model.ParseFromString((source / "model.onnx").read_bytes())
    round_results(model.graph)
    out.mkdir(parents=True, exist_ok=True)
    (out / "model.onnx").write_bytes(model.SerializeToString())
    for file in source.glob("*.npy"):
        shutil.copyfile(file, out / file.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
