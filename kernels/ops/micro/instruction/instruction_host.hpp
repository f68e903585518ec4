// SPDX-License-Identifier: Apache-2.0
// The host side of instruction.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "kernels/ops/micro/instruction/instruction_tiling.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "sim/base/units.hpp"

namespace instruction {

namespace host = ascendsim::host;
using ascendsim::round_up;
using ascendsim::isa::DataType;

constexpr std::array<const char*, 30> op_names{"add",
                                               "sub",
                                               "mul",
                                               "div",
                                               "max",
                                               "min",
                                               "exp",
                                               "ln",
                                               "sqrt",
                                               "rsqrt",
                                               "reciprocal",
                                               "abs",
                                               "relu",
                                               "adds",
                                               "muls",
                                               "cast",
                                               "duplicate",
                                               "copy",
                                               "whole_reduce_sum",
                                               "whole_reduce_max",
                                               "block_reduce_sum",
                                               "tree_sum",
                                               "reduce_sum",
                                               "whole_whole",
                                               "block_block_block",
                                               "block_whole",
                                               "mmad",
                                               "load_l0a",
                                               "load_l0b",
                                               "fixpipe"};
static_assert(op_names.size() == static_cast<std::size_t>(Op::fixpipe) + 1);

class Instruction final : public host::KernelHost {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "one instruction again and again on one core, as a benchmark of it";
    }

    [[nodiscard]] std::vector<host::Knob> knobs() const override {
        using host::Knob;
        const auto place = [](const char* name, const char* meaning) {
            return Knob::integer(name, -1, -1, 262112, "B", meaning);
        };
        const auto stride = [](const char* name, std::int64_t value, const char* meaning) {
            return Knob::integer(name, value, 0, 255, "blocks", meaning);
        };
        return {
            Knob::word(
                "op", {op_names.begin(), op_names.end()}, "the instruction, or a short sequence of them"),
            Knob::type("dtype",
                       {DataType::float32, DataType::half, DataType::int32, DataType::int16},
                       "element type"),
            Knob::integer("calls", 1000, 0, 1 << 20, "", "instructions, one after the other"),
            Knob::integer("repeats", 64, 1, 255, "", "repeats of 256 B of an instruction"),
            Knob::integer(
                "elements", 0, 0, 1 << 16, "elements", "of tree_sum and reduce_sum; 0: repeats x 256 B"),
            Knob::flag("barrier",
                       true,
                       "each waits until the one before has finished; false: back to back, to be timed only, "
                       "as each "
                       "overwrites the result of the one before"),
            place("src0", "where the first operand lies; -1: apart from the others in banks"),
            place("src1", "where the second operand lies"),
            place("dst", "where the result goes"),
            stride("src0_block", 1, "from one block of a repeat to the next"),
            stride("src1_block", 1, "the same of the second operand"),
            stride("dst_block", 1, "the same of the result"),
            stride("src0_repeat", 8, "from one repeat to the next"),
            stride("src1_repeat", 8, "the same of the second operand"),
            stride("dst_repeat", 8, "the same of the result"),
            Knob::integer("m", 16, 1, 256, "rows", "of the cube core's instructions"),
            Knob::integer("k", 16, 1, 1024, "elements", "depth of mmad"),
            Knob::integer("n", 16, 1, 256, "columns", "of the cube core's instructions"),
        };
    }

    [[nodiscard]] host::Plan plan(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) const override {
        const Op op = op_of(knobs);
        host::Plan plan;
        plan.problem = fmt::format("{} x {}, {} repeats, {}",
                                   knobs.count("calls"),
                                   knobs.word("op"),
                                   knobs.count("repeats"),
                                   name(knobs.type("dtype")));
        op >= Op::mmad ? cube(plan, knobs, chip, op) : vector(plan, knobs, chip, op);
        return plan;
    }

private:
    [[nodiscard]] static Op op_of(const host::Knobs& knobs) {
        const auto* const found = std::ranges::find(op_names, knobs.word("op"));
        return static_cast<Op>(found - op_names.begin());
    }

    [[nodiscard]] static bool sums(Op op) { return op >= Op::tree_sum && op <= Op::block_whole; }

    // ---- vector ----

