// SPDX-License-Identifier: Apache-2.0
// Hand-overs between the pipes of a cube core.
//
// Above each kernel stand its defect and what the checker must say; see races.cpp.
#include "cube.h"

// Every hand-over has its flag.
// expect: silent
// cores: aic
extern "C" __global__ __aicore__ void multiply(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    DataCopy(t.a1, t.x, CELLS);
    DataCopy(t.b1, t.y, CELLS);
    Sync<HardEvent::MTE2_MTE1>();
    LoadData(t.a2, t.a1, t.one);
    LoadData(t.b2, t.b1, t.one);
    Sync<HardEvent::MTE1_M>();
    Mmad(t.c, t.a2, t.b2, t.first);
    Sync<HardEvent::M_FIX>();
    Fixpipe(t.z, t.c, t.out);
}

// L0 is loaded while L1 may still be filled.
// expect: race mte2@copy mte1@load
// cores: aic
extern "C" __global__ __aicore__ void missing_mte2_mte1(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    DataCopy(t.a1, t.x, CELLS);
    DataCopy(t.b1, t.y, CELLS);  // @copy
    LoadData(t.a2, t.a1, t.one);
    LoadData(t.b2, t.b1, t.one);  // @load
    Sync<HardEvent::MTE1_M>();
    Mmad(t.c, t.a2, t.b2, t.first);
    Sync<HardEvent::M_FIX>();
    Fixpipe(t.z, t.c, t.out);
}

// The product starts while L0 may still be loaded.
// expect: race mte1@load cube@mmad
// cores: aic
extern "C" __global__ __aicore__ void missing_mte1_m(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    DataCopy(t.a1, t.x, CELLS);
    DataCopy(t.b1, t.y, CELLS);
    Sync<HardEvent::MTE2_MTE1>();
    LoadData(t.a2, t.a1, t.one);
    LoadData(t.b2, t.b1, t.one);     // @load
    Mmad(t.c, t.a2, t.b2, t.first);  // @mmad
    Sync<HardEvent::M_FIX>();
    Fixpipe(t.z, t.c, t.out);
}

// The result leaves while it may still be summed up.
// expect: race cube@mmad fixpipe@out
// cores: aic
extern "C" __global__ __aicore__ void missing_m_fix(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    DataCopy(t.a1, t.x, CELLS);
    DataCopy(t.b1, t.y, CELLS);
    Sync<HardEvent::MTE2_MTE1>();
    LoadData(t.a2, t.a1, t.one);
    LoadData(t.b2, t.b1, t.one);
    Sync<HardEvent::MTE1_M>();
    Mmad(t.c, t.a2, t.b2, t.first);  // @mmad
    Fixpipe(t.z, t.c, t.out);        // @out
}

// Buffers are reused when their readers say so.
// expect: silent
// cores: aic
extern "C" __global__ __aicore__ void two_products(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    DataCopy(t.a1, t.x, CELLS);
    DataCopy(t.b1, t.y, CELLS);
    Sync<HardEvent::MTE2_MTE1>();
    LoadData(t.a2, t.a1, t.one);
    LoadData(t.b2, t.b1, t.one);
    Sync<HardEvent::MTE1_M>();
    Mmad(t.c, t.a2, t.b2, t.first);
    Sync<HardEvent::M_FIX>();
    Fixpipe(t.z, t.c, t.out);
    Sync<HardEvent::M_MTE1>();
    LoadData(t.a2, t.b1, t.one);
    Sync<HardEvent::MTE1_M>();
    Sync<HardEvent::FIX_M>();
    Mmad(t.c, t.a2, t.b2, t.first);
    Sync<HardEvent::M_FIX>();
    Fixpipe(t.w, t.c, t.out);
}

// L0A is loaded again while it may still be read.
// expect: race cube@mmad mte1@again
// cores: aic
extern "C" __global__ __aicore__ void missing_m_mte1(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    DataCopy(t.a1, t.x, CELLS);
    DataCopy(t.b1, t.y, CELLS);
    Sync<HardEvent::MTE2_MTE1>();
    LoadData(t.a2, t.a1, t.one);
    LoadData(t.b2, t.b1, t.one);
    Sync<HardEvent::MTE1_M>();
    Mmad(t.c, t.a2, t.b2, t.first);  // @mmad
    Sync<HardEvent::M_FIX>();
    Fixpipe(t.z, t.c, t.out);
    LoadData(t.a2, t.b1, t.one);  // @again
    Sync<HardEvent::MTE1_M>();
    Sync<HardEvent::FIX_M>();
    Mmad(t.c, t.a2, t.b2, t.first);
    Sync<HardEvent::M_FIX>();
    Fixpipe(t.w, t.c, t.out);
}

