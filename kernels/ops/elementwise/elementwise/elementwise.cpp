// SPDX-License-Identifier: Apache-2.0
// Element-wise operations of up to four operands and three results, of any element type, broadcast or not:
// the operation is a knob. kernels/ops/elementwise/elementwise/eltwise_frame.h has the frame, eltwise_apply.h
// the arithmetic.
#include "kernels/ops/elementwise/elementwise/eltwise_frame.h"
#include "kernels/shared/tiling_lists.h"

extern "C" __global__ __aicore__ void elementwise(GM_ADDR x0,
                                                  GM_ADDR x1,
                                                  GM_ADDR x2,
                                                  GM_ADDR x3,
                                                  GM_ADDR y0,
                                                  GM_ADDR y1,
                                                  GM_ADDR y2,
                                                  GM_ADDR lists,
                                                  EltTiling tiling) {
    const GM_ADDR in[]{x0, x1, x2, x3};
    ReadTilingLists(lists, tiling.lists);
    const GM_ADDR out[]{y0, y1, y2};
    switch (tiling.compute) {
        case EltCompute::f32:
            Eltwise<float>(in, out, tiling).Process();
            break;
        case EltCompute::f16:
            Eltwise<half>(in, out, tiling).Process();
            break;
        case EltCompute::i32:
            Eltwise<int32_t>(in, out, tiling).Process();
            break;
        case EltCompute::i16:
            Eltwise<int16_t>(in, out, tiling).Process();
            break;
    }
}

#ifdef ASCENDSIM_HOST
#include <fmt/format.h>

#include "kernels/ops/elementwise/elementwise/eltwise_plan.hpp"
#include "kernels/plan/kernel_host.hpp"

namespace ascendsim::host {
namespace {

class Elementwise : public KernelHost {
public:
    std::string_view meaning() const override {
        return "y = op(x0, x1, ...), element by element, broadcast where shapes differ";
    }

    std::vector<Knob> knobs() const override {
        std::vector<Knob> knobs{
            Knob::word("op", elt_names(), "the operation"),
            Knob::shape("shape", {8192, 8192}, "extents of the results"),
            Knob::type("dtype", elt_types(), "element type of the first operand"),
            Knob::word("out_dtype", elt_type_words(), "element type of the results; a predicate's is bool"),
            Knob::word(
                "compute", {"auto", "float32"}, "what to compute in; auto: the operands' own type if it can"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
            Knob::integer("tile", 0, 0, 1 << 20, "elements", "elements in a buffer; 0: what fits"),
            Knob::integer(
                "buffers", 2, 1, 2, "", "buffers of operands and results; 2 overlaps copies and arithmetic"),
            Knob::word(
                "broadcast",
                {"tiles", "rows"},
                "how one value a row is spread over its columns: over many rows at a time, or row by row"),
            Knob::flag("in_place", false, "results replace the first operands, as an optimiser's do"),
            Knob::flag("l2_bypass", false, "read operands past L2"),
            Knob::integer(
                "lists", 0, 0, 65536, "B", "lists in global memory that the scalar unit reads first"),
        };
        for (const char* operand : {"0", "1", "2", "3"}) {
            knobs.push_back(
                Knob::shape(std::string("shape") + operand, {}, "extents of an operand; []: the results'"));
        }
        for (const char* operand : {"1", "2", "3"}) {
            knobs.push_back(
                Knob::word(std::string("dtype") + operand, elt_type_words(), "element type of an operand"));
        }
        for (const char* scalar : {"p0", "p1", "p2", "p3", "p4", "p5"}) {
            knobs.push_back(Knob::real(scalar, 1, -1e38, 1e38, "", "a scalar of the operation"));
        }
        return knobs;
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const EltProblem problem = elt_problem(knobs, chip);
        std::uint32_t blocks = 1;
        const EltTiling tiling = elt_tiling(problem, knobs, chip, blocks);
        Plan plan = elt_plan(problem, tiling, blocks);
        plan.chosen = {{"tile", tiling.tile}};
        return plan;
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::Elementwise host;
    return &host;
}
#endif