    static void vector(host::Plan& plan, const host::Knobs& knobs, const ascendsim::ChipSpec& chip, Op op) {
        const DataType type = knobs.type("dtype");
        const std::uint32_t size = ascendsim::isa::bits(type) / 8;
        const bool whole_number = type == DataType::int32 || type == DataType::int16;
        if (whole_number && (sums(op) || needs_floats(op))) {
            throw knobs.error("dtype", fmt::format("{} is an instruction of floats", knobs.word("op")));
        }
        const Tiling t = vector_tiling(knobs, chip, op, size);
        const auto input = [&](const char* name, std::uint32_t bytes) {
            const host::Fill values = whole_number ? host::Fill{host::fill::Integers{-50, 50}}
                                                   : host::Fill{host::fill::Uniform{0.5, 2}};
            return host::Buffer::input(name, type, {bytes / size}, values);
        };
        plan.buffers = {input("x", t.x_bytes),
                        input("y", t.y_bytes),
                        host::Buffer::output("z", type, {t.z_bytes / size}),
                        host::Buffer::output("cycles", DataType::int64, {8})};
        launch(plan, fmt::format("instruction_{}", name(type)), ascendsim::CoreUse::aiv, t);
        const double elements = static_cast<double>(t.x_bytes) / size;
        plan.work.vector_flops = elements * t.calls;
        plan.work.vector_type = type;
        if (t.clear != 0 && t.calls > 0 && checked(op) && dense(t)) {
            // A division, root or exponential is within a few steps; a sum of n has n roundings.
            const double rounding = type == DataType::half ? 0x1p-10 : 0x1p-22;
            plan.tolerances = {
                {.output = "z", .relative = sums(op) ? rounding * 64 : rounding * 4, .ulp = 4}};
            plan.reference = [t, op](host::ReferenceData& data) { expect(data, t, op); };
        }
    }

    [[nodiscard]] static bool needs_floats(Op op) {
        return op == Op::div || (op >= Op::exp && op <= Op::relu) || op == Op::cast ||
               (op >= Op::whole_reduce_sum && op < Op::mmad);
    }

    [[nodiscard]] static Tiling vector_tiling(const host::Knobs& knobs,
                                              const ascendsim::ChipSpec& chip,
                                              Op op,
                                              std::uint32_t size) {
        constexpr std::uint32_t repeat_bytes = 256;
        Tiling t{.op = op,
                 .calls = knobs.count("calls"),
                 .repeats = knobs.count("repeats"),
                 .barrier = knobs.flag("barrier") ? 1U : 0U};
        const std::array<const char*, 3> names{"dst", "src0", "src1"};
        for (std::size_t i = 0; i < names.size(); ++i) {
            t.block_stride[i] = static_cast<std::uint16_t>(knobs.count(fmt::format("{}_block", names[i])));
            t.repeat_stride[i] = static_cast<std::uint16_t>(knobs.count(fmt::format("{}_repeat", names[i])));
        }
        const std::uint32_t bytes = t.repeats * repeat_bytes;
        const bool long_sum = op == Op::tree_sum || op == Op::reduce_sum;
        const std::uint32_t elements = knobs.count("elements") != 0 ? knobs.count("elements") : bytes / size;
        t.x_bytes = long_sum ? round_up(elements * size, repeat_bytes) : bytes;
        t.y_bytes = long_sum ? 32 : bytes;
        t.z_bytes = sums(op) ? size : bytes;
        if (long_sum) {
            t.repeats = elements;
        }
        place(t, knobs, chip, long_sum);
        return t;
    }

    // Where nothing is asked for, every operand has banks of its own: src0 in the first slice of the unified
    // buffer, src1 in the second and half a round of bank groups further, the result in the third.
    static void place(Tiling& t, const host::Knobs& knobs, const ascendsim::ChipSpec& chip, bool long_sum) {
        const std::uint32_t slice = chip.buffers.ub_bank_groups * chip.buffers.ub_bank_bytes;
        const auto at = [&](const char* knob, std::uint32_t otherwise) {
            const std::int64_t wanted = knobs.integer(knob);
            if (wanted % 32 != 0 && wanted >= 0) {
                throw knobs.error(knob, "must be a multiple of 32 bytes");
            }
            return wanted < 0 ? otherwise : static_cast<std::uint32_t>(wanted);
        };
        t.src0 = at("src0", 0);
        t.dst = at("dst", long_sum ? round_up(t.x_bytes, 256U) : 2 * slice);
        t.src1 = at("src1", long_sum ? t.dst + round_up(t.x_bytes / 2, 256U) : slice + 256);
        const std::uint32_t last = std::max({t.src0 + t.x_bytes, t.src1 + t.y_bytes, t.dst + t.z_bytes});
        if (last > chip.buffers.ub) {
            throw knobs.error(
                "dst", fmt::format("operands end at {}, the unified buffer at {}", last, chip.buffers.ub));
        }
        const auto apart = [&t](std::uint32_t start, std::uint32_t bytes) {
            return start + bytes <= t.dst || t.dst + t.z_bytes <= start;
        };
        t.clear = apart(t.src0, t.x_bytes) && apart(t.src1, t.y_bytes) ? 1 : 0;
    }

