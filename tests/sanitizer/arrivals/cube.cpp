// SPDX-License-Identifier: Apache-2.0
// Products of what was loaded, and of more than that; see vector.cpp.
#include "../corpus/cube.h"

// Sixteen columns were loaded, and thirty-two are multiplied.
// expect: uninitialised_read cube@mmad
// cores: aic
extern "C" __global__ __aicore__ void multiplies_twice_what_it_loaded(GM_ADDR x,
                                                                      GM_ADDR y,
                                                                      GM_ADDR z,
                                                                      GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    DataCopy(t.a1, t.x, CELLS);
    DataCopy(t.b1, t.y, CELLS);
    Sync<HardEvent::MTE2_MTE1>();
    LoadData(t.a2, t.a1, t.one);
    LoadData(t.b2, t.b1, t.one);
    Sync<HardEvent::MTE1_M>();
    Mmad(t.c, t.a2, t.b2, MmadParams{M16, M16, 2 * M16, 0, false, true});  // @mmad
    Sync<HardEvent::M_FIX>();
    Fixpipe(t.z, t.c, t.out);
}

// Ten of sixteen rows are multiplied, and ten rows leave.
// expect: silent
// cores: aic
extern "C" __global__ __aicore__ void multiplies_what_it_loaded(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    DataCopy(t.a1, t.x, 10 * M16);
    DataCopy(t.b1, t.y, CELLS);
    Sync<HardEvent::MTE2_MTE1>();
    LoadData(t.a2, t.a1, t.one);
    LoadData(t.b2, t.b1, t.one);
    Sync<HardEvent::MTE1_M>();
    Mmad(t.c, t.a2, t.b2, MmadParams{10, M16, M16, 0, false, true});
    Sync<HardEvent::M_FIX>();
    Fixpipe(t.z, t.c, FixpipeParamsV220{M16, 10, M16, M16, false});
}

// Eight of sixteen columns were copied to L1, and all are multiplied.
// expect: uninitialised_read mte1@load
// cores: aic
extern "C" __global__ __aicore__ void loads_rows_nobody_copied(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CubeTiles t(x, y, z, w);
    DataCopy(t.a1, t.x, CELLS / 2);
    DataCopy(t.b1, t.y, CELLS);
    Sync<HardEvent::MTE2_MTE1>();
    LoadData(t.a2, t.a1, t.one);  // @load
    LoadData(t.b2, t.b1, t.one);
    Sync<HardEvent::MTE1_M>();
    Mmad(t.c, t.a2, t.b2, t.first);
    Sync<HardEvent::M_FIX>();
    Fixpipe(t.z, t.c, t.out);
}
