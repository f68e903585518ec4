# SPDX-License-Identifier: Apache-2.0
"""Runs of kernels that are written here, with numbers that follow from the text."""

import numpy as np
import pytest

import ascendsim

ADD = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void add(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t total, uint32_t tile) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in_x, in_y;
    TQue<QuePosition::VECOUT, 1> out_z;
    GlobalTensor<half> x_gm, y_gm, z_gm;
    x_gm.SetGlobalBuffer((__gm__ half*)x, total);
    y_gm.SetGlobalBuffer((__gm__ half*)y, total);
    z_gm.SetGlobalBuffer((__gm__ half*)z, total);
    pipe.InitBuffer(in_x, 2, tile * sizeof(half));
    pipe.InitBuffer(in_y, 2, tile * sizeof(half));
    pipe.InitBuffer(out_z, 2, tile * sizeof(half));
    for (uint32_t at = GetBlockIdx() * tile; at < total; at += GetBlockNum() * tile) {
        LocalTensor<half> a = in_x.AllocTensor<half>();
        LocalTensor<half> b = in_y.AllocTensor<half>();
        DataCopy(a, x_gm[at], tile);
        DataCopy(b, y_gm[at], tile);
        in_x.EnQue(a);
        in_y.EnQue(b);
        a = in_x.DeQue<half>();
        b = in_y.DeQue<half>();
        LocalTensor<half> c = out_z.AllocTensor<half>();
        Add(c, a, b, tile);
        in_x.FreeTensor(a);
        in_y.FreeTensor(b);
        out_z.EnQue(c);
        c = out_z.DeQue<half>();
        DataCopy(z_gm[at], c, tile);
        out_z.FreeTensor(c);
    }
}
"""

# Copies without waiting: a race between mte2 and the vector unit, and one between that and mte3.
RACE = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void twice(GM_ADDR x, GM_ADDR z) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    GlobalTensor<half> from, to;
    from.SetGlobalBuffer((__gm__ half*)x);
    to.SetGlobalBuffer((__gm__ half*)z);
    LocalTensor<half> all = buffer.Get<half>();
    DataCopy(all, from, 128);
    Muls(all, all, half(2), 128);
    DataCopy(to, all, 128);
}
"""


@pytest.fixture
def tensors():
    x = (np.arange(8192) % 97).astype(np.float16)
    y = (np.arange(8192) % 31).astype(np.float16)
    return x, y, np.zeros_like(x)


def test_computes_into_the_given_array(tensors):
    x, y, z = tensors
    r = ascendsim.run(ADD, x, y, 8192, 1024, out=z, blocks=8, expect=x + y)
    np.testing.assert_array_equal(z, x + y)
    assert r.passed and not r.hazards and r.exit_code == 0
    np.testing.assert_array_equal(r.outputs["z"], z)
    # Eight tiles of 2 KiB are read twice and written once.
    assert r.memory["routes"]["gm_to_ub"]["bytes"] == 2 * 8192 * 2
    assert r.memory["routes"]["ub_to_gm"]["bytes"] == 8192 * 2


def test_takes_parameters_by_name(tensors):
    x, y, z = tensors
    ascendsim.run(ADD, out=z, blocks=4, x=x, y=y, total=np.uint32(8192), tile=2048)
    np.testing.assert_array_equal(z, x + y)


def test_tells_the_parameters_of_a_source():
    found = ascendsim.parameters(ADD)
    assert [(one["name"], one["role"]) for one in found] == [
        ("x", "input"),
        ("y", "input"),
        ("z", "output"),
        ("total", "value"),
        ("tile", "value"),
    ]
    assert found[0]["type"] == "float16" and found[4]["type"] == "uint32"


def test_has_columns_of_all_spans(tensors):
    x, y, z = tensors
    r = ascendsim.run(ADD, x, y, 8192, 1024, out=z, blocks=8)
    spans = r.spans
    assert len({len(column) for column in spans.values()}) == 1
    work = spans["reason"] == 0
    copies = work & np.isin(spans["op"], [r.ops.index("copy_gm_to_ubuf")])
    # Each of 8 cores copies one tile of x and one of y.
    assert copies.sum() == 16 and (spans["bytes"][copies] == 2048).all()
    assert {r.lanes[lane].split("/")[-1] for lane in spans["lane"][copies]} == {"mte2"}
    assert (spans["start"] <= spans["end"]).all()


