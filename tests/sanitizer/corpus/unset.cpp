// SPDX-License-Identifier: Apache-2.0
// Members and variables that are used before they are set, and such that only look so.
//
// See races.cpp for what stands above each kernel.
#include "pointers.h"

/// A kernel class as the samples have it; which of its members Init sets is the case's.
class Tiled {
public:
    __aicore__ inline Tiled() {}

    __aicore__ inline void Init(const Args& args, int32_t length) {
        args_ = args;
        length_ = length;
        pipe_.InitBuffer(in_, 2, BYTES);
        pipe_.InitBuffer(out_, 2, BYTES);
    }

    __aicore__ inline void SetTiles(int32_t tiles) { tiles_ = tiles; }

    __aicore__ inline void SetScale(float scale) { scale_ = scale; }

    __aicore__ inline void SetTail(int32_t tail) {
        if (tail != 0) {
            hasTail_ = true;
            tail_ = tail;
        } else {
            hasTail_ = false;
        }
    }

    __aicore__ inline void Process() {
        for (int32_t i = 0; i < tiles_; ++i) {  // @rounds
            Move(i);
        }
    }

    __aicore__ inline void Move(int32_t i) {
        LocalTensor<float> x = in_.AllocTensor<float>();
        DataCopy(x, args_.x[i * N], length_);
        in_.EnQue(x);
        x = in_.DeQue<float>();
        LocalTensor<float> z = out_.AllocTensor<float>();
        Adds(z, x, 1.0f, length_);
        out_.EnQue(z);
        in_.FreeTensor(x);
        z = out_.DeQue<float>();
        DataCopy(args_.z[i * N], z, length_);
        out_.FreeTensor(z);
    }

    __aicore__ inline void Scale() {
        LocalTensor<float> x = in_.AllocTensor<float>();
        DataCopy(x, args_.x, N);
        in_.EnQue(x);
        x = in_.DeQue<float>();
        LocalTensor<float> z = out_.AllocTensor<float>();
        Muls(z, x, scale_, N);
        out_.EnQue(z);
        in_.FreeTensor(x);
        z = out_.DeQue<float>();
        DataCopy(args_.z, z, N);
        out_.FreeTensor(z);
    }

    __aicore__ inline void Tail() {
        if (hasTail_) {
            length_ = tail_;
            Move(1);
        }
    }

private:
    TPipe pipe_;
    TQue<QuePosition::VECIN, 1> in_;
    TQue<QuePosition::VECOUT, 1> out_;
    Args args_{nullptr, nullptr, nullptr, nullptr};
    int32_t length_;
    int32_t tiles_;
    float scale_;
    bool hasTail_;
    int32_t tail_;
};

// Nobody says how many tiles there are.
// expect: uninitialised_read scalar
// expect: out_of_range
extern "C" __global__ __aicore__ void rounds_nobody_counted(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiled op;
    op.Init(g, N);
    op.Process();
}

// Here somebody does.
// expect: silent
extern "C" __global__ __aicore__ void rounds_that_are_counted(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiled op;
    op.Init(g, N);
    op.SetTiles(4 * One());
    op.Process();
}

// The factor is an argument of the interface.
// expect: uninitialised_read scalar
extern "C" __global__ __aicore__ void factor_nobody_set(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiled op;
    op.Init(g, N);
    op.Scale();
}

// A factor that is set.
// expect: silent
extern "C" __global__ __aicore__ void factor_that_is_set(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiled op;
    op.Init(g, N);
    op.SetScale(2.0f * static_cast<float>(One()));
    op.Scale();
}

// A flag that nobody sets decides.
// expect: uninitialised_read scalar
// expect: rounded_count
// expect: out_of_range
extern "C" __global__ __aicore__ void condition_nobody_set(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiled op;
    op.Init(g, N);
    op.Move(0);
    op.Tail();
}

// A tail's length is set where there is a tail, and read there alone.
// expect: silent
extern "C" __global__ __aicore__ void length_of_a_tail_that_is_not_there(GM_ADDR x,
                                                                         GM_ADDR y,
                                                                         GM_ADDR z,
                                                                         GM_ADDR w) {
    Args g(x, y, z, w);
    Tiled op;
    op.Init(g, N);
    op.SetTail(One() - 1);
    op.Move(0);
    op.Tail();
}

struct Split {
    int32_t first;
    int32_t count;
    int32_t rest;  // often left alone
};

__aicore__ inline Split SplitOf(int32_t total) {
    Split split;
    split.first = total / 2;
    split.count = total - split.first;
    return split;
}

// A member that a function leaves out, as an index.
// expect: uninitialised_read scalar@get
extern "C" __global__ __aicore__ void index_from_what_was_left_out(GM_ADDR x,
                                                                   GM_ADDR y,
                                                                   GM_ADDR z,
                                                                   GM_ADDR w) {
    Pointers p(x, y, z, w);
    const Split split = SplitOf(32 * One());
    p.z[0] = p.x[split.rest & 1023];  // @get
}

