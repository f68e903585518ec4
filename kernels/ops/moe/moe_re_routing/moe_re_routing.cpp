// SPDX-License-Identifier: Apache-2.0
// Tokens that came sorted by (rank, expert) put in the order (expert, rank), with their scales, the index of
// where each came from and the tokens of each expert. In the order of the operator library's kernel
// (ops-transformer, moe/moe_re_routing): a core takes whole ranks, and adds up the numbers of tokens before
// each expert's, which it reads from global memory one by one.
#include "kernel_operator.h"

using namespace AscendC;

struct MoeReRoutingTiling {
    uint64_t tokens;
    uint32_t width;  // elements of a token
    uint32_t ranks;
    uint32_t experts;  // of a rank
    uint32_t tile;     // tokens at a time
    uint32_t scaled;   // 1: a scale for each token moves along
};

/// The size of the library's tiling, which its kernel copies from global memory before anything else.
struct MoeReRoutingLibraryTiling {
    int64_t words[7];
};

struct MoeReRoutingAddresses {
    GM_ADDR x;
    GM_ADDR counts;
    GM_ADDR scale;
    GM_ADDR y;
    GM_ADDR yScale;
    GM_ADDR index;
    GM_ADDR sums;
    GM_ADDR words;  // the library's tiling
};

/// T: a token's elements, N: numbers of tokens.
template <typename T, typename N>
class MoeReRouting {
public:
    __aicore__ inline MoeReRouting(const MoeReRoutingAddresses& at, const MoeReRoutingTiling& tiling)
        : t(tiling) {
        GET_TILING_DATA_WITH_STRUCT(MoeReRoutingLibraryTiling, copied, at.words);
        static_cast<void>(copied);
        xGm.SetGlobalBuffer((__gm__ T*)at.x);
        yGm.SetGlobalBuffer((__gm__ T*)at.y);
        countGm.SetGlobalBuffer((__gm__ N*)at.counts);
        sumGm.SetGlobalBuffer((__gm__ N*)at.sums);
        scaleGm.SetGlobalBuffer((__gm__ float*)at.scale);
        yScaleGm.SetGlobalBuffer((__gm__ float*)at.yScale);
        indexGm.SetGlobalBuffer((__gm__ int32_t*)at.index);
        const uint32_t scales = t.scaled != 0 ? Blocks(t.tile * sizeof(float)) : 0;
        pipe.InitBuffer(through, 2, Blocks(t.tile * t.width * sizeof(T)) + scales);
        pipe.InitBuffer(outIndex, 2, Blocks(t.tile * sizeof(int32_t)));
    }

    __aicore__ inline void Process() {
        for (uint32_t rank = GetBlockIdx(); rank < t.ranks; rank += GetBlockNum()) {
            Rank(rank);
            if (rank == 0) {
                AddUp();
            }
        }
    }

private:
    __aicore__ inline static uint32_t Blocks(uint64_t bytes) { return (bytes + 31) / 32 * 32; }

    __aicore__ inline uint64_t Count(uint32_t rank, uint32_t expert) const {
        return countGm.GetValue(rank * t.experts + expert);
    }

    __aicore__ inline void Rank(uint32_t rank) {
        uint64_t from = 0;
        for (uint32_t before = 0; before < rank; ++before) {
            for (uint32_t expert = 0; expert < t.experts; ++expert) {
                from += Count(before, expert);
            }
        }
        uint64_t to = 0;
        for (uint32_t expert = 0; expert < t.experts; ++expert) {
            const uint64_t tokens = Count(rank, expert);
            for (uint32_t before = 0; before < rank; ++before) {
                to += Count(before, expert);
            }
            for (uint64_t at = 0; at < tokens; at += t.tile) {
                Move(from + at, to + at, tokens - at < t.tile ? tokens - at : t.tile);
            }
            from += tokens;
            for (uint32_t after = rank; after < t.ranks; ++after) {
                to += Count(after, expert);
            }
        }
    }

    /// The first core writes each expert's tokens of all ranks, through its data cache.
    __aicore__ inline void AddUp() {
        for (uint32_t expert = 0; expert < t.experts; ++expert) {
            sumGm.SetValue(expert, 0);
        }
        for (uint32_t rank = 0; rank < t.ranks; ++rank) {
            for (uint32_t expert = 0; expert < t.experts; ++expert) {
                sumGm.SetValue(expert, sumGm.GetValue(expert) + countGm.GetValue(rank * t.experts + expert));
            }
        }
        for (uint32_t expert = 0; expert < t.experts; expert += 64 / sizeof(N)) {
            DataCacheCleanAndInvalid<N, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(sumGm[expert]);
        }
    }

