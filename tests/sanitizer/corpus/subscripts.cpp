// SPDX-License-Identifier: Apache-2.0
// Subscripts of arrays in objects, and of arrays of objects. Indices come from block_num so that the compiler
// does not know them.
//
// See races.cpp for what stands above each kernel.
#include "pointers.h"

struct Shares {
    uint32_t rows[2];
    uint32_t columns[2];
    uint32_t spare[8];
};

__aicore__ inline void FillShares(Shares& shares, uint32_t first) {
    for (int32_t i = 0; i < 2; ++i) {
        shares.rows[i] = first + i;
        shares.columns[i] = first;
    }
    for (int32_t i = 0; i < 8; ++i) {
        shares.spare[i] = 0;
    }
}

struct TwoRows {
    uint32_t begin[2];
    uint32_t count[2];

    __aicore__ inline void Init(uint32_t first) {
        for (int32_t i = 0; i < 2; ++i) {
            begin[i] = first + i * N;
            count[i] = N;
        }
    }

    __aicore__ inline uint32_t Begin(int32_t row) const { return begin[row]; }
};

// The third of two rows: what is taken is how long the first one is.
// expect: out_of_range scalar@member
extern "C" __global__ __aicore__ void member_behind_its_array(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;

    struct Mine {
        TwoRows rows;

        __aicore__ inline uint32_t Begin(int32_t row) const {
            return rows.begin[row];  // @member
        }
    } mine;

    mine.rows.Init(One() * N);
    DataCopy(t.a, g.x[mine.Begin(One() + 1)], N);
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(g.z, t.a, mine.rows.count[0]);
}

// The same array, within.
// expect: silent
extern "C" __global__ __aicore__ void member_in_its_array(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    TwoRows rows;
    rows.Init(One() * N);
    DataCopy(t.a, g.x[rows.Begin(One())], N);
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(g.z, t.a, rows.count[0]);
}

// A row too far is moved: the count of the first one is gone.
// expect: out_of_range scalar@moved
extern "C" __global__ __aicore__ void member_written_behind_its_array(GM_ADDR x,
                                                                      GM_ADDR y,
                                                                      GM_ADDR z,
                                                                      GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    TwoRows rows;
    rows.Init(One() * N);
    rows.begin[One() + 1] = 64;  // @moved
    DataCopy(t.a, g.x[rows.Begin(One())], N);
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(g.z, t.a, rows.count[One() - 1]);
}

// Two tensors, and a loop over three.
// expect: out_of_range scalar@third
extern "C" __global__ __aicore__ void tensor_behind_its_array(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;

    struct {
        LocalTensor<float> in[2];
        LocalTensor<float> out[2];
    } tiles;

    tiles.in[0] = t.a;
    tiles.in[1] = t.b;
    tiles.out[0] = t.c;
    tiles.out[1] = t.d;
    for (int32_t i = 0; i < One() + 2; ++i) {
        DataCopy(tiles.in[i], g.x[i * N], N);  // @third
    }
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(g.z, tiles.in[0], N);
    DataCopy(g.z[N], tiles.in[1], N);
}

// As many as there are.
// expect: silent
extern "C" __global__ __aicore__ void tensors_of_an_array(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;

    struct {
        LocalTensor<float> in[2];
        LocalTensor<float> out[2];
    } tiles;

    tiles.in[0] = t.a;
    tiles.in[1] = t.b;
    tiles.out[0] = t.c;
    tiles.out[1] = t.d;
    for (int32_t i = 0; i < One() + 1; ++i) {
        DataCopy(tiles.in[i], g.x[i * N], N);
    }
    Sync<HardEvent::MTE2_V>();
    for (int32_t i = 0; i < One() + 1; ++i) {
        Muls(tiles.out[i], tiles.in[i], 2.0f, N);
    }
    Sync<HardEvent::V_MTE3>();
    for (int32_t i = 0; i < One() + 1; ++i) {
        DataCopy(g.z[i * N], tiles.out[i], N);
    }
}

// Two tensors on the stack, and the third of them.
// expect: out_of_range scalar@third
extern "C" __global__ __aicore__ void local_tensor_behind_its_array(GM_ADDR x,
                                                                    GM_ADDR y,
                                                                    GM_ADDR z,
                                                                    GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    LocalTensor<float> in[2] = {t.a, t.b};
    for (int32_t i = 0; i < One() + 2; ++i) {
        DataCopy(in[i], g.x[i * N], N);  // @third
    }
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(g.z, in[0], N);
    DataCopy(g.z[N], in[1], N);
}

// The loop of a copy of shares, word by word, goes through all their arrays.
// expect: silent
extern "C" __global__ __aicore__ void object_walked_by_words(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    Shares shares;
    Shares copied;
    FillShares(shares, One());
    auto* from = reinterpret_cast<uint32_t*>(&shares);
    auto* to = reinterpret_cast<uint32_t*>(&copied);
    for (int32_t i = 0; i < int32_t(sizeof(Shares) / sizeof(uint32_t)) * One(); ++i) {
        to[i] = from[i];
    }
    DataCopy(t.a, g.x[copied.rows[One()] * N], N);
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(g.z, t.a, N);
}

struct Table {
    float rows[4][8];
    float sum;
};

// A table of rows is walked through as one row, and its end is a place behind the last element.
// expect: silent
extern "C" __global__ __aicore__ void table_walked_as_one_row(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    Table table;
    for (int32_t i = 0; i < 32 * One(); ++i) {
        table.rows[0][i] = float(i);
    }
    table.sum = 0.0f;
    for (const float* at = &table.rows[0][0]; at != &table.rows[3][8 * One()]; ++at) {
        table.sum += *at;
    }
    Duplicate(t.a, table.sum, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.a, N);
}

// Behind the last row of the table.
// expect: out_of_range scalar@fifth
extern "C" __global__ __aicore__ void row_behind_its_table(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    Table table;
    table.sum = 0.0f;
    for (int32_t i = 0; i < 4; ++i) {
        for (int32_t j = 0; j < 8; ++j) {
            table.rows[i][j] = float(j);
        }
    }
    table.rows[3 + One()][0] = 1.0f;  // @fifth
    Duplicate(t.a, table.sum + table.rows[One()][One()], N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.a, N);
}
