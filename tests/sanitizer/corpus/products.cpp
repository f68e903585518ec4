// SPDX-License-Identifier: Apache-2.0
// Places, turns and flags of a cube core.
//
// See races.cpp for what stands above each kernel.
#include "cube.h"

__aicore__ inline void Load(CubeTiles& t) {
    DataCopy(t.a1, t.x, CELLS);
    DataCopy(t.b1, t.y, CELLS);
    Sync<HardEvent::MTE2_MTE1>();
    LoadData(t.a2, t.a1, t.one);
    LoadData(t.b2, t.b1, t.one);
    Sync<HardEvent::MTE1_M>();
}

// The product is read back before it has left.
// expect: race fixpipe@out mte2@in
// cores: aic
extern "C" __global__ __aicore__ void product_read_back_early(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    Load(t);
    Mmad(t.c, t.a2, t.b2, t.first);
    Sync<HardEvent::M_FIX>();
    Fixpipe(t.w, t.c, t.out);  // @out
    GlobalTensor<half> back;
    back.SetGlobalBuffer((__gm__ half*)w, 2 * ALL);
    Sync<HardEvent::MTE1_MTE2>();
    DataCopy(t.a1, back, CELLS);  // @in
}

// It is read back when it has left.
// expect: silent
// cores: aic
extern "C" __global__ __aicore__ void product_read_back(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    Load(t);
    Mmad(t.c, t.a2, t.b2, t.first);
    Sync<HardEvent::M_FIX>();
    Fixpipe(t.w, t.c, t.out);
    GlobalTensor<half> back;
    back.SetGlobalBuffer((__gm__ half*)w, 2 * ALL);
    Sync<HardEvent::MTE1_MTE2>();
    Sync<HardEvent::FIX_MTE2>();
    DataCopy(t.a1, back, CELLS);
}

// The flag is set between the two copies.
// expect: race mte2@second mte1@load
// cores: aic
extern "C" __global__ __aicore__ void l1_flag_between_two_copies(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    DataCopy(t.a1, t.x, CELLS);
    SetFlag<HardEvent::MTE2_MTE1>(0);
    DataCopy(t.b1, t.y, CELLS);  // @second
    WaitFlag<HardEvent::MTE2_MTE1>(0);
    LoadData(t.a2, t.a1, t.one);
    LoadData(t.b2, t.b1, t.one);  // @load
}

// The flag goes to the cube, which does not read L1.
// expect: race mte2@copy mte1@load
// cores: aic
extern "C" __global__ __aicore__ void l1_flag_to_the_cube(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    DataCopy(t.a1, t.x, CELLS);  // @copy
    Sync<HardEvent::MTE2_M>();
    LoadData(t.a2, t.a1, t.one);  // @load
}

// The flag that the product is done is set before it.
// expect: race cube@mmad fixpipe@out
// cores: aic
extern "C" __global__ __aicore__ void flag_before_the_mmad(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    Load(t);
    SetFlag<HardEvent::M_FIX>(0);
    Mmad(t.c, t.a2, t.b2, t.first);  // @mmad
    WaitFlag<HardEvent::M_FIX>(0);
    Fixpipe(t.z, t.c, t.out);  // @out
}

// Two halves of L1 in turn; one of them is filled again without its flag.
// expect: race mte1@load mte2@copy
// cores: aic
extern "C" __global__ __aicore__ void l1_halves_out_of_step(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    LocalTensor<half> half1[2] = {t.a1, t.b1};
    SetFlag<HardEvent::MTE1_MTE2>(0);
    SetFlag<HardEvent::MTE1_MTE2>(1);
    for (int32_t i = 0; i < 4; ++i) {
        int32_t k = i % 2;
        if (i != 2) {
            WaitFlag<HardEvent::MTE1_MTE2>(k);
        }
        DataCopy(half1[k], t.x[i * CELLS], CELLS);  // @copy
        SetFlag<HardEvent::MTE2_MTE1>(k);
        WaitFlag<HardEvent::MTE2_MTE1>(k);
        LoadData(t.a2, half1[k], t.one);  // @load
        if (i != 0) {
            SetFlag<HardEvent::MTE1_MTE2>(k);
        }
    }
    WaitFlag<HardEvent::MTE1_MTE2>(0);
    WaitFlag<HardEvent::MTE1_MTE2>(1);
}

