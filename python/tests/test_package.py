# SPDX-License-Identifier: Apache-2.0
"""What a package owes its users: stubs that agree with the code, and a sentence on everything public."""

import ast
import importlib
import inspect
from pathlib import Path

import pytest

import ascendsim

STUBS = ["__init__", "torch", "extension", "suite"]


def loaded(name):
    if name == "torch":
        pytest.importorskip("torch")
    return ascendsim if name == "__init__" else importlib.import_module(f"ascendsim.{name}")


def stub(name):
    return ast.parse((Path(ascendsim.__file__).parent / f"{name}.pyi").read_text())


def names(arguments):
    return [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


@pytest.mark.parametrize("name", STUBS)
def test_stubs_agree_with_the_code(name):
    module = loaded(name)
    for one in stub(name).body:
        if isinstance(one, ast.FunctionDef):
            given = [p.name for p in inspect.signature(getattr(module, one.name)).parameters.values() if p.kind not in (2, 4)]
            assert names(one.args) == given, one.name
        if isinstance(one, ast.ClassDef):
            kind = getattr(module, one.name)
            for method in one.body:
                if isinstance(method, ast.FunctionDef):
                    assert hasattr(kind, method.name), f"{one.name}.{method.name}"
                    prop = isinstance(inspect.getattr_static(kind, method.name), property)
                    assert prop == bool(method.decorator_list), f"{one.name}.{method.name}"


@pytest.mark.parametrize("name", STUBS)
def test_everything_public_has_a_stub_and_a_sentence(name):
    module = loaded(name)
    listed = {one.name for one in stub(name).body if isinstance(one, (ast.FunctionDef, ast.ClassDef))}
    for key, value in vars(module).items():
        own = inspect.isfunction(value) or inspect.isclass(value)
        if key.startswith("_") or not own or not value.__module__.startswith("ascendsim") or (name != "__init__" and value.__module__ != module.__name__):
            continue
        assert key in listed, key
        assert value.__doc__ or key == "main", key
