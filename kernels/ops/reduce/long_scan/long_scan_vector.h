// SPDX-License-Identifier: Apache-2.0
// The vector cores' parts of long_scan.cpp: what each one's elements come to, and the sums before them added.
#pragma once

#include "kernels/ops/reduce/long_scan/long_scan_cube.h"

namespace long_scan {

/// Which elements of a part a vector core takes: neighbouring tiles.
struct Share {
    __aicore__ inline Share(const Tiling& tiling, uint64_t length) {
        const uint64_t tiles = (length + tiling.tile - 1) / tiling.tile;
        const uint64_t cores = uint64_t{tiling.groups} * tiling.vectors;
        const uint64_t most = (tiles + cores - 1) / cores * tiling.tile;
        begin = most * GetBlockIdx() < length ? most * GetBlockIdx() : length;
        end = begin + most < length ? begin + most : length;
    }

    uint64_t begin;
    uint64_t end;
};

__aicore__ inline void WaitForVector(TPipe& pipe) {
    const TEventID id = pipe.FetchEventID<HardEvent::V_S>();
    SetFlag<HardEvent::V_S>(id);
    WaitFlag<HardEvent::V_S>(id);
}

/// The sum of a core's elements to its place in the list of sums.
template <class T>
class ShareSum {
public:
    __aicore__ inline ShareSum(TPipe& pipe, GM_ADDR x, GM_ADDR sums, const Tiling& tiling)
        : pipe_(pipe), t_(tiling) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x));
        sums_.SetGlobalBuffer(reinterpret_cast<__gm__ Sum<T>*>(sums));
        pipe.InitBuffer(in_, 2, t_.tile * sizeof(T));
        pipe.InitBuffer(halves_, t_.tile * sizeof(half));
        pipe.InitBuffer(floats_, t_.tile * sizeof(float));
        pipe.InitBuffer(folds_, t_.tile * sizeof(float) / 8);
        pipe.InitBuffer(out_, 1, 32);
    }

    __aicore__ inline void Run(uint64_t first, uint64_t length) {
        const Share share(t_, length);
        Sum<T> total = 0;
        for (uint64_t at = share.begin; at < share.end; at += t_.tile) {
            const uint64_t left = share.end - at;
            total += Tile(first + at, left < t_.tile ? static_cast<uint32_t>(left) : t_.tile);
        }
        LocalTensor<Sum<T>> out = out_.template AllocTensor<Sum<T>>();
        out.SetValue(0, total);
        const TEventID id = pipe_.FetchEventID<HardEvent::S_MTE3>();
        SetFlag<HardEvent::S_MTE3>(id);
        WaitFlag<HardEvent::S_MTE3>(id);
        DataCopyPad(sums_[GetBlockIdx()], out, DataCopyExtParams(1, sizeof(Sum<T>), 0, 0, 0));
        out_.FreeTensor(out);
    }

private:
    // The sum of a tile of bytes is exact in float: 8192 of up to 128 stay below 2^24.
    __aicore__ inline Sum<T> Tile(uint64_t at, uint32_t count) {
        LocalTensor<T> in = in_.template AllocTensor<T>();
        DataCopyPad(in,
                    x_[at],
                    DataCopyExtParams(1, count * sizeof(T), 0, 0, 0),
                    DataCopyPadExtParams<T>(false, 0, 0, T(0)));
        in_.EnQue(in);
        in = in_.template DeQue<T>();
        const LocalTensor<float> floats = floats_.Get<float>();
        if constexpr (std::is_same_v<T, int8_t>) {
            const LocalTensor<half> halves = halves_.Get<half>();
            Cast(halves, in, RoundMode::CAST_NONE, count);
            PipeBarrier<PIPE_V>();
            Cast(floats, halves, RoundMode::CAST_NONE, count);
        } else {
            Cast(floats, in, RoundMode::CAST_NONE, count);
        }
        in_.FreeTensor(in);
        PipeBarrier<PIPE_V>();
        ReduceSum(floats, floats, folds_.Get<float>(), static_cast<int32_t>(count));
        WaitForVector(pipe_);
        return static_cast<Sum<T>>(floats.GetValue(0));
    }

    TPipe& pipe_;
    const Tiling& t_;
    GlobalTensor<T> x_;
    GlobalTensor<Sum<T>> sums_;
    TQue<TPosition::VECIN, 1> in_;
    TQue<TPosition::VECOUT, 1> out_;
    TBuf<TPosition::VECCALC> halves_;
    TBuf<TPosition::VECCALC> floats_;
    TBuf<TPosition::VECCALC> folds_;
};