// The others of it.
// expect: silent
extern "C" __global__ __aicore__ void members_that_are_set(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    const Split split = SplitOf(32 * One());
    const Split copy = split;
    for (int32_t i = 0; i < copy.count; ++i) {
        p.z[i] = p.x[copy.first + i];
    }
}

// A number that only some ways through the function set.
// expect: uninitialised_read scalar@use
extern "C" __global__ __aicore__ void number_that_one_way_sets(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    int32_t count;
    if (One() == 2) {
        count = 7;
    }
    for (int32_t i = 0; i < count; ++i) {  // @use
        p.z[i] = p.x[i];
        if (i == 100) {
            break;
        }
    }
}

// A number that is looked at where it was set.
// expect: silent
extern "C" __global__ __aicore__ void number_behind_its_flag(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    int32_t last;
    bool any = false;
    for (int32_t i = 0; i < 16 * One(); ++i) {
        if (any && last > 1000) {
            p.z[1] = p.x[last & 1023];
        }
        p.z[0] = p.x[i];
        last = static_cast<int32_t>(p.x[i]);
        any = true;
    }
}

struct Bits {
    uint32_t kind : 4;
    uint32_t size : 12;
    uint32_t flags : 16;
};

// Fields of one word, one of them never set and never read.
// expect: silent
extern "C" __global__ __aicore__ void fields_of_a_word(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    Bits bits;
    bits.kind = static_cast<uint32_t>(One());
    bits.size = static_cast<uint32_t>(One()) * 9;
    if (bits.kind == 1 && bits.size > 8) {
        p.z[0] = p.x[bits.size];
    }
}

struct TopBits {
    uint32_t flags : 20;  // never set
    uint32_t size : 12;
};

// The upper field of a word whose lower one is never set. The compiler compares the whole word.
// expect: silent
extern "C" __global__ __aicore__ void compares_the_upper_field(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    TopBits bits;
    bits.size = static_cast<uint32_t>(One());
    for (int32_t i = 0; i < 16 * One(); ++i) {
        bits.size += static_cast<uint32_t>(One());
        if (bits.size > 8) {
            p.z[i] = p.x[i];
        }
    }
}

// A word of which the upper field, that decides, is not set.
// expect: uninitialised_read scalar@compare
extern "C" __global__ __aicore__ void compares_an_unset_field(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    TopBits bits;
    bits.flags = static_cast<uint32_t>(One());
    for (int32_t i = 0; i < 16 * One(); ++i) {
        bits.flags += static_cast<uint32_t>(One());
        if (bits.size > 8) {  // @compare
            p.z[i] = p.x[i];
        }
    }
}

struct Ends {
    int32_t count;
    int32_t tail;
};

class Divider {
public:
    __aicore__ inline explicit Divider(Ends* ends) : ends_{ends} {}

    __attribute__((noinline)) __aicore__ void Divide(int32_t count) {
        int32_t tail;
        if (count > 3) {
            tail = count - 3;
        }
        ends_->tail = tail;
        ends_->count = count;
    }

private:
    Ends* ends_;
};

// What is copied through a kept pointer to an object of its own, and looked at where it was set.
// expect: silent
extern "C" __global__ __aicore__ void copies_through_a_kept_pointer(GM_ADDR x,
                                                                    GM_ADDR y,
                                                                    GM_ADDR z,
                                                                    GM_ADDR w) {
    Pointers p(x, y, z, w);
    Ends ends;
    Divider divider{&ends};
    divider.Divide(2 * One());
    p.z[0] = p.x[ends.count > 3 ? ends.tail : 0];
}

// An object that is copied to global memory before all of it is set.
// expect: silent
extern "C" __global__ __aicore__ void copies_an_object_with_a_gap(GM_ADDR x,
                                                                  GM_ADDR y,
                                                                  GM_ADDR z,
                                                                  GM_ADDR w) {
    Split split = SplitOf(8 * One());
    *(__gm__ Split*)w = split;
    ((__gm__ int32_t*)z)[0] = ((__gm__ Split*)w)->count;
}

// Counted up from nothing.
// expect: uninitialised_read scalar@use
extern "C" __global__ __aicore__ void sum_from_nothing(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    float sum;
    for (int32_t i = 0; i < 16 * One(); ++i) {
        sum += p.x[i];
    }
    p.z[0] = sum;  // @use
}

// A number that nobody set, stored.
// expect: uninitialised_read scalar@put
extern "C" __global__ __aicore__ void stores_what_nobody_set(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    const Split split = SplitOf(8 * One());
    ((__gm__ int32_t*)z)[0] = split.count;
    ((__gm__ int32_t*)z)[1] = split.rest;  // @put
}

__aicore__ inline int32_t LengthOf(int32_t kind) {
    int32_t length;
    switch (kind) {
        case 0:
            length = 32;
            break;
        case 2:
            length = 16;
            break;
        case 3:
            length = 8;
            break;
    }
    return length;
}