    [[nodiscard]] static bool dense(const Tiling& t) {
        return std::ranges::all_of(t.block_stride, [](auto s) { return s == 1; }) &&
               std::ranges::all_of(t.repeat_stride, [](auto s) { return s == 8; });
    }

    [[nodiscard]] static bool checked(Op op) {
        return op <= Op::muls || op == Op::duplicate || op == Op::copy || sums(op);
    }

    static void expect(host::ReferenceData& data, const Tiling& t, Op op) {
        const std::vector<float>& x = data.floats("x");
        const std::vector<float>& y = data.floats("y");
        std::vector<double>& z = data.expected("z");
        if (sums(op)) {
            const std::size_t count = op == Op::tree_sum || op == Op::reduce_sum ? t.repeats : x.size();
            z[0] = 0;
            for (std::size_t i = 0; i < count; ++i) {
                z[0] += static_cast<double>(x[i]);
            }
            return;
        }
        for (std::size_t i = 0; i < z.size(); ++i) {
            z[i] = result(op, static_cast<double>(x[i]), static_cast<double>(y[i]));
        }
    }

    [[nodiscard]] static double result(Op op, double x, double y) {
        switch (op) {
            case Op::add:
                return x + y;
            case Op::sub:
                return x - y;
            case Op::mul:
                return x * y;
            case Op::div:
                return x / y;
            case Op::max:
                return std::max(x, y);
            case Op::min:
                return std::min(x, y);
            case Op::exp:
                return std::exp(x);
            case Op::ln:
                return std::log(x);
            case Op::sqrt:
                return std::sqrt(x);
            case Op::rsqrt:
                return 1 / std::sqrt(x);
            case Op::reciprocal:
                return 1 / x;
            case Op::abs:
                return std::abs(x);
            case Op::relu:
                return std::max(x, 0.0);
            case Op::adds:
                return x + 2;
            case Op::muls:
                return x * 2;
            case Op::duplicate:
                return 1;
            default:
                return x;
        }
    }

    // ---- cube ----

    static void cube(host::Plan& plan, const host::Knobs& knobs, const ascendsim::ChipSpec& chip, Op op) {
        Tiling t{.op = op,
                 .calls = knobs.count("calls"),
                 .barrier = knobs.flag("barrier") ? 1U : 0U,
                 .m = knobs.count("m"),
                 .k = knobs.count("k"),
                 .n = knobs.count("n")};
        const std::uint32_t height = round_up(t.m, 16U);
        const std::uint32_t depth = round_up(t.k, 16U);
        const std::uint32_t wide = round_up(t.n, 16U);
        if (height * depth * 2 > chip.buffers.l0a || depth * wide * 2 > chip.buffers.l0b ||
            height * wide * 4 > chip.buffers.l0c) {
            throw knobs.error("k",
                              fmt::format("{} x {} x {} does not fit L0 of {}", t.m, t.k, t.n, chip.name));
        }
        plan.buffers = {host::Buffer::input("x", DataType::half, {t.m, t.k}),
                        host::Buffer::input("y", DataType::half, {t.k, t.n}),
                        host::Buffer::output("z", DataType::float32, {t.m, wide}),
                        host::Buffer::output("cycles", DataType::int64, {8})};
        launch(plan, "instruction_cube", ascendsim::CoreUse::aic, t);
        plan.work.cube_flops = op == Op::mmad ? 2.0 * t.calls * t.m * t.k * t.n : 0;
        if (t.n == wide && t.k == depth) {
            // Products of values below 1, summed up in single precision.
            plan.tolerances = {{.output = "z", .absolute = 1e-5 * t.k}};
            plan.reference = [t](host::ReferenceData& data) { multiply(data, t); };
        }
    }

    static void multiply(host::ReferenceData& data, const Tiling& t) {
        const std::vector<float>& x = data.floats("x");
        const std::vector<float>& y = data.floats("y");
        std::vector<double>& z = data.expected("z");
        for (std::uint32_t row = 0; row < t.m; ++row) {
            for (std::uint32_t i = 0; i < t.k; ++i) {
                for (std::uint32_t column = 0; column < t.n; ++column) {
                    z[row * t.n + column] +=
                        static_cast<double>(x[row * t.k + i]) * static_cast<double>(y[i * t.n + column]);
                }
            }
        }
    }

    static void launch(host::Plan& plan, std::string entry, ascendsim::CoreUse cores, const Tiling& t) {
        plan.launches = {{.entry = std::move(entry),
                          .blocks = 1,
                          .cores = cores,
                          .arguments = {host::Argument::address("x"),
                                        host::Argument::address("y"),
                                        host::Argument::address("z"),
                                        host::Argument::address("cycles"),
                                        host::Argument::of(t)}}};
    }
};

}  // namespace instruction

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const instruction::Instruction instruction_host;
    return &instruction_host;
}
