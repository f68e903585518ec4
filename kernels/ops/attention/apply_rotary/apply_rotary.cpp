// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding of queries and keys in the operator library's order (apply_rotary.h).
#include "kernels/ops/attention/apply_rotary/apply_rotary.h"

template <typename T>
__aicore__ inline void RunApplyRotary(const ApplyRotaryAddresses& addresses, GM_ADDR tiling) {
    GET_TILING_DATA_WITH_STRUCT(ApplyRotaryTiling, t, tiling);
    ApplyRotary<T>(addresses, t).Process();
}

extern "C" __global__ __aicore__ void apply_rotary_float16(GM_ADDR query,
                                                           GM_ADDR key,
                                                           GM_ADDR cos,
                                                           GM_ADDR sin,
                                                           GM_ADDR query_out,
                                                           GM_ADDR key_out,
                                                           GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    RunApplyRotary<half>({query, key, cos, sin, query_out, key_out}, tiling);
}

extern "C" __global__ __aicore__ void apply_rotary_bfloat16(GM_ADDR query,
                                                            GM_ADDR key,
                                                            GM_ADDR cos,
                                                            GM_ADDR sin,
                                                            GM_ADDR query_out,
                                                            GM_ADDR key_out,
                                                            GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    RunApplyRotary<bfloat16_t>({query, key, cos, sin, query_out, key_out}, tiling);
}

#ifdef ASCENDSIM_HOST
#include <algorithm>

#include <fmt/format.h>

#include "kernels/ops/attention/apply_rotary/apply_rotary_room.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"
#include "kernels/shared/float_types.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

constexpr std::uint64_t width = 128;  // elements of a head

class ApplyRotaryHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "rotary position embedding of queries and keys together, halves swapped by copies";
    }

    std::vector<Knob> knobs() const override {
        return {
            Knob::integer("tokens", 2048, 1, 1 << 24, "", "tokens, each with angles of its own"),
            Knob::integer("queries", 8, 1, 120, "", "heads of queries, of 128 elements"),
            Knob::integer("keys", 1, 1, 120, "", "heads of keys, of 128 elements"),
            Knob::type("dtype",
                       {DataType::bfloat16, DataType::half},
                       "element type; the arithmetic of bfloat16 is in float32"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: all, as far as there are tokens"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const DataType type = checked_float_type(knobs, chip);
        const ApplyRotaryTiling t = tile(knobs, chip, type);
        const Shape queries{t.tokens, t.queries, width};
        const Shape keys{t.tokens, t.keys, width};
        Plan plan;
        plan.problem = fmt::format("apply_rotary {} and {} {}", text(queries), text(keys), isa::name(type));
        plan.chosen = {{"tile", t.tile}};
        plan.buffers = {Buffer::input("query", type, queries, fill::Normal{0, 1}),
                        Buffer::input("key", type, keys, fill::Normal{0, 1}),
                        Buffer::input("cos", type, {t.tokens, width}),
                        Buffer::input("sin", type, {t.tokens, width}),
                        Buffer::output("query_out", type, queries),
                        Buffer::output("key_out", type, keys)};
        plan.work = {.vector_flops = 3.0 * static_cast<double>(elements(queries) + elements(keys)),
                     .vector_type = type == DataType::half ? type : DataType::float32,
                     .gm_bytes = least_traffic(plan.buffers)};
        plan.buffers.push_back(Buffer::tiling("tiling", t));
        plan.launches = {{.entry = fmt::format("apply_rotary_{}", isa::name(type)),
                          .blocks = static_cast<std::uint32_t>(ceil_div(t.tokens, t.share)),
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {Argument::address("query"),
                                        Argument::address("key"),
                                        Argument::address("cos"),
                                        Argument::address("sin"),
                                        Argument::address("query_out"),
                                        Argument::address("key_out"),
                                        Argument::address("tiling")}}};
        plan.reference = [t](ReferenceData& data) {
            expect(data, t.queries, "query");
            expect(data, t.keys, "key");
        };
        // Of float16 both products are rounded before they are added: they are below 8 in magnitude.
        const double products = type == DataType::half ? 2 * 8 * 0x1p-11 : 0;
        plan.tolerances = {rounded_once("query_out", type, 1e-6 + products),
                           rounded_once("key_out", type, 1e-6 + products)};
        return plan;
    }

private:
    /// As the operator's host side does (op_host/apply_rotary_pos_emb_tiling.cpp). Where a core has more
    /// tokens of float16 than fit at once, it writes several batches out together, which is not followed
    /// here.
    static ApplyRotaryTiling tile(const Knobs& knobs, const ChipSpec& chip, DataType type) {
        if (chip.arch != "2201") {
            throw knobs.error("tokens", chip.name + " is not one that the operator is made for; take a 910B");
        }
        const std::uint32_t cores = knobs.count("blocks") != 0 ? knobs.count("blocks") : vector_cores(chip);
        ApplyRotaryTiling t{};
        t.tokens = knobs.count("tokens");
        t.queries = knobs.count("queries");
        t.keys = knobs.count("keys");
        t.share = ceil_div(t.tokens, cores);
        t.buffers = t.share == 1 ? 1 : 2;
        const std::uint64_t heads = std::uint64_t{t.queries} + t.keys;
        const std::uint64_t each = apply_rotary_bytes(heads, t.buffers, type);
        constexpr std::uint64_t most_repeats = 255;
        const std::uint64_t fits = std::min(chip.buffers.ub / each, most_repeats);
        if (fits == 0) {
            throw knobs.error("queries", "the heads of a token do not fit the unified buffer");
        }
        t.tile = static_cast<std::uint32_t>(std::min<std::uint64_t>(fits, t.share));
        // A vector instruction steps from head to head, or from token to token, by at most 255 blocks.
        const std::uint64_t step =
            heads * width * (type == DataType::bfloat16 ? 4 : isa::bits(type) / 8) / 32;
        if (t.tile > heads && step > most_repeats) {
            t.tile = static_cast<std::uint32_t>(heads);
        }
        return t;
    }

    static void expect(ReferenceData& data, std::uint32_t heads, const std::string& name) {
        const std::vector<float>& x = data.floats(name);
        std::vector<double>& y = data.expected(name + "_out");
        for (std::size_t i = 0; i < x.size(); ++i) {
            const std::size_t c = i % width;
            const std::size_t angle = i / width / heads * width + c;
            const bool lower = c < width / 2;
            const double other = x[lower ? i + width / 2 : i - width / 2];
            y[i] = static_cast<double>(x[i]) * data.floats("cos")[angle] +
                   (lower ? -other : other) * data.floats("sin")[angle];
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::ApplyRotaryHost host;
    return &host;
}
#endif
