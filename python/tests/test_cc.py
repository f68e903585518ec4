# SPDX-License-Identifier: Apache-2.0
"""The compiler front, called as builds call the vendor's compiler."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ascendsim import UserError, _place, cc
from test_run import ADD

PROGRAM = """
#include <cstdio>
#include "acl/acl.h"
#include "kernel_operator.h"

int rows();

__global__ __vector__ void fill(GM_ADDR z) {
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 64);
    AscendC::LocalTensor<float> all = buffer.Get<float>();
    AscendC::GlobalTensor<float> to;
    to.SetGlobalBuffer((__gm__ float*)z);
    AscendC::Duplicate(all, 2.0F, 16);
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
    AscendC::DataCopy(to, all, 16);
}

int main(int argc, char** argv) {
    void* z = nullptr;
    float got[16];
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtMalloc(&z, sizeof got, ACL_MEM_MALLOC_HUGE_FIRST);
    fill<<<1, nullptr, nullptr>>>((GM_ADDR)z);
    aclrtMemcpy(got, sizeof got, z, sizeof got, ACL_MEMCPY_DEVICE_TO_HOST);
    std::printf("%g %d %d %s\\n", got[15], rows(), argc, argc > 1 ? argv[1] : "");
    return 0;
}
"""

# As TileLang writes: one C function that launches, for ctypes.
LIBRARY = ADD + """
extern "C" void call(uint8_t* x, uint8_t* y, uint8_t* z, uint32_t total, void* stream) {
    add<<<8, nullptr, stream>>>(x, y, z, total, total / 8);
}
"""

# As tile libraries write: a trait for __gm__, operands marked, an intrinsic declared again, one kind of cores.
TILES = """
#include "acl/acl.h"
#if defined(__CCE_AICORE__) && !defined(WANTED)
#error "for the other cores"
#endif
#define AICORE [aicore]
uint32_t get_block_idx();
template <typename T>
struct bare {
    using type = T;
};
#if defined(__CCE_AICORE__)
template <typename T>
struct bare<__gm__ T> {
    using type = T;
};
#endif
template <typename T>
__tf__ AICORE inline void Fill(__ubuf__ T* __out__ to, T __in__ value) {
    vector_dup((__ubuf__ T*)__cce_get_tile_ptr(to), value, 1, 1, 0, 8, 0);
}
template <typename T>
__tf__ AICORE inline void Set(__ubuf__ T* __out__ to, T value) {
    __ubuf__ T* row = (__ubuf__ T*)__cce_get_tile_ptr(to);
    row[1] = value;
}
template <typename T>
__global__ AICORE void fill(__gm__ T __out__* out) {
    using Plain = typename bare<__gm__ T>::type;
    __ubuf__ Plain* row = (__ubuf__ Plain*)get_imm(0);
#ifdef __DAV_VEC__
    set_vector_mask(0, ~0ULL);
    Fill<Plain>(row, 3.0f);
    set_flag(PIPE_V, PIPE_S, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_S, EVENT_ID0);
    Set<Plain>((__ubuf__ Plain*)0, 4.0f);
    set_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
    copy_ubuf_to_gm(out + 64 * get_block_idx(), row, 0, 1, 8, 0, 0);
#else
    out[get_block_idx()] = 5.0f;
    dcci(out, cache_line_t::ENTIRE_DATA_CACHE);
#endif
}
template <typename T>
void launch_fill(T* out, void* stream) {
    fill<T><<<2, nullptr, stream>>>(out);
}
template void launch_fill<float>(float* out, void* stream);
"""

TILES_USE = """
#include <cstdio>
#include "acl/acl.h"
template <typename T>
void launch_fill(T* out, void* stream);
struct Test {
    Test() {
        float* z = nullptr;
        float got[128];
        aclInit(nullptr);
        aclrtSetDevice(0);
        aclrtMalloc((void**)&z, sizeof got, ACL_MEM_MALLOC_HUGE_FIRST);
        launch_fill<float>(z, nullptr);
        const int code = aclrtSynchronizeStream(nullptr);
        aclrtMemcpy(got, sizeof got, z, sizeof got, ACL_MEMCPY_DEVICE_TO_HOST);
        std::printf("%d %g %g\\n", code, got[1], got[127]);
    }
} test;
"""

VENDOR = ["-xcce", "-O2", "-std=c++17", "-fPIC", "--cce-aicore-arch=dav-c220", "-mllvm", "-cce-aicore-stack-size=0x8000", "-mllvm",
          "-cce-aicore-record-overflow=true", "-Wno-macro-redefined"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "main.cpp").write_text(PROGRAM)
    (tmp_path / "rows.cpp").write_text("int rows() { return 7; }\n")
    (tmp_path / "add.cpp").write_text(LIBRARY)
    return tmp_path


def test_a_program_runs_as_ascendsim_run_does(folder):
    compiler = str(_place.front().parent / "toolkit" / "bin" / "bisheng")
    for words in (["-c", "main.cpp", "-o", "main.o"], ["-c", "rows.cpp", "-o", "rows.o"], ["main.o", "rows.o", "-o", "prog", "-lascendcl", "-lruntime"]):
        done = subprocess.run([compiler, *(VENDOR if "-c" in words else []), *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    done = subprocess.run(["./prog", "word"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("2 7 2 word\n") and "fill" in done.stdout  # and the report


def test_a_library_runs_its_kernels_in_the_program_that_loads_it(folder):
    assert cc.run([*VENDOR, "--shared", "add.cpp", "-o", "libadd.so", "-lruntime"]) == 0
    (folder / "use.py").write_text(
        """