// Two halves in turn, each by its own flag.
// expect: silent
// cores: aic
extern "C" __global__ __aicore__ void l1_halves_in_step(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    LocalTensor<half> half1[2] = {t.a1, t.b1};
    SetFlag<HardEvent::MTE1_MTE2>(0);
    SetFlag<HardEvent::MTE1_MTE2>(1);
    for (int32_t i = 0; i < 4; ++i) {
        int32_t k = i % 2;
        WaitFlag<HardEvent::MTE1_MTE2>(k);
        DataCopy(half1[k], t.x[i * CELLS], CELLS);
        SetFlag<HardEvent::MTE2_MTE1>(k);
        WaitFlag<HardEvent::MTE2_MTE1>(k);
        LoadData(t.a2, half1[k], t.one);
        SetFlag<HardEvent::MTE1_MTE2>(k);
    }
    WaitFlag<HardEvent::MTE1_MTE2>(0);
    WaitFlag<HardEvent::MTE1_MTE2>(1);
}

// L0A in two halves; the cube reads the one that is being loaded.
// expect: race mte1@load cube@mmad
// cores: aic
extern "C" __global__ __aicore__ void l0a_half_under_way(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    LocalTensor<half> other(TPosition::A2, 512, CELLS);
    Load(t);
    Mmad(t.c, t.a2, t.b2, t.first);
    LoadData(other, t.b1, t.one);  // @load
    PipeBarrier<PIPE_M>();
    Mmad(t.c, other, t.b2, t.more);  // @mmad
}

// L0A in two halves; one is loaded while the other is read.
// expect: silent
// cores: aic
extern "C" __global__ __aicore__ void l0a_halves_in_turn(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    LocalTensor<half> a[2] = {t.a2, LocalTensor<half>(TPosition::A2, 512, CELLS)};
    Load(t);
    for (int32_t i = 0; i < 4; ++i) {
        int32_t k = i % 2;
        if (i > 0) {
            WaitFlag<HardEvent::MTE1_M>(1);
            PipeBarrier<PIPE_M>();
        }
        Mmad(t.c, a[k], t.b2, i == 0 ? t.first : t.more);
        SetFlag<HardEvent::M_MTE1>(k);
        if (i > 0) {
            WaitFlag<HardEvent::M_MTE1>(1 - k);
        }
        if (i < 3) {
            LoadData(a[1 - k], t.b1, t.one);
            SetFlag<HardEvent::MTE1_M>(1);
        }
    }
    WaitFlag<HardEvent::M_MTE1>(1);
    Sync<HardEvent::M_FIX>();
    Fixpipe(t.z, t.c, t.out);
}

// Results in two halves of L0C: one leaves while the next is summed up.
// expect: silent
// cores: aic
extern "C" __global__ __aicore__ void l0c_halves_in_turn(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    LocalTensor<float> c[2] = {t.c, LocalTensor<float>(TPosition::CO1, 1024, CELLS)};
    Load(t);
    for (int32_t i = 0; i < 4; ++i) {
        int32_t k = i % 2;
        if (i > 1) {
            WaitFlag<HardEvent::FIX_M>(k);
        }
        Mmad(c[k], t.a2, t.b2, t.first);
        SetFlag<HardEvent::M_FIX>(k);
        WaitFlag<HardEvent::M_FIX>(k);
        Fixpipe(t.z[i * CELLS], c[k], t.out);
        if (i < 2) {
            SetFlag<HardEvent::FIX_M>(k);
        }
    }
}

// The third result goes where the first may still leave.
// expect: race fixpipe@out cube@mmad
// cores: aic
extern "C" __global__ __aicore__ void l0c_halves_without_return(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    LocalTensor<float> c[2] = {t.c, LocalTensor<float>(TPosition::CO1, 1024, CELLS)};
    Load(t);
    for (int32_t i = 0; i < 3; ++i) {
        int32_t k = i % 2;
        Mmad(c[k], t.a2, t.b2, t.first);  // @mmad
        SetFlag<HardEvent::M_FIX>(k);
        WaitFlag<HardEvent::M_FIX>(k);
        Fixpipe(t.z[i * CELLS], c[k], t.out);  // @out
    }
}

// The result begins within a block of L0C.
// expect: misaligned cube@mmad
// cores: aic
extern "C" __global__ __aicore__ void result_within_a_block_of_l0c(GM_ADDR x,
                                                                   GM_ADDR y,
                                                                   GM_ADDR z,
                                                                   GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    LocalTensor<float> last(TPosition::CO1, 128 * 1024 - 512, CELLS);
    Load(t);
    Mmad(last, t.a2, t.b2, t.first);  // @mmad
}

