# SPDX-License-Identifier: Apache-2.0
"""The shared memory and the clock of programs whose launches are simulated: libascendcl.so, and PyTorch's allocations."""

import ctypes
import functools
import hashlib
import subprocess

from . import _place
from ._errors import UserError


@functools.lru_cache(maxsize=None)
def library():
    """libascendcl.so, whose symbols libraries loaded from here on find."""
    found = ctypes.CDLL(str(_place.front() / "libascendcl.so"), mode=ctypes.RTLD_GLOBAL)
    found.ascendsim_device_time.restype = ctypes.c_double
    found.ascendsim_launch_count.restype = ctypes.c_size_t
    found.ascendsim_allocated.restype = ctypes.c_size_t
    found.ascendsim_take_failure.restype = ctypes.c_char_p
    found.ascendsim_note_launch.argtypes = [ctypes.c_char_p, ctypes.c_uint32, ctypes.c_double, ctypes.c_char_p]
    found.ascendsim_note_launch.restype = None
    found.ascendsim_launch.restype = ctypes.c_char_p
    found.ascendsim_launch.argtypes = [
        ctypes.c_size_t, *[ctypes.POINTER(one) for one in (ctypes.c_uint32, ctypes.c_double, ctypes.c_double, ctypes.c_char_p)]
    ]
    return found


@functools.lru_cache(maxsize=None)
def load(torch):
    """Lets tensors that PyTorch allocates from here on lie where kernels see them."""
    library()
    shared = ctypes.CDLL(str(_allocator(torch)), mode=ctypes.RTLD_GLOBAL)
    shared.ascendsim_take_allocations()


def loaded() -> bool:
    """Whether this process has the device's clock."""
    return library.cache_info().currsize > 0


def launches(since=0) -> list:
    """Kernels that have run, from the launch of this number on: (name, blocks, start in us, time in us, type)."""
    blocks, start, us, kind = ctypes.c_uint32(), ctypes.c_double(), ctypes.c_double(), ctypes.c_char_p()
    found = []
    for i in range(since, library().ascendsim_launch_count()):
        name = library().ascendsim_launch(i, blocks, start, us, kind)
        if name is None:  # the library was closed meanwhile
            break
        found.append((name.decode(), blocks.value, start.value, us.value, kind.value.decode()))
    return found


def check():
    """Raises what a launch of a library without exceptions has left."""
    words = library().ascendsim_take_failure().decode()
    if words:
        raise RuntimeError(words)


def _allocator(torch):
    source = _place.standin() / "include" / "allocator.cpp"
    version = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2] if part.isdigit())
    words = ["-DASCENDSIM_CONST=" + ("" if version >= (2, 3) else "const")]
    words += ["-DASCENDSIM_COPIES"] if version >= (2, 2) else []
    words.append(f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}")
    digest = hashlib.sha256("\n".join([source.read_text(), torch.__version__, torch.__file__, *words]).encode()).hexdigest()[:16]
    made = _place.cache() / f"allocator.{digest}.so"
    if made.is_file():
        return made
    fresh = made.with_suffix(".fresh.so")
    command = ["g++", "-std=gnu++17", "-O1", "-fPIC", "-shared", *words, *[f"-isystem{one}" for one in _place.torch_includes()]]
    command += [str(source), f"-L{_place.torch_folder() / 'lib'}", "-lc10", "-o", str(fresh)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise UserError(f"PyTorch's allocations cannot be taken over; does it come with its headers?\n{done.stderr.strip()[:800]}")
    fresh.rename(made)
    return made
