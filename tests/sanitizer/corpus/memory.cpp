// SPDX-License-Identifier: Apache-2.0
// Memory: what was never written, and what is not the kernel's.
//
// Above each kernel stand its defect, what the checker must say (kind, then pipe@label of the earlier and of
// the later operation; labels are at the ends of lines), and optionally `blocks` and `numbers: sum` where z =
// x + y comes out right all the same. `expect: silent` marks the correct twins.
#include "corpus.h"

// The second input was never copied in.
// expect: uninitialised_read vector@add
extern "C" __global__ __aicore__ void reads_an_empty_buffer(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    Add(t.c, t.a, t.b, N);  // @add
}

// Half of the elements were copied in.
// expect: uninitialised_read vector@add
extern "C" __global__ __aicore__ void reads_past_a_short_copy(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N / 2);
    Sync<HardEvent::MTE2_V>();
    Adds(t.c, t.a, 1.0f, N);  // @add
}

// As many are computed as were copied in.
// expect: silent
extern "C" __global__ __aicore__ void short_copy_short_sum(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopyPad(t.a, g.x, DataCopyExtParams(1, 100, 0, 0, 0), DataCopyPadExtParams<float>(false, 0, 0, 0));
    Sync<HardEvent::MTE2_V>();
    Adds(t.c, t.a, 1.0f, 25);
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(g.z, t.c, DataCopyExtParams(1, 100, 0, 0, 0));
}

// Half of the tile that leaves was never computed.
// expect: uninitialised_read mte3@out
extern "C" __global__ __aicore__ void copies_out_more_than_computed(GM_ADDR x,
                                                                    GM_ADDR y,
                                                                    GM_ADDR z,
                                                                    GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    Adds(t.c, t.a, 1.0f, N / 2);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.c, N);  // @out
}

// The scalar unit reads an element that nobody wrote.
// expect: uninitialised_read scalar@get
extern "C" __global__ __aicore__ void scalar_reads_nothing(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    float s = t.a.GetValue(3);  // @get
    Duplicate(t.b, s, N);
}

// A sum that starts from whatever the buffer holds.
// expect: uninitialised_read vector@sum
extern "C" __global__ __aicore__ void sums_into_nothing(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    Axpy(t.c, t.a, 2.0f, N);  // @sum
}

// A mask leaves out lanes that are copied out.
// expect: uninitialised_read mte3@out
extern "C" __global__ __aicore__ void masked_lanes_unwritten(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    uint64_t mask = 32;
    Adds(t.c, t.a, 1.0f, mask, 4, {1, 1, 8, 8});
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.c, N);  // @out
}

// The output is read before anything was written to it.
// expect: uninitialised_read mte2@in
extern "C" __global__ __aicore__ void reads_its_output(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.z, N);  // @in
}

// The workspace holds nothing at first.
// expect: uninitialised_read mte2@in
extern "C" __global__ __aicore__ void reads_its_workspace(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.w[1024], N);  // @in
}

// A workspace may be filled first.
// expect: silent
extern "C" __global__ __aicore__ void adds_to_its_workspace(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    Duplicate(t.a, 0.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.w, t.a, N);
    Sync<HardEvent::MTE3_MTE2>();
    DataCopy(t.b, g.w, N);
}

// The copy runs into the next buffer.
// expect: buffer_overrun mte2@in
extern "C" __global__ __aicore__ void tile_longer_than_its_buffer(GM_ADDR x,
                                                                  GM_ADDR y,
                                                                  GM_ADDR z,
                                                                  GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N + 64);  // @in
}

// Padded rows need more room than the bytes they hold.
// expect: buffer_overrun mte2@in
extern "C" __global__ __aicore__ void rows_longer_than_the_buffer(GM_ADDR x,
                                                                  GM_ADDR y,
                                                                  GM_ADDR z,
                                                                  GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopyExtParams rows(40, 20, 0, 0, 0);
    DataCopyPad(t.a, g.x, rows, DataCopyPadExtParams<float>(false, 0, 0, 0));  // @in
}

// The sum runs past everything InitBuffer gave.
// expect: unallocated_use vector@fill
extern "C" __global__ __aicore__ void past_the_last_buffer(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    Duplicate(t.d, 0.0f, N + 8);  // @fill
}