import ctypes
from ascendsim import _front
front, add = _front.library(), ctypes.CDLL("./libadd.so")
front.ascendsim_allocate.restype = ctypes.c_void_p
n = 1024
x, y, z = (ctypes.c_void_p(front.ascendsim_allocate(2 * n)) for _ in range(3))
half = lambda p: (ctypes.c_uint16 * n).from_address(p.value)
half(x)[:], half(y)[:] = [0x3C00] * n, [0x4000] * n  # 1 and 2
add.call(x, y, z, n, None)
_front.check()
print(set(half(z)) == {0x4200}, front.ascendsim_launch_count(), _front.launches()[0][-1])
add.call(None, y, z, n, None)  # no input
try:
    _front.check()
except RuntimeError as error:
    print("failed:", error)
"""
    )
    done = subprocess.run([sys.executable, "use.py"], capture_output=True, text=True, check=False, env={**os.environ, "ASCENDSIM_QUIET": "1"})
    assert done.stdout.splitlines()[0] == "True 1 AI_VECTOR_CORE", done.stdout + done.stderr
    assert "failed: " in done.stdout


@pytest.mark.parametrize("cores, macro, values", [("vec", "__DAV_VEC__", "0 4 3"), ("cube", "__DAV_CUBE__", "0 5 ")])
def test_tile_libraries_are_compiled_for_their_cores_alone(folder, cores, macro, values):
    (folder / "tiles.cpp").write_text(TILES.replace("WANTED", macro))
    (folder / "use.cpp").write_text(TILES_USE)  # its main is another library's, as that of gtest_main
    (folder / "other.cpp").write_text("int main() { return 0; }\n")
    subprocess.run(["g++", "-c", "other.cpp", "-o", "other.o"], check=True)
    subprocess.run(["ar", "cr", "libother.a", "other.o"], check=True)
    arch = [f"--cce-aicore-arch=dav-c220-{cores}" if one.startswith("--cce-aicore-arch") else one for one in VENDOR]
    assert cc.run([*arch, "--cce-fatobj-link", "-shared", "tiles.cpp", "-o", "libtiles.so"]) == 0
    assert cc.run(["-xc++", "-c", "use.cpp", "-o", "use.o"]) == 0
    assert cc.run(["use.o", "libother.a", "libtiles.so", "libother.a", "-o", "prog", "-lascendcl", f"-Wl,-rpath,{folder}"]) == 0
    done = subprocess.run(["./prog"], capture_output=True, text=True, check=False, env={**os.environ, "ASCENDSIM_QUIET": "1"})
    assert done.stdout.startswith(values), done.stdout + done.stderr


def test_cmake_finds_the_language(folder):
    (folder / "main.cpp").rename(folder / "main.asc")
    (folder / "CMakeLists.txt").write_text(
        """