// A case that the table has not.
// expect: uninitialised_read scalar
extern "C" __global__ __aicore__ void length_of_no_case(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    const int32_t length = LengthOf(One());
    for (int32_t i = 0; i < 16; ++i) {
        ((__gm__ int32_t*)z)[i] = i < length ? 1 : 0;
    }
}

// One that it has.
// expect: silent
extern "C" __global__ __aicore__ void length_of_a_case(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    const int32_t length = LengthOf(One() + 1);
    for (int32_t i = 0; i < 16; ++i) {
        ((__gm__ int32_t*)z)[i] = i < length ? 1 : 0;
    }
}

__attribute__((noinline)) __aicore__ void Take(float* to, const __gm__ float* from, int32_t n) {
    for (int32_t i = 0; i < n; ++i) {
        to[i] = from[i];
    }
}

// A helper takes twelve of sixteen.
// expect: uninitialised_read scalar@put
extern "C" __global__ __aicore__ void array_taken_in_part(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    float taken[16];
    Take(taken, p.x, 12 * One());
    for (int32_t i = 0; i < 16; ++i) {
        p.z[i] = taken[i] * 2.0f;  // @put
    }
}

// It takes all.
// expect: silent
extern "C" __global__ __aicore__ void array_taken_whole(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    float taken[16];
    Take(taken, p.x, 16 * One());
    for (int32_t i = 0; i < 16; ++i) {
        p.z[i] = taken[i] * 2.0f;
    }
}

// Half of the counters are cleared, and all are added up.
// expect: uninitialised_read scalar@put
extern "C" __global__ __aicore__ void counters_cleared_in_part(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    int32_t counters[1024];
    for (int32_t i = 0; i < 512 * One(); ++i) {
        counters[i] = 0;
    }
    for (int32_t i = 0; i < 64 * One(); ++i) {
        ++counters[static_cast<int32_t>(((__gm__ float*)x)[i]) & 511];
    }
    int32_t sum = 0;
    for (int32_t i = 0; i < 1024 * One(); ++i) {
        sum += counters[i];
    }
    ((__gm__ int32_t*)z)[0] = sum;  // @put
}

// A sum begins with what happens to be there, and goes to the framework by reference.
// expect: uninitialised_read scalar@fill
extern "C" __global__ __aicore__ void sum_that_begins_with_nothing(GM_ADDR x,
                                                                   GM_ADDR y,
                                                                   GM_ADDR z,
                                                                   GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    const __gm__ float* from = (const __gm__ float*)x;
    float sum;
    for (int32_t i = 0; i < 64 * One(); ++i) {
        sum += from[i];
    }
    Duplicate(t.a, sum, N);  // @fill
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.a, N);
}

// It begins with zero.
// expect: silent
extern "C" __global__ __aicore__ void sum_that_begins_with_zero(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    const __gm__ float* from = (const __gm__ float*)x;
    float sum = 0;
    for (int32_t i = 0; i < 64 * One(); ++i) {
        sum += from[i];
    }
    Duplicate(t.a, sum, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.a, N);
}

__aicore__ __attribute__((noinline)) static void Find(const __gm__ float* in, int32_t n, float& found) {
    for (int32_t i = 0; i < n; ++i) {
        if (in[i] > 1e30f) {
            found = in[i];
        }
    }
}

// Nothing is found.
// expect: uninitialised_read scalar@fill
extern "C" __global__ __aicore__ void found_nothing(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    float found;
    Find((const __gm__ float*)x, 64, found);
    Duplicate(t.a, found, N);  // @fill
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.a, N);
}

// What was not found is not asked for.
// expect: silent
extern "C" __global__ __aicore__ void found_nothing_and_knows(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    const __gm__ float* from = (const __gm__ float*)x;
    float found;
    bool any = false;
    for (int32_t i = 0; i < 64 * One() && !any; ++i) {
        if (from[i] > 1e30f) {
            found = from[i] * 2.0f;
            any = true;
        }
    }
    Duplicate(t.a, 0.0f, N);
    if (any) {
        PipeBarrier<PIPE_V>();
        Duplicate(t.a, found, N);
    }
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.a, N);
}

/// Offsets of which a member array holds four.
class Offsets {
public:
    __aicore__ inline void Init(int32_t n) {
        for (int32_t i = 0; i < n; ++i) {
            offsets_[i] = i * 16;
        }
    }

    __aicore__ inline void Copy(const Pointers& p) {
        for (int32_t i = 0; i < 4; ++i) {
            p.z[i] = p.x[offsets_[i]];
        }
    }

private:
    int32_t offsets_[4];
};

// Three of them are set.
// expect: uninitialised_read scalar
// expect: out_of_range
extern "C" __global__ __aicore__ void offsets_set_in_part(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    Offsets op;
    op.Init(3 * One());
    op.Copy(p);
}

// All are.
// expect: silent
extern "C" __global__ __aicore__ void offsets_all_set(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    Offsets op;
    op.Init(4 * One());
    op.Copy(p);
}
