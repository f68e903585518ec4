# SPDX-License-Identifier: Apache-2.0
"""Arrays of NumPy and CPU tensors of torch, as the files that the simulator reads and writes."""

import ast
import struct
from pathlib import Path

import numpy as np

_MAGIC = b"\x93NUMPY\x01\x00"
_NAMES = {"bool": "bool"} | {
    name: name
    for name in (
        "float16",
        "float32",
        "float64",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
    )
}


class bfloat16:
    """Marks an array of 16-bit patterns as bfloat16, which NumPy has no type for."""

    def __init__(self, bits):
        bits = np.asarray(bits)
        if bits.dtype.itemsize != 2 or bits.dtype.kind not in "iuV":
            raise TypeError(f"bfloat16 takes 16-bit patterns (uint16), not {bits.dtype}")
        self.bits = bits


def is_array(value):
    """True for what Tensor takes: an array of NumPy, marked bits, or a tensor of torch."""
    return isinstance(value, (np.ndarray, bfloat16)) or hasattr(value, "detach")


class Tensor:
    """One array of a call: its element type by name, its shape, its bytes, and how results get back into it."""

    def __init__(self, given):
        self.given = given
        self._torch = None
        if isinstance(given, bfloat16):
            self.array, self.type = given.bits, "bfloat16"
        elif isinstance(given, np.ndarray):
            self.array, self.type = given, _type_of(given.dtype)
        elif hasattr(given, "detach"):  # a tensor of torch, or one of a class of its own
            self._take_torch(given)
        else:
            raise TypeError(f"{type(given).__name__} is neither a NumPy array nor a tensor of torch")

    @property
    def shape(self):
        return list(self.array.shape)

    def _take_torch(self, tensor):
        if getattr(tensor, "is_npu", False):  # of the stand-in for torch_npu: in the CPU's memory, too
            import torch

            tensor = tensor.as_subclass(torch.Tensor)
        if tensor.device.type != "cpu":
            raise TypeError(f"the tensor is on {tensor.device}; only CPU tensors can be passed")
        self._torch = tensor
        name = str(tensor.dtype).removeprefix("torch.")
        detached = tensor.detach()
        if name == "bfloat16":
            import torch

            self.array, self.type = detached.contiguous().view(torch.int16).numpy(), name
        else:
            self.array = detached.numpy()
            self.type = _type_of(self.array.dtype)

    def write(self, file: Path):
        """Writes the array as a .npy file."""
        array = np.ascontiguousarray(self.array)
        if self.type == "bfloat16":
            header = f"{{'descr': '|V2', 'fortran_order': False, 'shape': {tuple(array.shape)}, }}"
            header += " " * (-(len(_MAGIC) + 3 + len(header)) % 64) + "\n"
            file.write_bytes(_MAGIC + struct.pack("<H", len(header)) + header.encode() + array.tobytes())
        else:
            np.save(file, array, allow_pickle=False)

    def take(self, array):
        """Copies a result into the array that was given."""
        if self._torch is not None:
            import torch

            source = torch.from_numpy(np.ascontiguousarray(array.view(self.array.dtype)))
            source = source.view(torch.bfloat16) if self.type == "bfloat16" else source
            with torch.no_grad():
                self._torch.copy_(source.reshape(self._torch.shape))
        else:
            self.array[...] = array.view(self.array.dtype).reshape(self.array.shape)


def _type_of(dtype) -> str:
    if dtype.name == "bfloat16":  # of ml_dtypes
        return "bfloat16"
    if dtype.name not in _NAMES:
        raise TypeError(f"arrays of {dtype} cannot be passed; possible are bfloat16, {', '.join(sorted(_NAMES))}")
    return dtype.name


def read(file: Path):
    """The array of a .npy file; bfloat16 as uint16."""
    return read_typed(file)[0]


def read_typed(file: Path):
    """The array of a .npy file, and the name of its element type; bfloat16 as uint16."""
    with file.open("rb") as stream:
        if stream.read(len(_MAGIC)) == _MAGIC:
            (length,) = struct.unpack("<H", stream.read(2))
            header = ast.literal_eval(stream.read(length).decode("latin1"))
            if header["descr"] in ("|V2", "<V2"):
                return np.frombuffer(stream.read(), dtype=np.uint16).reshape(header["shape"]), "bfloat16"
    array = np.load(file, allow_pickle=False)
    return array, array.dtype.name
