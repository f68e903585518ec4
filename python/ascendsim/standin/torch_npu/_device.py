# SPDX-License-Identifier: Apache-2.0
"""The device "npu": a name for the CPU that tensors remember."""

import functools

import torch

_Device = torch.device  # PyTorch's own
_FACTORIES = (
    "arange as_tensor empty empty_like empty_strided eye full full_like linspace logspace ones ones_like rand rand_like randint "
    "randint_like randn randn_like randperm scalar_tensor tensor zeros zeros_like tril_indices triu_indices hann_window normal"
).split()
_METHODS = "new_empty new_full new_ones new_tensor new_zeros".split()


class _Kind(type):
    def __instancecheck__(cls, one):
        return isinstance(one, (_Device, NpuDevice))

    def __subclasscheck__(cls, kind):
        return issubclass(kind, (_Device, NpuDevice))


class device(metaclass=_Kind):  # noqa: N801: takes the place of torch.device
    """As torch.device, which this takes the place of; it also knows "npu"."""

    def __new__(cls, kind="cpu", index=None):
        if isinstance(kind, int):
            return NpuDevice("npu", kind)
        if is_npu(kind):
            return NpuDevice(kind, index)
        return _Device(kind) if index is None else _Device(kind, index)


class NpuDevice(str):
    """The device "npu" or "npu:1"; as a text it is its own name."""

    def __new__(cls, kind="npu", index=None):
        name = str(kind)
        if index is not None:
            name = f"{name.split(':')[0]}:{index}"
        return super().__new__(cls, name)

    @property
    def type(self):
        return "npu"

    @property
    def index(self):
        return int(self.split(":")[1]) if ":" in self else None

    def __repr__(self):
        return f"device(type='npu'{'' if self.index is None else f', index={self.index}'})"

    def __eq__(self, other):
        return is_npu(other) and (NpuDevice(other).index or 0) == (self.index or 0)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(("npu", self.index or 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


names = {"npu", "privateuseone"}  # of the device


def is_npu(one) -> bool:
    """True for "npu", "npu:0" and devices of that name."""
    return isinstance(one, str) and one.split(":")[0] in names


class NpuTensor(torch.Tensor):
    """A tensor on the device "npu". What is computed from it is one, too."""

    @property
    def device(self):
        return NpuDevice("npu", 0)

    @property
    def is_npu(self):
        return True

    @property
    def is_cpu(self):
        return False

    def cpu(self, *_, **__):
        return _plain(self).clone()

    def npu(self, *_, **__):
        return self

    def get_device(self):
        return 0

    def numpy(self, *_, **__):
        raise TypeError("can't convert npu:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.")

    def __reduce_ex__(self, protocol):
        return _rebuilt, (_plain(self),)

    def __repr__(self, *_, **__):
        return repr(_plain(self))[:-1] + ", device='npu:0')"

    def __deepcopy__(self, memo):
        made = placed(_plain(self).detach().clone()).requires_grad_(self.requires_grad)
        memo[id(self)] = made
        return made

    def type(self, dtype=None, non_blocking=False, **_):
        if dtype is None:
            return _plain(self).type().replace("torch.", "torch.npu.")
        return _plain_type(self, dtype)


def _plain_type(tensor, dtype):
    if isinstance(dtype, str):
        dtype = dtype.replace("torch.npu.", "torch.")
    return placed(_plain(tensor).type(dtype))


def _rebuilt(tensor):
    return placed(tensor)


def _plain(tensor):
    """The same tensor as one of the CPU."""
    return tensor.as_subclass(torch.Tensor) if isinstance(tensor, NpuTensor) else tensor


def placed(tensor):
    """The same tensor as one of the device."""
    if isinstance(tensor, torch.nn.Parameter) or isinstance(tensor, NpuTensor):
        return tensor
    return tensor.as_subclass(NpuTensor)


def _without(arguments, options):
    """Arguments without the device "npu", and whether it was among them."""
    found = is_npu(options.get("device"))
    if found or isinstance(options.get("device"), NpuDevice):
        options = {key: value for key, value in options.items() if key != "device"}
    if options.get("pin_memory"):
        options = {key: value for key, value in options.items() if key != "pin_memory"}
    kept = [one for one in arguments if not is_npu(one)]
    return kept, options, found or len(kept) != len(arguments)


def _made(function, arguments, options):
    generator = options.get("generator")
    if generator is not None and not isinstance(generator, torch.Generator):
        options = {**options, "generator": generator.plain}
    explicit = "device" in options and options["device"] is not None
    like = any(isinstance(one, NpuTensor) for one in arguments)
    arguments, options, on_npu = _without(arguments, options)
    result = function(*arguments, **options)
    if on_npu:
        return placed(result)
    return _plain(result) if like and explicit else result


def _wrapped(function):
    @functools.wraps(function)
    def made(*arguments, **options):
        return _made(function, arguments, options)

    return made


def _to(tensor_to):
    @functools.wraps(tensor_to)
    def to(self, *arguments, **options):
        wanted = options.get("device", next((one for one in arguments if isinstance(one, (str, _Device))), None))
        like = next((one for one in arguments if isinstance(one, torch.Tensor)), options.get("other"))
        if isinstance(like, NpuTensor):
            return placed(_plain(self).to(like.dtype))
        arguments, options, on_npu = _without(arguments, options)
        source = self if on_npu and isinstance(self, NpuTensor) else _plain(self)
        if wanted is None:
            return tensor_to(self, *arguments, **options)
        if not on_npu:
            result = tensor_to(source, *arguments, **options)
            return result.clone() if isinstance(self, NpuTensor) and result.data_ptr() == self.data_ptr() else result
        result = tensor_to(source, *arguments, **options) if arguments or options else source
        return result if isinstance(result, NpuTensor) else placed(result.clone() if result is source else result)

    return to


def _module_to(module_to):
    @functools.wraps(module_to)
    def to(self, *arguments, **options):
        arguments, options, _ = _without(arguments, options)
        return module_to(self, *arguments, **options) if arguments or options else self

    return to


class Generator:
    """A generator of random numbers of the device: PyTorch's of the CPU."""

    def __init__(self, device=None):
        self.plain = _Generator()
        self.device = NpuDevice("npu", 0)

    def manual_seed(self, seed):
        self.plain.manual_seed(seed)
        return self

    def __getattr__(self, name):
        return getattr(self.plain, name)


_Generator = torch.Generator


class _GeneratorKind(type):
    def __instancecheck__(cls, one):
        return isinstance(one, _Generator)


class _AnyGenerator(metaclass=_GeneratorKind):
    def __new__(cls, device="cpu"):
        return Generator() if is_npu(device) else _Generator(device)


def install():
    """Teaches PyTorch the device."""
    torch.device = device
    for name in _FACTORIES:
        if hasattr(torch, name):
            setattr(torch, name, _wrapped(getattr(torch, name)))
    for name in _METHODS:
        setattr(torch.Tensor, name, _wrapped(getattr(torch.Tensor, name)))
    torch.Tensor.to = _to(torch.Tensor.to)
    torch.Tensor.npu = lambda self, *_, **__: placed(self.clone())
    torch.Tensor.is_npu = False
    torch.Tensor.pin_memory = lambda self, *_, **__: self
    torch.Tensor.is_pinned = lambda self, *_, **__: True
    torch.Generator = _AnyGenerator
    torch.nn.Module.to = _module_to(torch.nn.Module.to)
    torch.nn.Module.npu = lambda self, *_, **__: self
    load = torch.load
    torch.load = functools.wraps(load)(lambda *a, **o: load(*a, **{**o, "map_location": "cpu"} if is_npu(o.get("map_location")) else o))
