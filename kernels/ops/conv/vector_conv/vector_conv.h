// SPDX-License-Identifier: Apache-2.0
// A convolution by the vector unit: sixteen output channels lie side by side, and a tap is one multiplication
// and addition of many positions. It suits filters with few input channels each, as depthwise ones; the cube
// is faster where many are summed. A transposed convolution is the same with steps in the result.
#pragma once

#include "kernels/shared/lane_planes.h"

struct VectorConvTiling {
    windows::Tiling windows;
    uint64_t channels;  // of x
    uint64_t outputs;   // channels of y
    uint64_t of_group;  // input channels of a group
    uint64_t outs_of_group;
    uint32_t taps;          // of a filter's window
    uint32_t tap_pitch;     // from one input channel's taps to the next in a buffer
    uint32_t chunk;         // input channels whose weights lie in a buffer
    uint32_t room_weights;  // taps in a buffer, a multiple of 16
    uint32_t has_bias;
};

/// to += from * weights, of which each block takes the same.
struct TakeWeighted {
    AscendC::LocalTensor<float> weights;

    __aicore__ inline static AscendC::BinaryRepeatParams Distances(uint32_t to_block,
                                                                   uint32_t from_block,
                                                                   uint32_t to_repeat,
                                                                   uint32_t from_repeat) {
        return AscendC::BinaryRepeatParams(to_block, from_block, 0, to_repeat, from_repeat, 0);
    }

    __aicore__ inline void Go(const AscendC::LocalTensor<float>& to,
                              const AscendC::LocalTensor<float>& from,
                              uint64_t mask,
                              uint8_t repeats,
                              const AscendC::BinaryRepeatParams& params) const {
        AscendC::MulAddDst(to, from, weights, mask, repeats, params);
    }
};

template <typename T>
class VectorConv {
public:
    using Images = windows::Planes<T, float>;

    __aicore__ inline VectorConv(
        GM_ADDR x, GM_ADDR w, GM_ADDR bias, GM_ADDR y, const VectorConvTiling& tiling)
        : t(tiling), images(x, y, tiling.windows) {
        wGm.SetGlobalBuffer((__gm__ T*)w);
        biasGm.SetGlobalBuffer((__gm__ T*)bias);
        images.Reserve(pipe, t.room_weights);
        constexpr uint32_t floats = windows::lanes * sizeof(float);
        pipe.InitBuffer(image, t.windows.room_in * floats);
        pipe.InitBuffer(sums, t.windows.room_out * floats);
        pipe.InitBuffer(weights, t.room_weights * floats);
        pipe.InitBuffer(biases, floats);
        pipe.InitBuffer(inW, 1, t.room_weights * windows::lanes * sizeof(T));
        AscendC::LocalTensor<T> none = inW.template AllocTensor<T>();  // gaps are transposed as well
        AscendC::Duplicate(none.template ReinterpretCast<int16_t>(),
                           int16_t{0},
                           static_cast<int32_t>(t.room_weights * windows::lanes * sizeof(T) / 2));
        inW.FreeTensor(none);
    }

    __aicore__ inline void Process() {
        images.EachTile([](const windows::Tile&) {}, [this](const windows::Tile& tile) { One(tile); });
    }

private:
    static constexpr uint32_t blocks = Images::blocks;
    static constexpr uint32_t block = 8;  // floats

    /// Sixteen output channels of an image, and the planes of x they read.
    struct Lanes {
        uint64_t first;  // output channel
        uint32_t count;
        uint64_t plane;  // of the first group's first input channel
        uint32_t groups;
    };

    [[nodiscard]] __aicore__ inline Lanes LanesOf(uint64_t unit) const {
        const uint64_t across = (t.outputs + windows::lanes - 1) / windows::lanes;
        const uint64_t first = unit % across * windows::lanes;
        const uint64_t left = t.outputs - first;
        const uint32_t count = left < windows::lanes ? left : windows::lanes;
        const uint64_t group = first / t.outs_of_group;
        return {first,
                count,
                unit / across * t.channels + group * t.of_group,
                static_cast<uint32_t>((first + count - 1) / t.outs_of_group - group + 1)};
    }

