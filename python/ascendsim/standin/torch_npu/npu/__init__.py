# SPDX-License-Identifier: Apache-2.0
"""torch.npu: the device, its streams, events and memory. One chip is simulated; its clock counts what kernels take."""

import contextlib
import functools
import os
import types
import warnings

import torch

from ascendsim import _front, _program

from .._device import NpuDevice

_library = _front.library()
_current = 0


def is_available():
    return True


def is_initialized():
    return True


def init():
    """Nothing is to be done."""


def device_count():
    return 1


def current_device():
    return _current


def set_device(device):
    """All devices are names of the one chip that is simulated."""
    global _current
    _current = _index(device)


def _chip_name():
    return os.environ.get("ASCENDSIM_CHIP") or "910b3"


@functools.lru_cache(maxsize=None)
def _chip(name):
    """What the file of a chip says, by the path of each value."""
    return {one["path"]: one["value"] for one in _program.call_json(["describe", "chip", name])["parameters"]}


def _total_memory():
    return int(_chip(_chip_name())["hbm.bytes"])


def get_device_name(device=None):
    return "Ascend" + _chip_name().upper()


def get_device_properties(device=None):
    chip = _chip(_chip_name())
    cubes, vectors = int(chip["cores.aic"]), int(chip["cores.aiv"])
    return types.SimpleNamespace(
        name=get_device_name(), total_memory=_total_memory(), cube_core_num=cubes, vector_core_num=vectors, multi_processor_count=cubes
    )


def get_device_capability(device=None):
    return None


def get_soc_version():
    return 220


def _index(device):
    if isinstance(device, int):
        return device
    return NpuDevice(str(device)).index or 0


class device:  # noqa: N801
    """A device for the time of a with statement."""

    def __init__(self, device):
        self._wanted = _index(device) if device is not None else _current

    def __enter__(self):
        global _current
        self._before, _current = _current, self._wanted
        return self

    def __exit__(self, *_):
        set_device(self._before)


def synchronize(device=None):
    """Raises what a kernel has failed with, if its library could not."""
    _front.check()


class Stream:
    """A stream. What is put on it is done at once."""

    def __init__(self, device=None, priority=0, **_):
        self.device = NpuDevice("npu", _index(device) if device is not None else _current)
        self.device_index = self.device.index
        self.priority = priority
        self.npu_stream = 0
        self.stream_id = id(self) & 0xFFFF

    def synchronize(self):
        synchronize()

    def query(self):
        return True

    def wait_stream(self, stream):
        """All has been done."""

    def wait_event(self, event):
        """All has been done."""

    def record_event(self, event=None):
        event = event or Event(enable_timing=True)
        event.record(self)
        return event

    def __enter__(self):
        self._before = current_stream()
        set_stream(self)
        return self

    def __exit__(self, *_):
        set_stream(self._before)


_stream = Stream(0)
_default_stream = _stream


def current_stream(device=None):
    return _stream


def default_stream(device=None):
    return _default_stream


def set_stream(stream):
    global _stream
    if stream is not None:
        _stream = stream


@contextlib.contextmanager
def stream(stream):
    """A stream for the time of a with statement."""
    before = current_stream()
    set_stream(stream)
    try:
        yield stream
    finally:
        set_stream(before)


class Event:
    """A time on the device's clock."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False, **_):
        self._time = None

    def record(self, stream=None):
        self._time = _library.ascendsim_device_time()

    def wait(self, stream=None):
        """All has been done."""

    def query(self):
        return True

    def synchronize(self):
        synchronize()

    def elapsed_time(self, end):
        """Simulated time from this event to `end`, in ms: what kernels between them took."""
        if self._time is None or end._time is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        return (end._time - self._time) / 1000


def memory_allocated(device=None):
    return _library.ascendsim_allocated(0)


def max_memory_allocated(device=None):
    return _library.ascendsim_allocated(1)


memory_reserved = memory_cached = memory_allocated
max_memory_reserved = max_memory_cached = max_memory_allocated


def reset_peak_memory_stats(device=None):
    _library.ascendsim_forget_peak()


reset_max_memory_allocated = reset_max_memory_cached = reset_peak_memory_stats


def mem_get_info(device=None):
    return _total_memory() - memory_allocated(), _total_memory()


def memory_stats(device=None):
    return {"allocated_bytes.all.current": memory_allocated(), "allocated_bytes.all.peak": max_memory_allocated()}


def memory_summary(device=None, abbreviated=False):
    return f"{memory_allocated()} bytes allocated, {max_memory_allocated()} at most"


def empty_cache():
    """Nothing is kept back."""


def set_per_process_memory_fraction(fraction, device=None):
    """Memory has no limit below the chip's."""


def manual_seed(seed):
    torch.manual_seed(seed)


manual_seed_all = manual_seed


def seed():
    torch.seed()


seed_all = seed


def initial_seed():
    return torch.initial_seed()


def get_rng_state(device=None):
    return torch.get_rng_state()


def set_rng_state(state, device=None):
    torch.set_rng_state(state)


def get_amp_supported_dtype():
    return [torch.float16, torch.bfloat16]


def is_autocast_enabled():
    return torch.is_autocast_cpu_enabled()


def is_bf16_supported():
    return True


def set_compile_mode(jit_compile=False):
    """Operators are not compiled at run time here."""


def set_option(options):
    """Options of the vendor's compiler change nothing."""


def set_sync_debug_mode(mode):
    """Nothing runs behind the host."""


def finalize_dump():
    """Nothing is dumped."""


class _Config(types.SimpleNamespace):
    allow_internal_format = False


config = _Config()
matmul = types.SimpleNamespace(allow_hf32=False)
conv = types.SimpleNamespace(allow_hf32=False)


class _Amp:
    """torch.npu.amp: PyTorch's for the CPU."""

    @staticmethod
    def autocast(enabled=True, dtype=torch.float16, cache_enabled=True):
        """As torch_npu's, float16 unless it is told bfloat16. PyTorch's autocast of the CPU may know the latter alone;
        then all stays in the types that it has, which is no less exact, and a warning says so."""
        if enabled and dtype is not torch.bfloat16 and not _casts_to(dtype):
            warnings.warn(f"autocast to {dtype}: PyTorch {torch.__version__} has none for tensors of the CPU; types stay as they are")
            enabled = False
        kept = dtype if enabled else torch.bfloat16
        return torch.autocast("cpu", dtype=kept, enabled=enabled, cache_enabled=cache_enabled)


@functools.lru_cache(maxsize=None)
def _casts_to(dtype):
    """Whether PyTorch multiplies tensors of the CPU in that type."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with torch.autocast("cpu", dtype=dtype):
                return torch.mm(torch.ones(2, 2), torch.ones(2, 2)).dtype is dtype
        except RuntimeError:
            return False


amp = _Amp()


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"torch.npu.{name} is not in AscendSim's stand-in for torch_npu")