// A tensor outlives the Reset of its pipe.
// expect: unallocated_use vector@fill
extern "C" __global__ __aicore__ void buffer_forgotten_by_reset(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    t.pipe.Reset();
    TBuf<TPosition::VECCALC> fresh;
    t.pipe.InitBuffer(fresh, BYTES);
    Duplicate(t.b, 0.0f, N);  // @fill
}

// The input is read after it went back to its queue.
// expect: use_after_free vector@add
// expect: race vector@add mte2
extern "C" __global__ __aicore__ void used_after_free(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, BYTES);
    pipe.InitBuffer(out, 2, BYTES);
    for (int32_t i = 0; i < 4; ++i) {
        LocalTensor<float> v = in.AllocTensor<float>();
        DataCopy(v, g.x[i * N], N);
        in.EnQue(v);
        v = in.DeQue<float>();
        LocalTensor<float> r = out.AllocTensor<float>();
        in.FreeTensor(v);
        Adds(r, v, 1.0f, N);  // @add
        out.EnQue(r);
        r = out.DeQue<float>();
        DataCopy(g.z[i * N], r, N);
        out.FreeTensor(r);
    }
}

// The result goes back to its queue before it is copied out.
// expect: use_after_free mte3@out
// expect: race mte3@out vector
extern "C" __global__ __aicore__ void freed_before_it_left(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, BYTES);
    pipe.InitBuffer(out, 2, BYTES);
    for (int32_t i = 0; i < 4; ++i) {
        LocalTensor<float> v = in.AllocTensor<float>();
        DataCopy(v, g.x[i * N], N);  // @in
        in.EnQue(v);
        v = in.DeQue<float>();
        LocalTensor<float> r = out.AllocTensor<float>();
        Adds(r, v, 1.0f, N);  // @add
        in.FreeTensor(v);
        out.EnQue(r);
        r = out.DeQue<float>();
        out.FreeTensor(r);
        DataCopy(g.z[i * N], r, N);  // @out
    }
}

// The second buffer of the queue is used without AllocTensor.
// expect: use_after_free mte2@in
extern "C" __global__ __aicore__ void never_taken(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, BYTES);
    pipe.InitBuffer(out, 2, BYTES);
    LocalTensor<float> v = in.AllocTensor<float>();
    DataCopy(v[N], g.x, N);  // @in
    in.FreeTensor(v);
}

// The last tile is not there.
// expect: out_of_range mte2@in
extern "C" __global__ __aicore__ void reads_past_its_argument(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x[ALL - N + 8], N);  // @in
}

// Rows with a stride leave the output.
// expect: out_of_range mte3@out
extern "C" __global__ __aicore__ void writes_past_its_argument(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    Duplicate(t.a, 0.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.a, DataCopyParams(4, 8, 0, 2048));  // @out
}

// An offset beyond the unified buffer.
// expect: out_of_range vector@fill
extern "C" __global__ __aicore__ void past_the_unified_buffer(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    Duplicate(t.a[192 * 256], 0.0f, N);  // @fill
}

// A vector operand starts in the middle of a block.
// expect: misaligned vector@add
extern "C" __global__ __aicore__ void odd_vector_operand(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    Adds(t.c, t.a[3], 1.0f, 64);  // @add
}

// A copy to the middle of a block.
// expect: misaligned mte2@in
extern "C" __global__ __aicore__ void odd_copy(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a[5], g.x, 64);  // @in
}

// An argument that the host declares as input takes the result.
// expect: input_written mte3@out
extern "C" __global__ __aicore__ void writes_to_an_input(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    Adds(t.c, t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.y, t.c, N);  // @out
}

// What the vendor's debug build would stop at.
// expect: illegal scalar@assert
extern "C" __global__ __aicore__ void asserts_what_is_not_so(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    ASCENDC_ASSERT((g.x.GetSize() == 0), { KERNEL_LOG(KERNEL_ERROR, "x holds elements"); });  // @assert
}

// It holds, and costs nothing.
// expect: silent
extern "C" __global__ __aicore__ void asserts_what_is_so(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    ASCENDC_ASSERT((g.x.GetSize() == ALL), { KERNEL_LOG(KERNEL_ERROR, "x has other extents"); });
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(g.z, t.a, N);
}