    __aicore__ inline void One(const windows::Tile& tile) {
        const Lanes of = LanesOf(tile.group);
        Start(of, tile.positions);
        for (uint64_t c = 0; c < t.of_group && !Images::Empty(tile); c += t.chunk) {
            const uint32_t channels = t.of_group - c < t.chunk ? t.of_group - c : t.chunk;
            LoadWeights(of, c, channels);
            // One group alone: its planes come many at a time. Else a plane of each group.
            const uint32_t at_once = of.groups == 1 ? windows::lanes : 1;
            for (uint32_t k = 0; k < channels; k += at_once) {
                Channels(tile, of, c + k, channels - k < at_once ? channels - k : at_once, k);
            }
        }
        images.Store(
            sums.template Get<float>(), tile, tile.group / Across() * t.outputs + of.first, of.count);
    }

    [[nodiscard]] __aicore__ inline uint64_t Across() const {
        return (t.outputs + windows::lanes - 1) / windows::lanes;
    }

    /// The sums of all positions begin with zero or the bias.
    __aicore__ inline void Start(const Lanes& of, uint32_t positions) {
        const AscendC::LocalTensor<float> to = sums.template Get<float>();
        AscendC::Duplicate(
            to, 0.0f, static_cast<int32_t>(windows::Rounded(positions, windows::lanes) * windows::lanes));
        AscendC::PipeBarrier<PIPE_V>();
        if (t.has_bias == 0) {
            return;
        }
        AscendC::LocalTensor<T> from = inW.template AllocTensor<T>();
        CopyElementsIn(from, biasGm[of.first], of.count);
        inW.EnQue(from);
        from = inW.template DeQue<T>();
        const AscendC::LocalTensor<float> bias = biases.template Get<float>();
        if constexpr (std::is_same_v<T, float>) {
            AscendC::Adds(bias, from, 0.0f, static_cast<int32_t>(of.count));
        } else {
            AscendC::Cast(bias, from, AscendC::RoundMode::CAST_NONE, static_cast<int32_t>(of.count));
        }
        AscendC::PipeBarrier<PIPE_V>();
        inW.FreeTensor(from);
        for (uint32_t b = 0; b < blocks && b * block < of.count; ++b) {
            windows::OverGrid(
                windows::TakeSum{}, to[b * block], bias[b * block], {positions, blocks, 0, 1, 0, 0});
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

    // (16, channels, taps) GM -> (channels, taps, 16) UB
    __aicore__ inline void LoadWeights(const Lanes& of, uint64_t channel, uint32_t channels) {
        const uint64_t key = of.first * t.of_group + channel;
        if (key == loaded) {
            return;
        }
        loaded = key;
        const uint32_t pitch = windows::Rounded(channels * t.tap_pitch, windows::lanes);
        AscendC::LocalTensor<T> from = inW.template AllocTensor<T>();
        for (uint32_t i = 0; i < of.count; ++i) {
            FetchFilter(from[i * pitch], of.first + i, channel, channels);
        }
        inW.EnQue(from);
        from = inW.template DeQue<T>();
        uint32_t lane[windows::lanes];
        for (uint32_t i = 0; i < windows::lanes; ++i) {
            lane[i] = i;
        }
        images.SideBySide(weights.template Get<float>(), from, pitch, lane);
        inW.FreeTensor(from);
    }

    /// The taps of `channels` input channels of one output channel.
    __aicore__ inline void FetchFilter(const AscendC::LocalTensor<T>& to,
                                       uint64_t output,
                                       uint64_t channel,
                                       uint32_t channels) {
        if (t.windows.transposed == 0) {
            CopyElementsIn(to, wGm[(output * t.of_group + channel) * t.taps], channels * t.taps);
            return;
        }
        const uint64_t group = output / t.outs_of_group;
        const uint64_t within = output % t.outs_of_group;
        for (uint32_t c = 0; c < channels; ++c) {
            const uint64_t filter = (group * t.of_group + channel + c) * t.outs_of_group + within;
            CopyElementsIn(to[c * t.tap_pitch], wGm[filter * t.taps], t.taps);
        }
    }

    /// `count` input channels from `channel` on, whose weights are number `at` and on of those loaded.
    __aicore__ inline void Channels(
        const windows::Tile& tile, const Lanes& of, uint64_t channel, uint32_t count, uint32_t at) {
        const bool alone = of.groups == 1;
        AscendC::LocalTensor<T> x = images.inX.template AllocTensor<T>();
        images.Fetch(x, tile, of.plane + channel, alone ? count : of.groups, alone ? 1 : t.of_group);
        images.inX.EnQue(x);
        x = images.inX.template DeQue<T>();
        for (uint32_t c = 0; c < count; ++c) {
            uint32_t plane[windows::lanes];
            for (uint32_t i = 0; i < windows::lanes; ++i) {
                const uint64_t output = of.first + (i < of.count ? i : 0);
                plane[i] = alone ? c : output / t.outs_of_group - of.first / t.outs_of_group;
            }
            images.SideBySide(image.template Get<float>(), x, tile.in[0].count * tile.slice, plane);
            AllTaps(tile, (at + c) * t.tap_pitch);
        }
        images.inX.FreeTensor(x);
    }

    /// The image, weighted by the taps of one filter, into the sums.
    __aicore__ inline void AllTaps(const windows::Tile& tile, uint32_t first) {
        const windows::Axis* axis = t.windows.axis;
        const bool turned = t.windows.transposed != 0;
        uint32_t tap = first;
        for (uint32_t d = 0; d < axis[0].taps; ++d) {
            const windows::Reach deep = windows::ReachOf(axis[0], turned, tile.out[0], tile.in[0], d);
            for (uint32_t h = 0; h < axis[1].taps; ++h) {
                const windows::Reach high = windows::ReachOf(axis[1], turned, tile.out[1], tile.in[1], h);
                for (uint32_t w = 0; w < axis[2].taps; ++w, ++tap) {
                    const windows::Reach wide = windows::ReachOf(axis[2], turned, tile.out[2], tile.in[2], w);
                    if (deep.count != 0 && high.count != 0 && wide.count != 0) {
                        OneTap(tile, deep, high, wide, tap);
                    }
                }
            }
        }
    }

    __aicore__ inline void OneTap(const windows::Tile& tile,
                                  const windows::Reach& deep,
                                  const windows::Reach& high,
                                  const windows::Reach& wide,
                                  uint32_t tap) {
        const AscendC::LocalTensor<float> weight = weights.template Get<float>()[tap * windows::lanes];
        const uint32_t width = tile.out[2].count;
        const uint32_t slice = tile.out[1].count * width;
        const windows::Grid grid{wide.count,
                                 wide.to_step * blocks,
                                 wide.from_step * blocks,
                                 high.count,
                                 high.to_step * width * blocks,
                                 high.from_step * tile.row * blocks};
        for (uint32_t d = 0; d < deep.count; ++d) {
            const uint32_t to = (deep.to + d * deep.to_step) * slice + high.to * width + wide.to;
            const uint32_t from =
                (deep.from + d * deep.from_step) * tile.slice + high.from * tile.row + wide.from;
            for (uint32_t b = 0; b < blocks; ++b) {
                windows::OverGrid(TakeWeighted{weight[b * block]},
                                  sums.template Get<float>()[to * windows::lanes + b * block],
                                  image.template Get<float>()[from * windows::lanes + b * block],
                                  grid);
            }
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

    VectorConvTiling t;
    AscendC::TPipe pipe;
    Images images;
    AscendC::GlobalTensor<T> wGm, biasGm;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inW;
    AscendC::TBuf<AscendC::TPosition::VECCALC> image, sums, weights, biases;
    uint64_t loaded = ~uint64_t{0};  // which weights are there
};
