// SPDX-License-Identifier: Apache-2.0
// Cube and vector cores that hand data on to each other, both ways.
//
// See cores.cpp for what stands above each kernel.
#include "cube.h"

__aicore__ inline void Product(CubeTiles& t, const GlobalTensor<half>& left, const GlobalTensor<float>& to) {
    DataCopy(t.a1, left, CELLS);
    DataCopy(t.b1, t.y, CELLS);
    Sync<HardEvent::MTE2_MTE1>();
    LoadData(t.a2, t.a1, t.one);
    LoadData(t.b2, t.b1, t.one);
    Sync<HardEvent::MTE1_M>();
    Mmad(t.c, t.a2, t.b2, t.first);
    Sync<HardEvent::M_FIX>();
    Fixpipe(to, t.c, t.out);
}

__aicore__ inline GlobalTensor<half> Halves(GM_ADDR at) {
    GlobalTensor<half> result;
    result.SetGlobalBuffer((__gm__ half*)at, 2 * ALL);
    return result;
}

// The vector core prepares, the cube multiplies, the vector core goes on.
// expect: silent
// cores: mix_1_1
extern "C" __global__ __aicore__ void there_and_back(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    if ASCEND_IS_AIC {
        CubeTiles t(x, y, z, w);
        CrossCoreWaitFlag(5);
        Product(t, Halves(w), t.w[2 * CELLS]);
        CrossCoreSetFlag<2, PIPE_FIX>(6);
    } else {
        Args g(x, y, z, w);
        Tiles t;
        Duplicate(t.a, 0.0f, N);
        Sync<HardEvent::V_MTE3>();
        DataCopy(g.w, t.a, N / 2);
        CrossCoreSetFlag<2, PIPE_MTE3>(5);
        CrossCoreWaitFlag(6);
        DataCopy(t.b, g.w[2 * CELLS], N);
        Sync<HardEvent::MTE2_MTE3>();
        DataCopy(g.z, t.b, N);
    }
}

// The cube takes what is prepared without waiting.
// expect: core_race mte3@out mte2
// cores: mix_1_1
extern "C" __global__ __aicore__ void cube_does_not_wait(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    if ASCEND_IS_AIC {
        CubeTiles t(x, y, z, w);
        Product(t, Halves(w), t.z);
    } else {
        Args g(x, y, z, w);
        Tiles t;
        Duplicate(t.a, 0.0f, N);
        Sync<HardEvent::V_MTE3>();
        DataCopy(g.w, t.a, N / 2);  // @out
    }
}

// The vector core tells the cube before its copy is out.
// expect: core_race mte3@out mte2
// cores: mix_1_1
extern "C" __global__ __aicore__ void cube_told_before_the_copy(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    if ASCEND_IS_AIC {
        CubeTiles t(x, y, z, w);
        CrossCoreWaitFlag(5);
        Product(t, Halves(w), t.z);
    } else {
        Args g(x, y, z, w);
        Tiles t;
        Duplicate(t.a, 0.0f, N);
        CrossCoreSetFlag<2, PIPE_V>(5);
        Sync<HardEvent::V_MTE3>();
        DataCopy(g.w, t.a, N / 2);  // @out
    }
}

// The next product overwrites what the vector core may still read.
// expect: core_race mte2@in fixpipe
// cores: mix_1_1
extern "C" __global__ __aicore__ void next_product_too_early(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    if ASCEND_IS_AIC {
        CubeTiles t(x, y, z, w);
        for (int32_t i = 0; i < 2; ++i) {
            Product(t, t.x, t.w);
            PipeBarrier<PIPE_ALL>();
            CrossCoreSetFlag<2, PIPE_FIX>(6);
        }
    } else {
        Args g(x, y, z, w);
        Tiles t;
        for (int32_t i = 0; i < 2; ++i) {
            CrossCoreWaitFlag(6);
            DataCopy(t.b, g.w, N);  // @in
            Sync<HardEvent::MTE2_MTE3>();
            DataCopy(g.z[i * N], t.b, N);
            Sync<HardEvent::MTE3_MTE2>();
        }
    }
}

// The vector core answers.
// expect: silent
// cores: mix_1_1
extern "C" __global__ __aicore__ void next_product_when_answered(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    if ASCEND_IS_AIC {
        CubeTiles t(x, y, z, w);
        for (int32_t i = 0; i < 2; ++i) {
            if (i > 0) {
                CrossCoreWaitFlag(5);
            }
            Product(t, t.x, t.w);
            CrossCoreSetFlag<2, PIPE_FIX>(6);
            PipeBarrier<PIPE_ALL>();
        }
    } else {
        Args g(x, y, z, w);
        Tiles t;
        for (int32_t i = 0; i < 2; ++i) {
            CrossCoreWaitFlag(6);
            DataCopy(t.b, g.w, N);
            if (i == 0) {
                CrossCoreSetFlag<2, PIPE_MTE2>(5);
            }
            Sync<HardEvent::MTE2_MTE3>();
            DataCopy(g.z[i * N], t.b, N);
            Sync<HardEvent::MTE3_MTE2>();
        }
    }
}