/// Adds to each row all that comes before it; a row's last element is what the next row adds.
template <class T>
class Completion {
public:
    __aicore__ inline Completion(TPipe& pipe, GM_ADDR y, GM_ADDR sums, const Tiling& tiling)
        : pipe_(pipe), t_(tiling) {
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ Sum<T>*>(y));
        sums_.SetGlobalBuffer(reinterpret_cast<__gm__ Sum<T>*>(sums));
        pipe.InitBuffer(in_, 2, t_.tile * sizeof(Sum<T>));
        pipe.InitBuffer(out_, 2, t_.tile * sizeof(Sum<T>));
        pipe.InitBuffer(before_, 1, (t_.groups * t_.vectors * sizeof(Sum<T>) + 31) / 32 * 32);
    }

    __aicore__ inline void Run(uint64_t first, uint64_t length, Sum<T> start) {
        const Share share(t_, length);
        Sum<T> running = start + Before();
        for (uint64_t at = share.begin; at < share.end; at += t_.tile) {
            const uint64_t left = share.end - at;
            running = Tile(first + at, left < t_.tile ? static_cast<uint32_t>(left) : t_.tile, running);
        }
    }

private:
    __aicore__ inline Sum<T> Before() {
        const uint32_t bytes = t_.groups * t_.vectors * sizeof(Sum<T>);
        LocalTensor<Sum<T>> list = before_.template AllocTensor<Sum<T>>();
        DataCopyPad(
            list, sums_, DataCopyExtParams(1, bytes, 0, 0, 0), DataCopyPadExtParams<Sum<T>>(false, 0, 0, 0));
        before_.EnQue(list);
        list = before_.template DeQue<Sum<T>>();
        const TEventID id = pipe_.FetchEventID<HardEvent::MTE2_S>();
        SetFlag<HardEvent::MTE2_S>(id);
        WaitFlag<HardEvent::MTE2_S>(id);
        Sum<T> sum = 0;
        for (int64_t i = 0; i < GetBlockIdx(); ++i) {
            sum += list.GetValue(static_cast<uint32_t>(i));
        }
        before_.FreeTensor(list);
        return sum;
    }

    __aicore__ inline Sum<T> Tile(uint64_t at, uint32_t count, Sum<T> running) {
        LocalTensor<Sum<T>> in = in_.template AllocTensor<Sum<T>>();
        const DataCopyExtParams whole(1, count * sizeof(Sum<T>), 0, 0, 0);
        DataCopyPad(in, y_[at], whole, DataCopyPadExtParams<Sum<T>>(false, 0, 0, 0));
        in_.EnQue(in);
        in = in_.template DeQue<Sum<T>>();
        LocalTensor<Sum<T>> out = out_.template AllocTensor<Sum<T>>();
        DataCopy(
            out,
            in,
            (count + 7) / 8 * 8);  // UB -> UB, so that the input's buffer is free before the chain of rows
        PipeBarrier<PIPE_V>();
        in_.FreeTensor(in);
        for (uint32_t row = 0; row < count; row += t_.side) {
            const uint32_t columns = count - row < t_.side ? count - row : t_.side;
            Adds(out[row], out[row], running, static_cast<int32_t>(columns));
            WaitForVector(pipe_);
            running = out.GetValue(row + columns - 1);
        }
        out_.EnQue(out);
        out = out_.template DeQue<Sum<T>>();
        DataCopyPad(y_[at], out, whole);
        out_.FreeTensor(out);
        return running;
    }

    TPipe& pipe_;
    const Tiling& t_;
    GlobalTensor<Sum<T>> y_;
    GlobalTensor<Sum<T>> sums_;
    TQue<TPosition::VECIN, 1> in_;
    TQue<TPosition::VECOUT, 1> out_;
    TQue<TPosition::VECIN, 1> before_;
};

}  // namespace long_scan
