// SPDX-License-Identifier: Apache-2.0
// Cube and vector cores that meet in global memory.
//
// Above each kernel stand its defect and what the checker must say; see races.cpp.
#include "cube.h"

// The vector core waits for the product.
// expect: silent
// cores: mix_1_1
extern "C" __global__ __aicore__ void product_then_sum(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    if ASCEND_IS_AIC {
        CubeTiles t(x, y, z, w);
        DataCopy(t.a1, t.x, CELLS);
        DataCopy(t.b1, t.y, CELLS);
        Sync<HardEvent::MTE2_MTE1>();
        LoadData(t.a2, t.a1, t.one);
        LoadData(t.b2, t.b1, t.one);
        Sync<HardEvent::MTE1_M>();
        Mmad(t.c, t.a2, t.b2, t.first);
        Sync<HardEvent::M_FIX>();
        Fixpipe(t.w, t.c, t.out);
        CrossCoreSetFlag<2, PIPE_FIX>(4);
    } else {
        Args g(x, y, z, w);
        Tiles t;
        CrossCoreWaitFlag(4);
        DataCopy(t.a, g.w, N);
        Sync<HardEvent::MTE2_V>();
        Adds(t.b, t.a, 1.0f, N);
        Sync<HardEvent::V_MTE3>();
        DataCopy(g.z, t.b, N);
    }
}

// The vector core reads the product when it likes.
// expect: core_race fixpipe@out mte2@in
// expect: uninitialised_read mte2
// cores: mix_1_1
extern "C" __global__ __aicore__ void product_not_awaited(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    if ASCEND_IS_AIC {
        CubeTiles t(x, y, z, w);
        DataCopy(t.a1, t.x, CELLS);
        DataCopy(t.b1, t.y, CELLS);
        Sync<HardEvent::MTE2_MTE1>();
        LoadData(t.a2, t.a1, t.one);
        LoadData(t.b2, t.b1, t.one);
        Sync<HardEvent::MTE1_M>();
        Mmad(t.c, t.a2, t.b2, t.first);
        Sync<HardEvent::M_FIX>();
        Fixpipe(t.w, t.c, t.out);  // @out
    } else {
        Args g(x, y, z, w);
        Tiles t;
        DataCopy(t.a, g.w, N);  // @in
        Sync<HardEvent::MTE2_V>();
        Adds(t.b, t.a, 1.0f, N);
        Sync<HardEvent::V_MTE3>();
        DataCopy(g.z, t.b, N);
    }
}

// The cube core sets its flag before the product leaves.
// expect: core_race fixpipe@out mte2@in
// cores: mix_1_1
extern "C" __global__ __aicore__ void flag_before_the_product(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    if ASCEND_IS_AIC {
        CubeTiles t(x, y, z, w);
        DataCopy(t.a1, t.x, CELLS);
        DataCopy(t.b1, t.y, CELLS);
        Sync<HardEvent::MTE2_MTE1>();
        LoadData(t.a2, t.a1, t.one);
        LoadData(t.b2, t.b1, t.one);
        Sync<HardEvent::MTE1_M>();
        Mmad(t.c, t.a2, t.b2, t.first);
        Sync<HardEvent::M_FIX>();
        CrossCoreSetFlag<2, PIPE_FIX>(4);
        Fixpipe(t.w, t.c, t.out);  // @out
    } else {
        Args g(x, y, z, w);
        Tiles t;
        CrossCoreWaitFlag(4);
        DataCopy(t.a, g.w, N);  // @in
        Sync<HardEvent::MTE2_V>();
        Adds(t.b, t.a, 1.0f, N);
        Sync<HardEvent::V_MTE3>();
        DataCopy(g.z, t.b, N);
    }
}

// The flag follows the cube pipe, not the one that writes.
// expect: core_race fixpipe@out mte2@in
// cores: mix_1_1
extern "C" __global__ __aicore__ void flag_of_the_wrong_pipe(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    if ASCEND_IS_AIC {
        CubeTiles t(x, y, z, w);
        DataCopy(t.a1, t.x, CELLS);
        DataCopy(t.b1, t.y, CELLS);
        Sync<HardEvent::MTE2_MTE1>();
        LoadData(t.a2, t.a1, t.one);
        LoadData(t.b2, t.b1, t.one);
        Sync<HardEvent::MTE1_M>();
        Mmad(t.c, t.a2, t.b2, t.first);
        Sync<HardEvent::M_FIX>();
        Fixpipe(t.w, t.c, t.out);  // @out
        CrossCoreSetFlag<2, PIPE_M>(4);
    } else {
        Args g(x, y, z, w);
        Tiles t;
        CrossCoreWaitFlag(4);
        DataCopy(t.a, g.w, N);  // @in
        Sync<HardEvent::MTE2_V>();
        Adds(t.b, t.a, 1.0f, N);
        Sync<HardEvent::V_MTE3>();
        DataCopy(g.z, t.b, N);
    }
}

// The flag of the cube core is left up.
// expect: set_never_waited fixpipe@set
// cores: mix_1_1
extern "C" __global__ __aicore__ void product_never_awaited(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    if ASCEND_IS_AIC {
        CubeTiles t(x, y, z, w);
        DataCopy(t.a1, t.x, CELLS);
        DataCopy(t.b1, t.y, CELLS);
        Sync<HardEvent::MTE2_MTE1>();
        LoadData(t.a2, t.a1, t.one);
        LoadData(t.b2, t.b1, t.one);
        Sync<HardEvent::MTE1_M>();
        Mmad(t.c, t.a2, t.b2, t.first);
        Sync<HardEvent::M_FIX>();
        Fixpipe(t.w, t.c, t.out);
        CrossCoreSetFlag<2, PIPE_FIX>(4);  // @set
    } else {
        Args g(x, y, z, w);
        Tiles t;
        DataCopy(t.a, g.x, N);
        Sync<HardEvent::MTE2_V>();
        Adds(t.b, t.a, 1.0f, N);
    }
}
