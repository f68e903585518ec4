#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a network whose every result is rounded to float16, to tell what that type alone costs a network.

  rounded_network.py DIR OUT

DIR holds model.onnx in float32 and its inputs as .npy; OUT becomes a folder of the same form. ONNX Runtime computes
each operator of OUT/model.onnx in float32, on constants that are float16 numbers, and only what it hands on is rounded,
as a device does that holds results as float16 and makes no other error. Constants of BatchNormalization, which a
converter folds in float32, and those beyond the range of float16 stay, and so does what is inside of If and Loop.
Needs protobuf-compiler, python3-protobuf and libonnx-dev.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy

FLOAT, INT64, BOOL, HALF = 1, 7, 9, 10  # TensorProto.DataType
INTEGER = 2  # AttributeProto.AttributeType
OF_ANOTHER_TYPE = {
    **dict.fromkeys(["Shape", "Size", "NonZero", "ArgMax", "ArgMin"], INT64),
    **dict.fromkeys(["Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Not", "And", "Or", "Xor", "IsNaN",
                     "IsInf"], BOOL),
}


def messages():
    """The module that protoc makes of ONNX's own schema."""
    schema = pathlib.Path("/usr/include/onnx/onnx.proto")
    with tempfile.TemporaryDirectory() as folder:
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


def type_of_result(node, types):
    """The first result's type; None if it is not told apart here, and then it stays as it is."""
    attributes = {attribute.name: attribute for attribute in node.attribute}
    if node.op_type == "Cast":
        return attributes["to"].i
    if node.op_type in ("Constant", "ConstantOfShape"):
        return attributes["value"].t.data_type if "value" in attributes else None
    if node.op_type in OF_ANOTHER_TYPE:
        return OF_ANOTHER_TYPE[node.op_type]
    given = node.input[1:] if node.op_type == "Where" else node.input
    return types.get(given[0]) if given else None


def round_results(graph):
    nodes = list(graph.node)
    folded = {name for node in nodes if node.op_type == "BatchNormalization" for name in node.input[1:]}
    types = {value.name: value.type.tensor_type.elem_type for value in graph.input}
    for tensor in graph.initializer:
        types[tensor.name] = tensor.data_type
        if tensor.name not in folded:
            round_tensor(tensor)
    del graph.node[:]
    for node in nodes:
        result = type_of_result(node, types)
        types.update(dict.fromkeys(node.output, result))
        if node.op_type == "Constant" and node.output[0] not in folded:
            for attribute in node.attribute:
                round_tensor(attribute.t)
        graph.node.append(node)
        if result == FLOAT and node.op_type not in ("Constant", "TopK"):  # TopK's second result are indices
            kept = graph.node[-1]
            for at, name in enumerate(node.output):
                if name:
                    kept.output[at] = name + "__exact"
                    add_cast(graph, name + "__exact", name + "__half", HALF)
                    add_cast(graph, name + "__half", name, FLOAT)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, out = map(pathlib.Path, sys.argv[1:])
    if not (source / "model.onnx").is_file():
        sys.exit(f"{source} holds no model.onnx")
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
