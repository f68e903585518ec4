// SPDX-License-Identifier: Apache-2.0
// Batches of products, by the layouts of the public documentation: where the i-th matrix of A, B, C and the
// bias lies.
#pragma once

#include "kernels/ascendc/matmul/engine.h"

namespace AscendC::matmul_detail {

/// The matrices of one operand: elements from one to the next, and from row to row (0: as the shape says).
/// Where a layout keeps the matrices of an outermost index together, `group` of them, `group_step` elements
/// lie from one group to the next.
struct BatchPlace {
    int64_t step = 0;
    int64_t pitch = 0;
    int64_t group = 0;
    int64_t group_step = 0;

    [[nodiscard]] constexpr int64_t Offset(int64_t matrix) const {
        return group > 0 ? matrix / group * group_step + matrix % group * step : matrix * step;
    }
};

/// `s` and `d` are the rows and columns of a matrix as it is stored; b, n, g the other axes of its layout.
template <LayoutMode layout>
constexpr BatchPlace PlaceOf(int64_t b, int64_t n, int64_t g, int64_t s, int64_t d) {
    switch (layout) {
        case LayoutMode::BSNGD:
            return {d, n * g * d, n * g, s * n * g * d};
        case LayoutMode::SBNGD:
            return {d, b * n * g * d};
        default:
            return {s * d, 0};
    }
}

/// Elements of a matrix of an operand, m or n by k; NZ is padded to whole blocks.
template <class TYPE>
constexpr int64_t MatrixElements(bool outer_rows, int32_t outer, int32_t k) {
    if constexpr (TYPE::format == CubeFormat::NZ) {
        constexpr int32_t c0 = block_elements<typename TYPE::T>;
        return int64_t{CeilTo(outer_rows ? outer : k, 16)} * CeilTo(outer_rows ? k : outer, c0);
    } else {
        return int64_t{outer} * k;
    }
}

/// Does all batches of a request, `after` being called when C of one loop is on its way.
template <class A, class B, class C, class Engine, class After>
void RunBatches(Engine& engine, const Request& request, uint32_t sub, After&& after) {
    const TCubeTiling& t = engine.tiling();
    const Arguments& all = request.arguments;
    const int32_t batches = all.batch_a > all.batch_b ? all.batch_a : all.batch_b;
    BatchPlace a =
        PlaceOf<A::layout>(t.ALayoutInfoB, t.ALayoutInfoN, t.ALayoutInfoG, t.ALayoutInfoS, t.ALayoutInfoD);
    BatchPlace b =
        PlaceOf<B::layout>(t.BLayoutInfoB, t.BLayoutInfoN, t.BLayoutInfoG, t.BLayoutInfoS, t.BLayoutInfoD);
    BatchPlace c =
        PlaceOf<C::layout>(t.CLayoutInfoB, t.CLayoutInfoN, t.CLayoutInfoG, t.CLayoutInfoS1, t.CLayoutInfoS2);
    if (a.step == 0 || A::layout == LayoutMode::NORMAL || A::layout == LayoutMode::NONE) {
        a = {request.stride_a != 0 ? request.stride_a
                                   : MatrixElements<A>(!all.a.transpose, all.org_m, all.org_ka),
             all.a.pitch};
    }
    if (b.step == 0 || B::layout == LayoutMode::NORMAL || B::layout == LayoutMode::NONE) {
        b = {request.stride_b != 0 ? request.stride_b
                                   : MatrixElements<B>(all.b.transpose, all.org_n, all.org_kb),
             all.b.pitch};
    }
    if (c.step == 0 || C::layout == LayoutMode::NORMAL || C::layout == LayoutMode::NONE) {
        const auto columns = ResultColumns<typename C::T>(Engine::config);
        const int64_t whole = C::format == CubeFormat::NZ
                                  ? int64_t{CeilTo(all.org_m, 16)} * CeilTo(all.org_n, columns)
                                  : int64_t{all.org_m} * all.org_n;
        c = {request.stride_c != 0 ? request.stride_c : whole, 0};
    }
    for (int32_t loop = 0; loop < request.batch_loops; ++loop) {
        for (int32_t i = 0; i < batches; ++i) {
            // The shorter of the two is used again by as many neighbours as it is shorter.
            const int64_t at_a = int64_t{loop} * all.batch_a + i / (batches / all.batch_a);
            const int64_t at_b = int64_t{loop} * all.batch_b + i / (batches / all.batch_b);
            const int64_t at_c = int64_t{loop} * batches + i;
            Arguments one = all;
            one.a.value += BytesOf<typename A::T>(static_cast<uint64_t>(a.Offset(at_a)));
            one.a.pitch = a.pitch;
            one.b.value += BytesOf<typename B::T>(static_cast<uint64_t>(b.Offset(at_b)));
            one.b.pitch = b.pitch;
            if (one.bias.place == Place::gm && Engine::config.isBiasBatch) {
                one.bias.value += static_cast<uint64_t>(at_c * all.single_n) * sizeof(typename Engine::BiasT);
            }
            Destination to = request.to;
            to.address += BytesOf<typename C::T>(static_cast<uint64_t>(c.Offset(at_c)));
            to.pitch = c.pitch != 0 ? c.pitch : to.pitch;
            engine.Set(one, sub);
            engine.All(to, [](int32_t) {});
        }
        after(loop);
    }
}

}  // namespace AscendC::matmul_detail
