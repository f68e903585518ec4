// SPDX-License-Identifier: Apache-2.0
// The update of a paged cache: keys[slot[i], :] = k[i, :], values[slot[i], :] = v[i, :]. The schedule is the
// one that ascend-transformer-boost publishes as reshape_and_cache: a core takes consecutive tokens, reads
// each one's slot from global memory and moves one row of k, then one of v. From 1000 tokens on, and for rows
// that are no whole blocks, two buffers of each alternate; fewer tokens share one buffer, and each copy waits
// for the one before it. Rows that fill more than the unified buffer alternate, too.
#include "kernels/shared/order.h"

using namespace AscendC;

struct CacheRowsTiling {
    uint64_t tokens;
    uint32_t key_width;    // elements of a token
    uint32_t value_width;  // 0: keys alone
    uint32_t chunk;        // elements of a row at a time
    uint32_t queued;       // 1: two buffers alternate
};

template <typename T>
class CacheRows {
public:
    __aicore__ inline CacheRows(
        GM_ADDR k, GM_ADDR v, GM_ADDR slot, GM_ADDR keys, GM_ADDR values, const CacheRowsTiling& tiling)
        : t(tiling) {
        kGm.SetGlobalBuffer((__gm__ T*)k);
        vGm.SetGlobalBuffer((__gm__ T*)v);
        slotGm.SetGlobalBuffer((__gm__ int32_t*)slot);
        keysGm.SetGlobalBuffer((__gm__ T*)keys);
        valuesGm.SetGlobalBuffer((__gm__ T*)values);
        if (t.queued != 0) {
            pipe.InitBuffer(keyQueue, 2, t.chunk * sizeof(T));
            pipe.InitBuffer(valueQueue, 2, t.chunk * sizeof(T));
        } else {
            pipe.InitBuffer(row, t.chunk * sizeof(T));
        }
    }

    __aicore__ inline void Process() {
        const uint64_t cores = GetBlockNum();
        const uint64_t rest = t.tokens % cores;
        const uint64_t core = GetBlockIdx();
        const uint64_t first = t.tokens / cores * core + (core < rest ? core : rest);
        const uint64_t end = first + t.tokens / cores + (core < rest ? 1 : 0);
        for (uint64_t i = first; i < end; ++i) {
            if (t.queued != 0) {
                MoveQueued(keyQueue, kGm, keysGm, i, t.key_width);
                MoveQueued(valueQueue, vGm, valuesGm, i, t.value_width);
            } else {
                const int32_t slot = slotGm.GetValue(i);
                if (slot >= 0) {
                    MoveAlone(kGm, keysGm, i, slot, t.key_width);
                    MoveAlone(vGm, valuesGm, i, slot, t.value_width);
                }
            }
        }
    }

private:
    using Queue = TQueBind<TPosition::VECIN, TPosition::VECOUT, 2>;

    // (width) GM -> UB -> GM, by chunks; a token whose slot is negative is left out.
    __aicore__ inline void MoveQueued(
        Queue& queue, const GlobalTensor<T>& from, GlobalTensor<T>& to, uint64_t token, uint32_t width) {
        if (width == 0) {
            return;
        }
        const int64_t slot = slotGm.GetValue(token);
        if (slot < 0) {
            return;
        }
        for (uint32_t column = 0; column < width; column += t.chunk) {
            const uint32_t n = width - column < t.chunk ? width - column : t.chunk;
            const DataCopyExtParams one(1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0);
            LocalTensor<T> part = queue.template AllocTensor<T>();
            DataCopyPad(part, from[token * width + column], one, DataCopyPadExtParams<T>());
            queue.EnQue(part);
            part = queue.template DeQue<T>();
            DataCopyPad(to[slot * width + column], part, one);
            queue.FreeTensor(part);
        }
    }

    // (width) GM -> UB -> GM: whole blocks, and as much as fits a buffer.
    __aicore__ inline void MoveAlone(
        const GlobalTensor<T>& from, GlobalTensor<T>& to, uint64_t token, uint64_t slot, uint32_t width) {
        if (width == 0) {
            return;
        }
        LocalTensor<T> part = row.Get<T>();
        DataCopy(part, from[token * width], width);
        Order<HardEvent::MTE2_MTE3>(pipe);
        DataCopy(to[slot * width], part, width);
        Order<HardEvent::MTE3_MTE2>(pipe);
    }

    CacheRowsTiling t;
    GlobalTensor<T> kGm, vGm, keysGm, valuesGm;
    GlobalTensor<int32_t> slotGm;
    TPipe pipe;
    Queue keyQueue, valueQueue;
    TBuf<TPosition::VECCALC> row;
};

extern "C" __global__ __aicore__ void cache_rows_float16(
    GM_ADDR k, GM_ADDR v, GM_ADDR slot, GM_ADDR keys, GM_ADDR values, CacheRowsTiling tiling) {
    CacheRows<half>(k, v, slot, keys, values, tiling).Process();
}