// The operand ends beyond L0A.
// expect: out_of_range mte1@load
// cores: aic
extern "C" __global__ __aicore__ void operand_beyond_l0a(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    LocalTensor<half> last(TPosition::A2, 64 * 1024 - 512, CELLS);
    DataCopy(t.a1, t.x, 2 * CELLS);
    Sync<HardEvent::MTE2_MTE1>();
    LoadData(last, t.a1, LoadData2DParams{0, 2, 1, 0, 0, false, 0});  // @load
}

// The tile ends beyond L1.
// expect: out_of_range mte2@copy
// cores: aic
extern "C" __global__ __aicore__ void tile_beyond_l1(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    LocalTensor<half> last(TPosition::A1, 512 * 1024 - 256, CELLS);
    DataCopy(last, t.x, CELLS);  // @copy
}

// A result leaves that was never computed.
// expect: uninitialised_read fixpipe@out
// cores: aic
extern "C" __global__ __aicore__ void result_never_computed(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    Fixpipe(t.z, t.c, t.out);  // @out
}

// L0A is loaded from an L1 that nobody filled.
// expect: uninitialised_read mte1@load
// cores: aic
extern "C" __global__ __aicore__ void loads_nothing(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    LoadData(t.a2, t.a1, t.one);  // @load
}

// Both cores write the same result.
// expect: core_race fixpipe@out fixpipe@out
// cores: aic
// blocks: 2
extern "C" __global__ __aicore__ void one_result_of_two_cores(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    Load(t);
    Mmad(t.c, t.a2, t.b2, t.first);
    Sync<HardEvent::M_FIX>();
    Fixpipe(t.z, t.c, t.out);  // @out
}

// Each core writes its own.
// expect: silent
// cores: aic
// blocks: 2
extern "C" __global__ __aicore__ void results_of_two_cores(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    Load(t);
    Mmad(t.c, t.a2, t.b2, t.first);
    Sync<HardEvent::M_FIX>();
    Fixpipe(t.z[GetBlockIdx() * CELLS], t.c, t.out);
}

// Columns of two results side by side, in rows of the output.
// expect: silent
// cores: aic
// blocks: 2
extern "C" __global__ __aicore__ void columns_of_two_cores(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    Load(t);
    Mmad(t.c, t.a2, t.b2, t.first);
    Sync<HardEvent::M_FIX>();
    Fixpipe(t.z[GetBlockIdx() * M16], t.c, FixpipeParamsV220{M16, M16, M16, 2 * M16, false});
}

// The cube waits for a flag of another id.
// expect: wait_never_set cube@wait
// expect: set_never_waited mte1@set
// cores: aic
extern "C" __global__ __aicore__ void cube_waits_for_another_id(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    DataCopy(t.a1, t.x, CELLS);
    Sync<HardEvent::MTE2_MTE1>();
    LoadData(t.a2, t.a1, t.one);
    LoadData(t.b2, t.a1, t.one);
    SetFlag<HardEvent::MTE1_M>(0);   // @set
    WaitFlag<HardEvent::MTE1_M>(1);  // @wait
    Mmad(t.c, t.a2, t.b2, t.first);
}

// L0 is free again, and nobody takes note.
// expect: set_never_waited cube@set
// cores: aic
extern "C" __global__ __aicore__ void l0_free_and_nobody_waits(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    Load(t);
    Mmad(t.c, t.a2, t.b2, t.first);
    SetFlag<HardEvent::M_MTE1>(0);  // @set
    Sync<HardEvent::M_FIX>();
    Fixpipe(t.z, t.c, t.out);
}

// L1 is said to be free twice.
// expect: double_set mte1@first mte1@second
// cores: aic
extern "C" __global__ __aicore__ void l1_free_twice(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    DataCopy(t.a1, t.x, CELLS);
    Sync<HardEvent::MTE2_MTE1>();
    LoadData(t.a2, t.a1, t.one);
    SetFlag<HardEvent::MTE1_MTE2>(0);  // @first
    LoadData(t.b2, t.a1, t.one);
    SetFlag<HardEvent::MTE1_MTE2>(0);  // @second
    WaitFlag<HardEvent::MTE1_MTE2>(0);
    DataCopy(t.a1, t.y, CELLS);
}

// One barrier of all pipes between the steps.
// expect: silent
// cores: aic
extern "C" __global__ __aicore__ void product_by_barriers(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    DataCopy(t.a1, t.x, CELLS);
    DataCopy(t.b1, t.y, CELLS);
    PipeBarrier<PIPE_ALL>();
    LoadData(t.a2, t.a1, t.one);
    LoadData(t.b2, t.b1, t.one);
    PipeBarrier<PIPE_ALL>();
    Mmad(t.c, t.a2, t.b2, t.first);
    PipeBarrier<PIPE_ALL>();
    Fixpipe(t.z, t.c, t.out);
}