cmake_minimum_required(VERSION 3.16)
find_package(ASC REQUIRED)
project(fill LANGUAGES ASC CXX)
add_executable(fill main.asc rows.cpp)
target_compile_options(fill PRIVATE $<$<COMPILE_LANGUAGE:ASC>:--npu-arch=dav-2201>)
target_link_libraries(fill PRIVATE tiling_api register platform m)
"""
    )
    bin = _place.front().parent / "toolkit" / "bin"
    environment = {**os.environ, "PATH": f"{bin}:{os.environ['PATH']}"}
    for words in (["cmake", "-S", ".", "-B", "made"], ["cmake", "--build", "made"]):
        done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, done.stdout + done.stderr
    done = subprocess.run(["made/fill"], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("2 7 1 \n"), done.stdout + done.stderr


def test_says_what_is_wrong(folder):
    with pytest.raises(UserError, match="no_such.cpp: there is no such file"):
        cc.run(["no_such.cpp", "-o", "prog"])
    with pytest.raises(UserError, match="nothing to compile"):
        cc.run(["-O2"])
    Path("bad.cpp").write_text(PROGRAM.replace("Duplicate", "Duplicat"))
    line = PROGRAM[: PROGRAM.index("Duplicate")].count("\n") + 1
    with pytest.raises(UserError, match=f"bad.cpp:{line}:.*Duplicat"):
        cc.run(["bad.cpp", "-o", "prog"])


def test_options_of_the_vendors_compiler_are_taken_apart():
    command = cc.Command([*VENDOR, "-I", "a", "-isystem", "b", "-DX=1", "-D", "Y", "--cce-auto-sync=off", "k.cpp", "-o", "k.so", "-shared", "-Lq", "-lm"])
    assert (command.include, command.define, command.link) == (["a", "b"], ["X=1", "Y"], ["-Lq", "-lm"])
    assert command.shared and command.auto_sync is False and command.arch == "dav-c220" and command.sources == ["k.cpp"]
    assert command.flags == []


def test_the_last_word_about_a_macro_holds():
    command = cc.Command(["-DX=1", "-D", "Y", "-U", "X", "-UZ", "-DZ=3", "-DF(a)=a", "-UF", "k.cpp"])
    assert command.define == ["Y", "Z=3"] and command.flags == ["-UX", "-UF"]


def test_a_build_is_told_what_a_source_includes(folder, capsys):
    (folder / "sizes.h").write_text("constexpr int rows_of = 7;\n")
    (folder / "vector side.h").write_text("#pragma once\n")
    (folder / "rows.cpp").write_text('#include "sizes.h"\nint rows() { return rows_of; }\n')
    text = LIBRARY + '#include "sizes.h"\n#if defined(__DAV_VEC__)\n#include "vector side.h"\n#endif\n'
    (folder / "add.cpp").write_text(text)
    assert cc.run(["-MD", "-MT", "rows.o", "-MF", "rows.d", "-MP", "-c", "rows.cpp", "-o", "rows.o"]) == 0
    lines = (folder / "rows.d").read_text().split()
    assert lines[:2] == ["rows.o:", "rows.cpp"] and "sizes.h" in lines and "sizes.h:" in lines
    assert cc.run([*VENDOR, "-MM", "add.cpp"]) == 0  # compiles nothing
    told = capsys.readouterr().out
    assert told.startswith("add.o: add.cpp") and "sizes.h" in told and "vector\\ side.h" in told
    assert "kernel_operator.h" not in told and not (folder / "add.o").exists()
    (folder / "kept.cpp").write_text(PROGRAM.replace("int main", "#ifdef GONE\n#error it is not\n#endif\nint main"))
    assert cc.run([*VENDOR, "-DGONE", "-UGONE", "-MMD", "-c", "kept.cpp", "-o", "kept.o"]) == 0
    assert (folder / "kept.d").read_text().startswith("kept.o: kept.cpp")
    (folder / "main.cpp").write_text("int rows();\nint main() { return rows() - 7; }\n")
    assert cc.run(["-MMD", "-o", "both", "main.cpp", "rows.cpp"]) == 0  # a rule of each, as g++ names them
    assert "main.cpp" in (folder / "both-main.d").read_text() and "sizes.h" in (folder / "both-rows.d").read_text()
    with pytest.raises(UserError, match="-MF names one file"):
        cc.run(["-MMD", "-MF", "both.d", "-o", "both", "main.cpp", "rows.cpp"])


def test_a_source_that_comes_to_the_run_time_over_a_header_gets_it(tmp_path):
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "check.h").write_text('#include <vector>\n  #include "more.h"\n')
    (tmp_path / "common" / "more.h").write_text('#include "check.h"\n#include "acl/acl.h"\n')
    (tmp_path / "plain.h").write_text("#pragma once\n")
    source = tmp_path / "main.cpp"
    source.write_text("#include <check.h>\n")
    assert cc._acl(source, [str(tmp_path / "common")])
    assert not cc._acl(source, [])  # where the header is, nobody says
    source.write_text('#include "plain.h"\n')
    assert not cc._acl(source, [str(tmp_path / "common")])


def test_the_notes_of_an_object_hold_any_text(tmp_path):
    note = {"source": '/a b/c"d.cpp', "define": ['A="\\n"'], "program": True}
    (tmp_path / "note.cpp").write_text(cc._note_source(note))
    subprocess.run(["g++", "-c", tmp_path / "note.cpp", "-o", tmp_path / "note.o"], check=True)
    assert cc.notes_of(tmp_path / "note.o") == [note]