extern "C" __global__ __aicore__ void cache_rows_bfloat16(
    GM_ADDR k, GM_ADDR v, GM_ADDR slot, GM_ADDR keys, GM_ADDR values, CacheRowsTiling tiling) {
    CacheRows<bfloat16_t>(k, v, slot, keys, values, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

constexpr std::uint64_t few_tokens = 1000;        // fewer share one buffer
constexpr std::uint64_t buffer_bytes = 48 << 10;  // of each of two buffers of keys and of values

class CacheRowsHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "rows of keys and values go to the slots of a paged cache";
    }

    std::vector<Knob> knobs() const override {
        return {
            Knob::integer("rows", 10000, 1, 1 << 30, "rows", "rows of the cache"),
            Knob::shape("shape", {512, 128}, "extents of k: tokens, elements of a row"),
            Knob::integer("value_width", 128, 0, 1 << 20, "elements", "of a row of v; 0: keys alone"),
            Knob::type("dtype", {DataType::half, DataType::bfloat16}, "element type"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: one for each token, all at most"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const DataType type = knobs.type("dtype");
        const Shape& shape = knobs.shape("shape");
        const auto slots = static_cast<std::uint64_t>(knobs.integer("rows"));
        const std::uint64_t value_width = knobs.count("value_width");
        if (chip.arch != "2201" || shape.size() != 2 || shape[0] == 0 || shape[1] == 0) {
            throw knobs.error("shape", "must be tokens and elements of a row, on a chip whose copies pad");
        }
        if (shape[0] > slots) {
            throw knobs.error("rows", "must be as many as tokens, none of which share one");
        }
        const CacheRowsTiling t = tile(shape, value_width, isa::bits(type) / 8, chip.buffers.ub);
        const std::uint32_t asked = knobs.count("blocks");
        const std::uint64_t all = std::min<std::uint64_t>(chip.cores.aiv, shape[0]);
        const auto blocks = asked != 0 ? asked : static_cast<std::uint32_t>(all);

        const std::vector<std::int32_t> places = slots_of_tokens(shape[0], slots);
        const std::span<const std::byte> bytes = std::as_bytes(std::span{places});
        Plan plan;
        plan.problem = fmt::format(
            "{} rows of {} + {} into {} {}", shape[0], shape[1], value_width, slots, isa::name(type));
        Buffer slot =
            Buffer::input("slot", DataType::int32, {shape[0]}, fill::Content{{bytes.begin(), bytes.end()}});
        slot.control = true;
        const std::uint64_t width = std::max<std::uint64_t>(value_width, 1);
        plan.buffers = {Buffer::input("k", type, shape, fill::Integers{0, 7}),
                        Buffer::input("v", type, {shape[0], width}, fill::Integers{0, 7}),
                        slot,
                        cache("keys", type, {slots, shape[1]}),
                        cache("values", type, {slots, width})};
        plan.launches = {{.entry = fmt::format("cache_rows_{}", isa::name(type)),
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {Argument::address("k"),
                                        Argument::address("v"),
                                        Argument::address("slot"),
                                        Argument::address("keys"),
                                        Argument::address("values"),
                                        Argument::of(t)}}};
        plan.work = {.gm_bytes = 2 * plan.buffers[0].bytes() +
                                 (value_width > 0 ? 2 * plan.buffers[1].bytes() : 0) +
                                 plan.buffers[2].bytes()};
        plan.reference = [places, key_width = shape[1], value_width](ReferenceData& data) {
            expect(data, "k", "keys", places, key_width);
            expect(data, "v", "values", places, value_width);
        };
        plan.tolerances = {{.output = "keys"}, {.output = "values"}};
        return plan;
    }

private:
    static Buffer cache(const char* name, DataType type, const Shape& shape) {
        Buffer buffer = Buffer::output(name, type, shape);
        buffer.role = Role::in_out;
        buffer.fill = fill::Integers{0, 7};
        return buffer;
    }

    /// The slot of each token: far apart, each once, as pages of many sequences are.
    static std::vector<std::int32_t> slots_of_tokens(std::uint64_t tokens, std::uint64_t slots) {
        std::vector<std::int32_t> places(tokens);
        for (std::size_t i = 0; i < places.size(); ++i) {
            places[i] = static_cast<std::int32_t>(i * (slots / tokens));
        }
        return places;
    }

    static void expect(ReferenceData& data,
                       const char* rows,
                       const char* cache,
                       const std::vector<std::int32_t>& places,
                       std::uint64_t width) {
        const std::vector<float>& from = data.floats(rows);
        const std::vector<float>& before = data.floats(cache);
        std::vector<double>& to = data.expected(cache);
        std::ranges::copy(before, to.begin());
        for (std::size_t i = 0; i < places.size() * width; ++i) {
            to[static_cast<std::size_t>(places[i / width]) * width + i % width] = from[i];
        }
    }

    static CacheRowsTiling tile(const Shape& shape,
                                std::uint64_t value_width,
                                std::uint64_t size,
                                std::uint64_t room) {
        constexpr std::uint64_t block = 32;
        const bool whole = shape[1] * size % block == 0 && value_width * size % block == 0;
        const std::uint64_t widest = std::max<std::uint64_t>(shape[1], value_width) * size;
        const bool queued = shape[0] >= few_tokens || !whole || widest > room;
        return {.tokens = shape[0],
                .key_width = static_cast<std::uint32_t>(shape[1]),
                .value_width = static_cast<std::uint32_t>(value_width),
                .chunk = static_cast<std::uint32_t>((queued ? buffer_bytes : widest) / size),
                .queued = queued ? 1U : 0U};
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::CacheRowsHost host;
    return &host;
}
#endif