// L0C is summed into again while it may still leave.
// expect: race fixpipe@out cube@second
// cores: aic
extern "C" __global__ __aicore__ void missing_fix_m(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    DataCopy(t.a1, t.x, CELLS);
    DataCopy(t.b1, t.y, CELLS);
    Sync<HardEvent::MTE2_MTE1>();
    LoadData(t.a2, t.a1, t.one);
    LoadData(t.b2, t.b1, t.one);
    Sync<HardEvent::MTE1_M>();
    Mmad(t.c, t.a2, t.b2, t.first);
    Sync<HardEvent::M_FIX>();
    Fixpipe(t.z, t.c, t.out);  // @out
    Sync<HardEvent::M_MTE1>();
    LoadData(t.a2, t.b1, t.one);
    Sync<HardEvent::MTE1_M>();
    Mmad(t.c, t.a2, t.b2, t.first);  // @second
    Sync<HardEvent::M_FIX>();
    Fixpipe(t.w, t.c, t.out);
}

// L1 is filled again while it may still be read.
// expect: race mte1@load mte2@refill
// cores: aic
extern "C" __global__ __aicore__ void missing_mte1_mte2(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    DataCopy(t.a1, t.x, CELLS);
    DataCopy(t.b1, t.y, CELLS);
    Sync<HardEvent::MTE2_MTE1>();
    LoadData(t.a2, t.a1, t.one);
    LoadData(t.b2, t.b1, t.one);  // @load
    Sync<HardEvent::MTE1_M>();
    Mmad(t.c, t.a2, t.b2, t.first);
    Sync<HardEvent::M_FIX>();
    Fixpipe(t.z, t.c, t.out);
    DataCopy(t.b1, t.x, CELLS);  // @refill
}

// A product of less than ten fractals needs a barrier before the next adds to it.
// expect: missing_barrier cube@mmad cube@more
// cores: aic
extern "C" __global__ __aicore__ void small_sum_without_barrier(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    DataCopy(t.a1, t.x, CELLS);
    DataCopy(t.b1, t.y, CELLS);
    Sync<HardEvent::MTE2_MTE1>();
    LoadData(t.a2, t.a1, t.one);
    LoadData(t.b2, t.b1, t.one);
    Sync<HardEvent::MTE1_M>();
    Mmad(t.c, t.a2, t.b2, t.first);  // @mmad
    Mmad(t.c, t.a2, t.b2, t.more);   // @more
    Sync<HardEvent::M_FIX>();
    Fixpipe(t.z, t.c, t.out);
}

// The same with its barrier.
// expect: silent
// cores: aic
extern "C" __global__ __aicore__ void small_sum_with_barrier(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    DataCopy(t.a1, t.x, CELLS);
    DataCopy(t.b1, t.y, CELLS);
    Sync<HardEvent::MTE2_MTE1>();
    LoadData(t.a2, t.a1, t.one);
    LoadData(t.b2, t.b1, t.one);
    Sync<HardEvent::MTE1_M>();
    Mmad(t.c, t.a2, t.b2, t.first);
    PipeBarrier<PIPE_M>();
    Mmad(t.c, t.a2, t.b2, t.more);
    Sync<HardEvent::M_FIX>();
    Fixpipe(t.z, t.c, t.out);
}

// The first product adds to what nobody wrote.
// expect: uninitialised_read cube@mmad
// cores: aic
extern "C" __global__ __aicore__ void adds_to_an_empty_result(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    DataCopy(t.a1, t.x, CELLS);
    DataCopy(t.b1, t.y, CELLS);
    Sync<HardEvent::MTE2_MTE1>();
    LoadData(t.a2, t.a1, t.one);
    LoadData(t.b2, t.b1, t.one);
    Sync<HardEvent::MTE1_M>();
    Mmad(t.c, t.a2, t.b2, t.more);  // @mmad
    Sync<HardEvent::M_FIX>();
    Fixpipe(t.z, t.c, t.out);
}

// L0B was never loaded.
// expect: uninitialised_read cube@mmad
// cores: aic
extern "C" __global__ __aicore__ void multiplies_an_empty_operand(GM_ADDR x,
                                                                  GM_ADDR y,
                                                                  GM_ADDR z,
                                                                  GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    DataCopy(t.a1, t.x, CELLS);
    DataCopy(t.b1, t.y, CELLS);
    Sync<HardEvent::MTE2_MTE1>();
    LoadData(t.a2, t.a1, t.one);
    Sync<HardEvent::MTE1_M>();
    Mmad(t.c, t.a2, t.b2, t.first);  // @mmad
    Sync<HardEvent::M_FIX>();
    Fixpipe(t.z, t.c, t.out);
}