    __aicore__ inline void Move(uint64_t from, uint64_t to, uint32_t tokens) {
        const uint32_t bytes = tokens * t.width * static_cast<uint32_t>(sizeof(T));
        LocalTensor<T> x = through.template AllocTensor<T>();
        DataCopyPad(x, xGm[from * t.width], {1, bytes, 0, 0, 0}, DataCopyPadExtParams<T>());
        const LocalTensor<float> scales = x[Blocks(bytes) / sizeof(T)].template ReinterpretCast<float>();
        const DataCopyExtParams words{1, static_cast<uint32_t>(tokens * sizeof(float)), 0, 0, 0};
        if (t.scaled != 0) {
            DataCopyPad(scales, scaleGm[from], words, DataCopyPadExtParams<float>());
        }
        through.EnQue(x);
        LocalTensor<int32_t> index = outIndex.template AllocTensor<int32_t>();
        CreateVecIndex(index, static_cast<int32_t>(from), tokens);
        outIndex.EnQue(index);
        index = outIndex.template DeQue<int32_t>();
        DataCopyPad(indexGm[to], index, words);
        outIndex.FreeTensor(index);
        x = through.template DeQue<T>();
        DataCopyPad(yGm[to * t.width], x, {1, bytes, 0, 0, 0});
        if (t.scaled != 0) {
            DataCopyPad(yScaleGm[to], scales, words);
        }
        through.FreeTensor(x);
    }

    MoeReRoutingTiling t;
    GlobalTensor<T> xGm, yGm;               // (tokens, width)
    GlobalTensor<N> countGm, sumGm;         // (ranks, experts), (experts)
    GlobalTensor<float> scaleGm, yScaleGm;  // (tokens)
    GlobalTensor<int32_t> indexGm;          // (tokens)
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> through;
    TQue<TPosition::VECOUT, 1> outIndex;
};

template <typename T, typename N>
__global__ __aicore__ void moe_re_routing(GM_ADDR x,
                                          GM_ADDR counts,
                                          GM_ADDR scale,
                                          GM_ADDR y,
                                          GM_ADDR yScale,
                                          GM_ADDR index,
                                          GM_ADDR sums,
                                          GM_ADDR words,
                                          MoeReRoutingTiling tiling) {
    MoeReRouting<T, N>({x, counts, scale, y, yScale, index, sums, words}, tiling).Process();
}

template __global__ __aicore__ void moe_re_routing<int8_t, int32_t>(
    GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, MoeReRoutingTiling);
template __global__ __aicore__ void moe_re_routing<int8_t, int64_t>(
    GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, MoeReRoutingTiling);
template __global__ __aicore__ void moe_re_routing<int16_t, int32_t>(
    GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, MoeReRoutingTiling);
template __global__ __aicore__ void moe_re_routing<int16_t, int64_t>(
    GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR, MoeReRoutingTiling);

#ifdef ASCENDSIM_HOST
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

class MoeReRoutingHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "tokens in the order (rank, expert) put in the order (expert, rank)";
    }

    std::vector<Knob> knobs() const override {
        return {
            Knob::shape("shape", {4096, 512}, "tokens, elements of a token"),
            Knob::type("dtype", {DataType::half, DataType::bfloat16, DataType::int8}, "element type"),
            Knob::type("count_type", {DataType::int32, DataType::int64}, "type of the numbers of tokens"),
            Knob::integer("ranks", 8, 1, 65535, "", "where tokens come from"),
            Knob::integer("experts", 8, 1, 65535, "", "of a rank; all get as many tokens, but for one"),
            Knob::flag("scaled", true, "a scale for each token moves along"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: one for each rank"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const DataType type = knobs.type("dtype");
        const DataType count_type = knobs.type("count_type");
        const std::uint64_t size = isa::bits(type) / 8;
        const MoeReRoutingTiling t = tile(knobs, chip, size);
        const std::uint64_t each = ceil_div<std::uint64_t>(t.ranks, vector_cores(chip));
        const std::uint32_t blocks = knobs.count("blocks") != 0
                                         ? knobs.count("blocks")
                                         : static_cast<std::uint32_t>(ceil_div<std::uint64_t>(t.ranks, each));
        Plan plan;
        plan.problem = fmt::format(
            "MoE re-routing {} {}, {} x {}", text(knobs.shape("shape")), isa::name(type), t.ranks, t.experts);
        add_buffers(plan, knobs, t);
        plan.launches = {
            {.entry = fmt::format("moe_re_routing<int{}_t,int{}_t>", size * 8, isa::bits(count_type)),
             .blocks = blocks,
             .cores = ascendsim::CoreUse::aiv}};
        for (const char* name : {"x", "counts", "scale", "y", "y_scale", "index", "sums", "library_tiling"}) {
            const bool absent = t.scaled == 0 && std::string_view{name}.ends_with("scale");
            plan.launches[0].arguments.push_back(Argument::address(absent ? "x" : name));
        }
        plan.launches[0].arguments.push_back(Argument::of(t));
        plan.work.gm_bytes = least_traffic(plan.buffers);
        plan.reference = [t](ReferenceData& data) { expect(data, t); };
        return plan;
    }

private:
    static MoeReRoutingTiling tile(const Knobs& knobs, const ChipSpec& chip, std::uint64_t size) {
        const Shape& shape = knobs.shape("shape");
        if (shape.size() != 2 || chip.arch != "2201") {
            throw knobs.error("shape", "must be tokens and elements of a token, on a 2201 chip");
        }
        MoeReRoutingTiling t{.tokens = shape[0],
                             .width = static_cast<std::uint32_t>(shape[1]),
                             .ranks = knobs.count("ranks"),
                             .experts = knobs.count("experts"),
                             .tile = 0,
                             .scaled = knobs.flag("scaled") ? 1U : 0U};
        // The library's tile: two buffers of tokens, scales and indices in what it does not keep back.
        constexpr std::uint64_t reserve = 12288;
        t.tile = static_cast<std::uint32_t>((chip.buffers.ub - reserve) / 2 /
                                            (t.width * size + sizeof(float) + sizeof(std::int32_t)));
        if (t.tile == 0) {
            throw knobs.error("shape", "a token does not fit into the unified buffer");
        }
        return t;
    }

    static void add_buffers(Plan& plan, const Knobs& knobs, const MoeReRoutingTiling& t) {
        const DataType type = knobs.type("dtype");
        const Shape& shape = knobs.shape("shape");
        plan.buffers = {Buffer::input("x", type, shape, fill::Integers{-100, 100}),
                        counts(knobs.type("count_type"), t),
                        Buffer::input("scale", DataType::float32, {t.tokens}),
                        Buffer::output("y", type, shape),
                        Buffer::output("y_scale", DataType::float32, {t.tokens}),
                        Buffer::output("index", DataType::int32, {t.tokens}),
                        Buffer::output("sums", knobs.type("count_type"), {t.experts}),
                        Buffer::tiling("library_tiling", MoeReRoutingLibraryTiling{})};
        plan.tolerances = {{.output = "y"}, {.output = "y_scale"}, {.output = "index"}, {.output = "sums"}};
        if (t.scaled == 0) {
            std::erase_if(plan.buffers,
                          [](const Buffer& b) { return b.name == "scale" || b.name == "y_scale"; });
            std::erase_if(plan.tolerances, [](const Tolerance& one) { return one.output == "y_scale"; });
        }
    }

    /// Tokens of a rank for an expert: as many for each, and one more for the first of them.
    static std::uint64_t share(const MoeReRoutingTiling& t, std::uint64_t at) {
        const std::uint64_t pairs = std::uint64_t{t.ranks} * t.experts;
        return t.tokens / pairs + (at < t.tokens % pairs ? 1 : 0);
    }

    static Buffer counts(DataType type, const MoeReRoutingTiling& t) {
        const std::uint64_t pairs = std::uint64_t{t.ranks} * t.experts;
        const std::uint64_t size = isa::bits(type) / 8;
        std::vector<std::byte> bytes(pairs * size);
        for (std::uint64_t i = 0; i < pairs; ++i) {
            const std::uint64_t value = share(t, i);  // little-endian, as the chip
            std::memcpy(&bytes[i * size], &value, size);
        }
        Buffer buffer = Buffer::input("counts", type, {t.ranks, t.experts}, fill::Content{std::move(bytes)});
        buffer.control = true;
        return buffer;
    }

    static void expect(ReferenceData& data, const MoeReRoutingTiling& t) {
        std::vector<std::uint64_t> starts{0};
        for (std::uint64_t i = 0; i < std::uint64_t{t.ranks} * t.experts; ++i) {
            starts.push_back(starts.back() + share(t, i));
        }
        std::uint64_t to = 0;
        for (std::uint64_t expert = 0; expert < t.experts; ++expert) {
            const std::uint64_t before = to;
            for (std::uint64_t rank = 0; rank < t.ranks; ++rank) {
                const std::uint64_t pair = rank * t.experts + expert;
                for (std::uint64_t from = starts[pair]; from < starts[pair + 1]; ++from, ++to) {
                    data.expected("index")[to] = static_cast<double>(from);
                    if (t.scaled != 0) {
                        data.expected("y_scale")[to] = data.floats("scale")[from];
                    }
                    for (std::uint64_t i = 0; i < t.width; ++i) {
                        data.expected("y")[to * t.width + i] = data.floats("x")[from * t.width + i];
                    }
                }
            }
            data.expected("sums")[expert] = static_cast<double>(to - before);
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::MoeReRoutingHost host;
    return &host;
}
#endif