// Two places in turn: the cube is one product ahead.
// expect: silent
// cores: mix_1_1
extern "C" __global__ __aicore__ void one_product_ahead(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    if ASCEND_IS_AIC {
        CubeTiles t(x, y, z, w);
        for (int32_t i = 0; i < 4; ++i) {
            if (i > 1) {
                CrossCoreWaitFlag(5);
            }
            Product(t, t.x, t.w[i % 2 * CELLS]);
            CrossCoreSetFlag<2, PIPE_FIX>(6);
            PipeBarrier<PIPE_ALL>();
        }
    } else {
        Args g(x, y, z, w);
        Tiles t;
        for (int32_t i = 0; i < 4; ++i) {
            CrossCoreWaitFlag(6);
            DataCopy(t.b, g.w[i % 2 * CELLS], N);
            if (i < 2) {
                CrossCoreSetFlag<2, PIPE_MTE2>(5);
            }
            Sync<HardEvent::MTE2_MTE3>();
            DataCopy(g.z[i * N], t.b, N);
            Sync<HardEvent::MTE3_MTE2>();
        }
    }
}

// Two places in turn, but the answer is asked for one round too late.
// expect: core_race mte2@in fixpipe
// cores: mix_1_1
extern "C" __global__ __aicore__ void two_products_ahead(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    if ASCEND_IS_AIC {
        CubeTiles t(x, y, z, w);
        for (int32_t i = 0; i < 4; ++i) {
            if (i > 2) {
                CrossCoreWaitFlag(5);
            }
            Product(t, t.x, t.w[i % 2 * CELLS]);
            CrossCoreSetFlag<2, PIPE_FIX>(6);
            PipeBarrier<PIPE_ALL>();
        }
    } else {
        Args g(x, y, z, w);
        Tiles t;
        for (int32_t i = 0; i < 4; ++i) {
            CrossCoreWaitFlag(6);
            DataCopy(t.b, g.w[i % 2 * CELLS], N);  // @in
            if (i < 1) {
                CrossCoreSetFlag<2, PIPE_MTE2>(5);
            }
            Sync<HardEvent::MTE2_MTE3>();
            DataCopy(g.z[i * N], t.b, N);
            Sync<HardEvent::MTE3_MTE2>();
        }
    }
}

// The cube waits for both vector cores of its group, and one of them has nothing to say.
// expect: wait_never_set scalar@wait
// cores: mix_1_2
extern "C" __global__ __aicore__ void one_of_two_vector_cores_says_nothing(GM_ADDR x,
                                                                           GM_ADDR y,
                                                                           GM_ADDR z,
                                                                           GM_ADDR w) {
    if ASCEND_IS_AIC {
        CubeTiles t(x, y, z, w);
        CrossCoreWaitFlag(5);  // @wait
        Product(t, t.x, t.z);
    } else {
        if (GetSubBlockIdx() == 0) {
            CrossCoreSetFlag<2, PIPE_MTE3>(5);
        }
    }
}

// Both say it, and both hear of the product.
// expect: silent
// cores: mix_1_2
extern "C" __global__ __aicore__ void both_vector_cores_say_it(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    if ASCEND_IS_AIC {
        CubeTiles t(x, y, z, w);
        CrossCoreWaitFlag(5);
        Product(t, Halves(w), t.w[2 * CELLS]);
        CrossCoreSetFlag<2, PIPE_FIX>(6);
    } else {
        Args g(x, y, z, w);
        Tiles t;
        int32_t sub = GetSubBlockIdx();
        Duplicate(t.a, 0.0f, N);
        Sync<HardEvent::V_MTE3>();
        DataCopy(g.w[sub * N / 4], t.a, N / 4);
        CrossCoreSetFlag<2, PIPE_MTE3>(5);
        CrossCoreWaitFlag(6);
        DataCopy(t.b, g.w[2 * CELLS + sub * N / 2], N / 2);
        Sync<HardEvent::MTE2_MTE3>();
        DataCopy(g.z[sub * N / 2], t.b, N / 2);
    }
}

// Both vector cores write all of the result.
// expect: core_race mte3@out mte3@out
// cores: mix_1_2
extern "C" __global__ __aicore__ void both_vector_cores_write_it_all(GM_ADDR x,
                                                                     GM_ADDR y,
                                                                     GM_ADDR z,
                                                                     GM_ADDR w) {
    if ASCEND_IS_AIC {
        CubeTiles t(x, y, z, w);
        Product(t, t.x, t.w);
        CrossCoreSetFlag<2, PIPE_FIX>(6);
    } else {
        Args g(x, y, z, w);
        Tiles t;
        CrossCoreWaitFlag(6);
        DataCopy(t.b, g.w, N);
        Sync<HardEvent::MTE2_MTE3>();
        DataCopy(g.z, t.b, N);  // @out
    }
}

// The vector core waits for a flag of another id.
// expect: wait_never_set scalar@wait
// cores: mix_1_1
extern "C" __global__ __aicore__ void product_awaited_by_another_id(GM_ADDR x,
                                                                    GM_ADDR y,
                                                                    GM_ADDR z,
                                                                    GM_ADDR w) {
    if ASCEND_IS_AIC {
        CubeTiles t(x, y, z, w);
        Product(t, t.x, t.w);
        CrossCoreSetFlag<2, PIPE_FIX>(6);
    } else {
        CrossCoreWaitFlag(7);  // @wait
    }
}

// Both kinds of cores meet, but the cube comes once less.
// expect: wait_never_set scalar@all
// cores: mix_1_1
extern "C" __global__ __aicore__ void cube_misses_a_meeting(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    if ASCEND_IS_AIC {
        SyncAll<false>();
    } else {
        SyncAll<false>();
        SyncAll<false>();  // @all
    }
}
