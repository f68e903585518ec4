// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tuple>

#include "sim/config/field.hpp"

namespace ascendsim {

/// What one vector instruction costs: its slope in cycles per repeat of 256 bytes, by width of the widest
/// operand, and the isolated latency around it. `head` is paid when the pipe was empty, `tail` until the
/// result may be used.
struct VectorCost {
    double head = 11;
    double repeat_b16 = 1;
    double repeat_b32 = 1;
    double tail = 15;

    static constexpr auto fields() {
        return std::tuple{
            field("head", &VectorCost::head, 0, 10000, "cycles", "start-up in an empty pipe"),
            field("repeat_b16",
                  &VectorCost::repeat_b16,
                  0,
                  10000,
                  "cycles",
                  "each repeat, operands up to 16 bits"),
            field("repeat_b32",
                  &VectorCost::repeat_b32,
                  0,
                  10000,
                  "cycles",
                  "each repeat, operands of 32 bits or more"),
            field("tail", &VectorCost::tail, 0, 10000, "cycles", "from the last repeat to a usable result"),
        };
    }
};

/// The vector unit: one 256-byte repeat a cycle for simple operations.
struct VectorSpec {
    std::uint32_t repeat_bytes = 256;
    double min_cycles = 3;            // back-to-back floor of any vector instruction
    double counter_tail_cycles = 15;  // counter mode whose length is not a multiple of a repeat
    VectorCost simple;  // add, sub, mul, max, min, adds, muls, abs, relu, logic, shifts, axpy, copy
    VectorCost duplicate{11, 1, 1, 13};
    VectorCost exp{13, 4, 2, 18};
    VectorCost ln{13, 4, 2, 20};
    VectorCost sqrt{14, 4, 2, 25};
    VectorCost rsqrt{10, 1, 1, 14};
    VectorCost reciprocal{10, 1, 1, 14};
    VectorCost div{11, 4, 2, 19};
    VectorCost multiply_add{10, 2, 2, 15};
    VectorCost fused_multiply_add{10, 1, 1, 15};
    VectorCost compare{14, 1, 1, 22};
    VectorCost select{13, 1, 1, 14};
    VectorCost cast{14, 1, 1, 18};
    VectorCost cast_b64{14, 1, 1, 18};
    VectorCost reduce_repeat{14, 7, 7, 32};
    VectorCost reduce_block{14, 7, 1, 24};
    VectorCost reduce_pair{14, 1, 1, 24};
    VectorCost gather_mask{14, 2, 2, 20};
    VectorCost gather{24, 25.6, 12.8, 16};
    VectorCost gather_block{24, 3.05, 3.05, 16};
    VectorCost scatter{24, 25.6, 12.8, 16};
    VectorCost broadcast{8, 1, 1, 10};
    VectorCost transpose{14, 1, 1, 20};
    VectorCost sort{20, 64, 32, 0};
    VectorCost merge_sort{20, 64, 32, 0};
    VectorCost mask_register{0, 1, 1, 1};

    static constexpr auto fields() {
        return std::tuple{
            field("repeat_bytes", &VectorSpec::repeat_bytes, 32, 4096, "B", "operand bytes one repeat takes"),
            field("min_cycles",
                  &VectorSpec::min_cycles,
                  0,
                  1000,
                  "cycles",
                  "floor of an instruction back to back"),
            field("counter_tail_cycles",
                  &VectorSpec::counter_tail_cycles,
                  0,
                  1000,
                  "cycles",
                  "counter mode with a ragged end"),
            group("simple",
                  &VectorSpec::simple,
                  "add, sub, mul, max, min, abs, relu, logic, shifts, axpy, copy"),
            group("duplicate", &VectorSpec::duplicate, "fill with a scalar"),
            group("exp", &VectorSpec::exp, "exponential"),
            group("ln", &VectorSpec::ln, "natural logarithm"),
            group("sqrt", &VectorSpec::sqrt, "square root"),
            group("rsqrt", &VectorSpec::rsqrt, "reciprocal square root"),
            group("reciprocal", &VectorSpec::reciprocal, "reciprocal"),
            group("div", &VectorSpec::div, "divide"),
            group("multiply_add", &VectorSpec::multiply_add, "MulAddDst"),
            group("fused_multiply_add", &VectorSpec::fused_multiply_add, "FusedMulAdd"),
            group("compare", &VectorSpec::compare, "compare to a bit mask"),
            group("select", &VectorSpec::select, "select by a bit mask"),
            group("cast", &VectorSpec::cast, "conversion"),
            group("cast_b64", &VectorSpec::cast_b64, "conversion with a 64-bit side"),
            group("reduce_repeat", &VectorSpec::reduce_repeat, "reduce a whole repeat"),
            group("reduce_block", &VectorSpec::reduce_block, "reduce each 32-byte block"),
            group("reduce_pair", &VectorSpec::reduce_pair, "add neighbours"),
            group("gather_mask", &VectorSpec::gather_mask, "compact by mask"),
            group("gather", &VectorSpec::gather, "gather elements"),
            group("gather_block", &VectorSpec::gather_block, "gather 32-byte blocks"),
            group("scatter", &VectorSpec::scatter, "scatter elements"),
            group("broadcast", &VectorSpec::broadcast, "Brcb"),
            group("transpose", &VectorSpec::transpose, "16 x 16 transpose, NCHW to NC1HWC0"),
            group("sort", &VectorSpec::sort, "Sort32"),
            group("merge_sort", &VectorSpec::merge_sort, "MrgSort"),
            group("mask_register", &VectorSpec::mask_register, "mask register writes"),
        };
    }
};

}  // namespace ascendsim