def test_says_what_is_wrong_with_arguments(tensors):
    x, y, z = tensors
    with pytest.raises(TypeError, match="'x' has elements of float16 in the kernel; the array has float32"):
        ascendsim.run(ADD, x.astype(np.float32), y, 8192, 1024, out=z)
    with pytest.raises(TypeError, match="no parameter 'tiel', did you mean 'tile'"):
        ascendsim.run(ADD, x, y, 8192, out=z, tiel=1024)
    with pytest.raises(TypeError, match="nothing is given for 'tile'"):
        ascendsim.run(ADD, x, y, 8192, out=z)
    with pytest.raises(TypeError, match="no array is given for the output 'z'"):
        ascendsim.run(ADD, x, y, 8192, 1024)
    with pytest.raises(TypeError, match="1 arguments too many"):
        ascendsim.run(ADD, x, y, 8192, 1024, 7, out=z)
    with pytest.raises(ascendsim.UserError, match="no such kernel source"):
        ascendsim.run("no_such.cpp", x)
    with pytest.raises(ascendsim.UserError, match="did you mean '910b3'"):
        ascendsim.run(ADD, x, y, 8192, 1024, out=z, chip="910b33")


def test_hazards_are_found_and_raise_nothing():
    x = np.ones(128, np.float16)
    r = ascendsim.run(RACE, x, out=np.zeros_like(x))
    assert {one["kind"] for one in r.hazards} == {"race"} and not r.passed and r.exit_code == 3


def test_a_crash_is_the_kernels_error_and_leaves_the_interpreter_alone():
    x = np.ones(128, np.float16)
    crash = RACE.replace("Muls", "*(volatile int*)0x70000000 = 1; Muls")
    with pytest.raises(ascendsim.KernelError, match="accessed address 0x70000000") as error:
        ascendsim.run(crash, x, out=np.zeros_like(x))
    assert not error.value.result.complete and error.value.result.cycles > 0


def test_wrong_numbers_are_told(tensors):
    x, y, z = tensors
    r = ascendsim.run(ADD, x, y, 8192, 1024, out=z, blocks=8, expect=x - y)
    assert not r.passed and r.errors["max_abs_error"] == 60  # of 2 y, which is 30 at most


def test_explains_compares_and_shows_a_page(tensors):
    x, y, z = tensors
    one, eight = (ascendsim.run(ADD, x, y, 8192, 1024, out=z, blocks=blocks) for blocks in (1, 8))
    assert eight.time_us < one.time_us
    assert one.compare(eight).figures["time_us"]["b"] == pytest.approx(eight.time_us)
    assert one.explain()
    assert "<svg" in one.page() and "srcdoc" in one._repr_html_()


def test_passes_bfloat16_as_bits():
    source = ADD.replace("half", "bfloat16_t").replace("Add(c, a, b, tile)", "DataCopy(c, a, tile)")
    bits = np.arange(8192, dtype=np.uint16)
    z = np.zeros_like(bits)
    ascendsim.run(source, ascendsim.bfloat16(bits), ascendsim.bfloat16(bits), 8192, 1024, out=ascendsim.bfloat16(z))
    np.testing.assert_array_equal(z, bits)


def test_tunes_over_values_that_depend_on_each_other(tensors):
    x, y, _ = tensors

    def trial(blocks, tiles):
        z = np.zeros_like(x)
        return ascendsim.run(ADD, x, y, out=z, blocks=blocks, total=8192, tile=8192 // (blocks * tiles), expect=x + y)

    found = ascendsim.tune(trial, {"blocks": [1, 4, 8], "tiles": [1, 2]}, where=lambda blocks, tiles: blocks * tiles <= 8)
    assert len(found.sweep) == 5
    times = {tuple(point.values()): result.time_us for point, result in found.sweep if not isinstance(result, Exception)}
    # One tile of 8192 elements twice in six queues is 96 KiB: it fits into UB.
    assert len(times) == 5 and found.result.time_us == min(times.values())


def test_runs_a_shipped_kernel_on_given_arrays():
    assert "gelu" in ascendsim.shipped()
    x = np.linspace(-3, 3, 256, dtype=np.float32).reshape(4, 64)
    gamma = np.full(64, 2, np.float32)
    y = np.empty_like(x)
    r = ascendsim.op("rms_norm", x=x, gamma=gamma, out={"y": y}, shape=x.shape, dtype="float32", epsilon=1e-6)
    expected = 2 * x / np.sqrt((x.astype(np.float64) ** 2).mean(1, keepdims=True) + 1e-6)
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)
    assert r.complete and not r.hazards and len(r.launches) == 1
    assert r.launches[0][3] == pytest.approx(r.time_us, rel=0.5)
