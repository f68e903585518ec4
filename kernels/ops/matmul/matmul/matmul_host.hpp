// SPDX-License-Identifier: Apache-2.0
// The host side of matmul.cpp: what may be chosen, buffers and launch, the reference.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kernels/ops/matmul/matmul/matmul_choice.hpp"
#include "kernels/ops/matmul/matmul/matmul_reference.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"

namespace matmul {

namespace host = ascendsim::host;

class MatmulHost final : public host::KernelHost {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "C = A x B on the cube cores, any sizes and transposes, with its tiling and schedule open to "
               "choice.";
    }

    [[nodiscard]] std::vector<host::Knob> knobs() const override {
        using host::Knob;
        std::vector<Knob> all{
            Knob::integer("m", 1024, 0, 1 << 24, "rows", "rows of A and C"),
            Knob::integer("n", 1024, 0, 1 << 24, "columns", "columns of B and C"),
            Knob::integer("k", 1024, 0, 1 << 24, "elements", "columns of A, rows of B"),
            Knob::type("dtype",
                       {DataType::half, DataType::bfloat16, DataType::float32, DataType::int8},
                       "element type of A and B"),
            Knob::word("out_dtype",
                       {"auto", "float16", "bfloat16", "float32", "int32"},
                       "element type of C; auto: that of A, int32 for int8"),
            Knob::flag("transpose_a", false, "A is stored as [k, m]"),
            Knob::flag("transpose_b", false, "B is stored as [n, k]"),
            Knob::flag("hf32", false, "float32 operands are rounded to HF32, which is twice as fast"),
            Knob::integer("blocks",
                          0,
                          0,
                          1024,
                          "cores",
                          "cube cores to use; 0: all of the chip, or as many as there are tiles"),
            Knob::integer("base_m", 0, 0, 2048, "rows", "rows of a tile; 0: chosen for chip and shape"),
            Knob::integer("base_n", 0, 0, 2048, "columns", "columns of a tile; 0: chosen"),
            Knob::integer("base_k", 0, 0, 4080, "elements", "depth of one Mmad; 0: chosen"),
            Knob::integer("step_k", 0, 0, 64, "pieces", "pieces of base_k in one L1 chunk; 0: chosen"),
            Knob::integer("step_k_b", 0, 0, 64, "pieces", "the same of B, if others than of A"),
            Knob::integer("split_k",
                          0,
                          0,
                          64,
                          "parts",
                          "cores that share one tile's k, adding up in global memory; 0: chosen"),
            Knob::integer("l1_buffers", 0, 0, 2, "buffers", "chunks of A and B in L1; 0: chosen"),
            Knob::integer("l0_buffers", 0, 0, 2, "buffers", "pieces in L0A and L0B; 0: chosen"),
            Knob::integer("l0c_buffers", 0, 0, 2, "buffers", "tiles in L0C; 0: chosen"),
            Knob::flag(
                "unit_flag", false, "hand L0C over by the unit flag of Mmad and Fixpipe, not by event flags"),
            Knob::flag(
                "load3d", false, "an untransposed A of 16 bits to L0A by one load3d, not by several load2d"),
            Knob::word("schedule",
                       {"swizzle", "grid"},
                       "tiles dealt in bands that share L2 lines, or a rectangle for each core"),
            Knob::integer("swizzle", 0, 0, 1024, "tiles", "lines of tiles in a band; 0: chosen"),
            Knob::word(
                "direction",
                {"auto", "rows", "columns"},
                "bands of rows walked along n, or of columns walked along m; of a grid how each core walks"),
            Knob::integer("grid_m", 0, 0, 1024, "cores", "cores along m of a grid; 0: chosen"),
            Knob::integer("core_columns",
                          0,
                          0,
                          1 << 24,
                          "columns",
                          "of C, of each core of a grid; 0: whole tiles, evenly"),
            Knob::integer("rounds", 1, 1, 1024, "rounds", "how often a grid is laid over the rows of C"),
            Knob::integer(
                "groups", 1, 1, 4096, "products", "products of m rows each, with a B each: a batch"),
            Knob::shape(
                "group_ends", {}, "where the rows of each group end, within m; makes `groups` that many"),
            Knob::word(
                "b_format", {"nd", "nz"}, "B as rows, or as NZ: columns of 32 bytes, each k rows high"),
            Knob::real("scale", 0x1p-12, 0, 1e6, "", "of the int32 sums of int8 when they leave as float16"),
            Knob::integer(
                "library_cycles",
                0,
                0,
                100000,
                "cycles",
                "scalar work in each step of base_k that a template library does and this kernel spares"),
        };
        epilogue::add_knobs(all);
        return all;
    }

    [[nodiscard]] host::Plan plan(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) const override {
        const epilogue::Epilogue with = epilogue::of(knobs);
        Problem problem = problem_of(knobs);
        if (epilogue::any(with)) {
            check_epilogue(knobs, with, problem);
            problem.whole = true;
            problem.table = with.bias != 0 && chip.cores.split;
        }
        if (!chip.cores.split) {
            check_coupled(knobs, chip, problem);
        }
        const Tiling tiling = tiling_of(knobs, chip, problem);
        const std::uint32_t cores = cores_of(knobs, chip, tiling);
        host::Plan plan;
        plan.problem = fmt::format("MatMul {} x {} x {} (m, n, k), {} to {}{}{}{}, tile {} x {} x {}",
                                   problem.m,
                                   problem.n,
                                   problem.k,
                                   name(problem.type),
                                   name(problem.out),
                                   problem.transpose_a ? ", A transposed" : "",
                                   problem.transpose_b ? ", B transposed" : "",
                                   epilogue::text(with, knobs),
                                   tiling.base_m,
                                   tiling.base_n,
                                   tiling.base_k);
        add_buffers(plan, problem, with);
        add_launch(plan, problem, tiling, cores);
        plan.chosen = {{"base_m", tiling.base_m},
                       {"base_n", tiling.base_n},
                       {"base_k", tiling.base_k},
                       {"step_k", tiling.step_k},
                       {"split_k", tiling.split_k},
                       {"l1_buffers", tiling.l1_buffers},
                       {"l0_buffers", tiling.l0_buffers},
                       {"l0c_buffers", tiling.l0c_buffers}};
        if (tiling.swizzle != 0) {  // else a grid, which has no bands
            plan.chosen["swizzle"] = tiling.swizzle;
        } else {
            plan.chosen["grid_m"] = tiling.grid_m;
        }
        if (epilogue::any(with)) {
            add_epilogue(plan, problem, tiling, with, epilogue::takes_vector_cores(with, chip));
        }
        plan.work.cube_flops = 2.0 * static_cast<double>(problem.m) * static_cast<double>(problem.n) *
                               static_cast<double>(problem.k);
        plan.work.cube_type = problem.type;
        plan.work.gm_bytes = host::least_traffic(plan.buffers);
        Reference::add(plan, problem, tiling, with);
        return plan;
    }

private:
    static void check_epilogue(const host::Knobs& knobs,
                               const epilogue::Epilogue& with,
                               const Problem& problem) {
        const char* knob = with.bias != 0 ? "bias" : "activation";
        if (problem.type == DataType::int8) {
            throw knobs.error(knob, "is for sums of floats; matmul_object adds one to int32 sums");
        }
        if (problem.k == 0 || !problem.ends.empty()) {
            throw knobs.error(knob, "k must be at least 1, and groups of the same rows");
        }
        if (knobs.count("split_k") > 1) {
            throw knobs.error("split_k",
                              "cores that share one tile's k add up in global memory: no sum is complete");
        }
        if (with.bias != 0 && knobs.count("base_n") > epilogue::table_columns) {
            throw knobs.error("base_n",
                              fmt::format("the bias table holds {} columns", epilogue::table_columns));
        }
    }

    /// The launch of add_launch() with a bias and an activation.
    static void add_epilogue(host::Plan& plan,
                             const Problem& problem,
                             const Tiling& tiling,
                             const epilogue::Epilogue& with,
                             bool vector_cores) {
        host::Launch& launch = plan.launches.back();
        launch.entry += vector_cores ? "_activated" : "_epilogue";
        launch.cores = vector_cores ? ascendsim::CoreUse::mix_1_2 : ascendsim::CoreUse::aic;
        launch.arguments = {host::Argument::address("a"),
                            host::Argument::address("b"),
                            host::Argument::address(with.bias != 0 ? "bias" : "c"),
                            host::Argument::address("c"),
                            host::Argument::of(tiling),
                            host::Argument::of(with)};
        if (vector_cores) {
            plan.work.vector_flops = static_cast<double>(problem.m) * static_cast<double>(problem.n);
            plan.work.vector_type = problem.out;
        }
    }

    [[nodiscard]] static Problem problem_of(const host::Knobs& knobs) {
        Problem problem{.m = static_cast<std::uint64_t>(knobs.integer("m")),
                        .n = static_cast<std::uint64_t>(knobs.integer("n")),
                        .k = static_cast<std::uint64_t>(knobs.integer("k")),
                        .type = knobs.type("dtype"),
                        .transpose_a = knobs.flag("transpose_a"),
                        .transpose_b = knobs.flag("transpose_b"),
                        .hf32 = knobs.flag("hf32")};
        const bool integer = problem.type == DataType::int8;
        problem.out = integer ? DataType::int32 : problem.type;
        if (const std::string& out = knobs.word("out_dtype"); out != "auto") {
            problem.out = knobs.type("out_dtype");
        }
        const bool scaled = integer && problem.out == DataType::half;
        if (integer != (problem.out == DataType::int32) && !scaled) {
            throw knobs.error(
                "out_dtype",
                integer ? "int8 gives int32, or float16 by `scale`" : "int32 is the result of int8 only");
        }
        problem.scale = scaled ? knobs.real("scale") : 1;
        read_groups(knobs, problem);
        read_format(knobs, problem);
        if (problem.hf32 && problem.type != DataType::float32) {
            throw knobs.error("hf32", "HF32 is a rounding of float32 operands; set dtype = \"float32\"");
        }
        return problem;
    }

    static void read_groups(const host::Knobs& knobs, Problem& problem) {
        problem.ends = knobs.shape("group_ends");
        problem.groups = problem.ends.empty() ? knobs.count("groups") : problem.ends.size();
        if (problem.groups == 1 && problem.ends.empty()) {
            return;
        }
        if (problem.transpose_a) {
            throw knobs.error("transpose_a",
                              "the rows of several products follow each other; A must not be transposed");
        }
        if (knobs.word("schedule") == "grid") {
            throw knobs.error("schedule", "several products are dealt tile by tile: \"swizzle\"");
        }
        if (problem.ends.empty()) {
            problem.m *= problem.groups;
        } else if (!std::ranges::is_sorted(problem.ends) || problem.ends.back() > problem.m) {
            throw knobs.error("group_ends", "must ascend and end within m");
        }
    }

    static void read_format(const host::Knobs& knobs, Problem& problem) {
        problem.b_blocked = knobs.word("b_format") == "nz";
        if (!problem.b_blocked) {
            return;
        }
        if (problem.transpose_b || problem.size() == 4) {
            throw knobs.error("b_format",
                              "NZ holds the columns of a B that is not transposed, of 16 or 8 bits");
        }
        if (problem.k % problem.unit() != 0 || problem.n % problem.block() != 0) {
            throw knobs.error(
                "b_format",
                fmt::format("k must be a multiple of {} and n of {}", problem.unit(), problem.block()));
        }
    }

    // Older cubes multiply half and int8 only, and without Fixpipe results leave in whole blocks.
    static void check_coupled(const host::Knobs& knobs,
                              const ascendsim::ChipSpec& chip,
                              const Problem& problem) {
        if (problem.type != DataType::half && problem.type != DataType::int8) {
            throw knobs.error("dtype", fmt::format("the cube of {} takes float16 and int8", chip.name));
        }
        if (problem.out == DataType::bfloat16) {
            throw knobs.error("out_dtype", fmt::format("{} has no bfloat16", chip.name));
        }
        if (problem.type == DataType::int8 && problem.out == DataType::half) {
            throw knobs.error("out_dtype", fmt::format("{} has no Fixpipe to scale with", chip.name));
        }
        if (knobs.flag("unit_flag")) {
            throw knobs.error("unit_flag", fmt::format("{} has no Fixpipe to hand over to", chip.name));
        }
        if (problem.n % 16 != 0) {
            throw knobs.error(
                "n", fmt::format("{} copies whole 32-byte blocks; n must be a multiple of 16", chip.name));
        }
    }

    /// The problem and what the knobs fix of its tiling; 0: open. Throws the error of tiles that are no
    /// fractals.
    [[nodiscard]] static Tiling wanted_by(const host::Knobs& knobs, const Problem& problem) {
        Tiling wanted{};
        wanted.m = static_cast<std::uint32_t>(problem.m);
        wanted.n = static_cast<std::uint32_t>(problem.n);
        wanted.k = static_cast<std::uint32_t>(problem.k);
        for (const auto& [knob, field] : {std::pair{"base_m", &Tiling::base_m},
                                          {"base_n", &Tiling::base_n},
                                          {"base_k", &Tiling::base_k}}) {
            wanted.*field = knobs.count(knob);
            if (wanted.*field % problem.unit() != 0) {
                throw knobs.error(
                    knob, fmt::format("must be a multiple of {} for {}", problem.unit(), name(problem.type)));
            }
        }
        wanted.step_k = knobs.count("step_k");
        wanted.step_k_b = knobs.count("step_k_b");
        if (wanted.step_k_b != 0 &&
            (wanted.step_k == 0 ||
             std::max(wanted.step_k, wanted.step_k_b) % std::min(wanted.step_k, wanted.step_k_b) != 0)) {
            throw knobs.error("step_k_b", "of step_k and step_k_b one must be a multiple of the other");
        }
        wanted.split_k = problem.k == 0 ? 1 : knobs.count("split_k");
        wanted.l1_buffers = knobs.count("l1_buffers");
        wanted.l0_buffers = knobs.count("l0_buffers");
        wanted.l0c_buffers = knobs.count("l0c_buffers");
        wanted.transpose_a = problem.transpose_a ? 1 : 0;
        wanted.transpose_b = problem.transpose_b ? 1 : 0;
        wanted.unit_flag = knobs.flag("unit_flag") ? 1 : 0;
        wanted.load3d = knobs.flag("load3d") ? 1 : 0;
        wanted.hf32 = problem.hf32 ? 1 : 0;
        wanted.out = output_of(problem.out);
        wanted.b_blocked = problem.b_blocked ? 1 : 0;
        wanted.groups = static_cast<std::uint32_t>(problem.groups);
        wanted.group_rows = problem.ends.empty() ? static_cast<std::uint32_t>(problem.group_rows()) : 0;
        wanted.library_cycles = knobs.count("library_cycles");
        wanted.scale = static_cast<float>(problem.scale);
        return wanted;
    }

    [[nodiscard]] static Tiling tiling_of(const host::Knobs& knobs,
                                          const ascendsim::ChipSpec& chip,
                                          const Problem& problem) {
        const std::uint32_t cores = host::cube_cores_or_all(knobs, "blocks", chip);
        const Tiling wanted = wanted_by(knobs, problem);
        std::optional<Tiling> chosen = TilingChoice{problem, chip, cores}.best(wanted);
        if (!chosen) {
            throw knobs.error("base_m",
                              fmt::format("no tile of {} x {} x {} with these buffer counts fits {} (L0A {}, "
                                          "L0B {}, L0C {}, L1 {} bytes); "
                                          "0 lets the host choose",
                                          wanted.base_m,
                                          wanted.base_n,
                                          wanted.base_k,
                                          chip.name,
                                          chip.buffers.l0a,
                                          chip.buffers.l0b,
                                          chip.buffers.l0c,
                                          chip.buffers.l1));
        }
        if (problem.groups == 1 && !problem.ends.empty()) {
            chosen->group_rows = static_cast<std::uint32_t>(problem.ends.front());
            chosen->m = chosen->group_rows;
        }
        set_schedule(knobs, *chosen, cores, problem.group_rows());
        return *chosen;
    }

    [[nodiscard]] static Output output_of(DataType type) {
        switch (type) {
            case DataType::half:
                return out_half;
            case DataType::bfloat16:
                return out_bfloat16;
            case DataType::int32:
                return out_int32;
            default:
                return out_float;
        }
    }

    static void set_schedule(const host::Knobs& knobs, Tiling& t, std::uint32_t cores, std::uint64_t rows) {
        const std::uint32_t tiles_m = std::max(1U, ceil_div(static_cast<std::uint32_t>(rows), t.base_m));
        const std::uint32_t tiles_n = std::max(1U, ceil_div(t.n, t.base_n));
        if (knobs.word("schedule") == "grid") {
            t.swizzle = 0;
            t.grid_m = knobs.count("grid_m");
            if (t.grid_m > cores) {
                throw knobs.error("grid_m", fmt::format("there are {} cores", cores));
            }
            t.grid_m = t.grid_m == 0 ? best_grid(tiles_m, tiles_n, cores) : t.grid_m;
            t.direction = knobs.word("direction") == "columns" ? 1 : 0;
            t.rounds = knobs.count("rounds");
            t.core_columns = knobs.count("core_columns");
            if (t.core_columns != 0 && std::uint64_t{t.core_columns} * (cores / t.grid_m) < t.n) {
                throw knobs.error("core_columns",
                                  fmt::format("{} cores along n leave columns out", cores / t.grid_m));
            }
            return;
        }
        const std::string& direction = knobs.word("direction");
        t.direction = direction == "columns" || (direction == "auto" && tiles_m < tiles_n) ? 1 : 0;
        const std::uint32_t lines = t.direction == 0 ? tiles_m : tiles_n;
        // A square patch of tiles at a time reads fewest different rows and columns.
        const auto patch = static_cast<std::uint32_t>(std::lround(std::sqrt(static_cast<double>(cores))));
        t.swizzle = knobs.count("swizzle");
        t.swizzle = std::min(lines, t.swizzle == 0 ? std::max(1U, patch) : t.swizzle);
    }

    // The rows of cores that leave the busiest core least to do.
    [[nodiscard]] static std::uint32_t best_grid(std::uint32_t tiles_m,
                                                 std::uint32_t tiles_n,
                                                 std::uint32_t cores) {
        std::uint32_t best = 1;
        std::uint64_t least = ~std::uint64_t{0};
        for (std::uint32_t grid_m = 1; grid_m <= cores; ++grid_m) {
            const std::uint64_t most =
                std::uint64_t{ceil_div(tiles_m, grid_m)} * ceil_div(tiles_n, cores / grid_m);
            if (most < least) {
                least = most;
                best = grid_m;
            }
        }
        return best;
    }

    [[nodiscard]] static std::uint32_t cores_of(const host::Knobs& knobs,
                                                const ascendsim::ChipSpec& chip,
                                                const Tiling& t) {
        const std::uint32_t cores = host::cube_cores_or_all(knobs, "blocks", chip);
        if (t.swizzle == 0 || knobs.count("blocks") != 0) {
            return cores;
        }
        // Groups of uneven rows have up to a tile more each.
        const std::uint64_t high = t.groups == 1 ? ceil_div(t.m, t.base_m)
                                   : t.group_rows != 0
                                       ? std::uint64_t{t.groups} * ceil_div(t.group_rows, t.base_m)
                                       : t.groups + ceil_div(t.m, t.base_m);
        const std::uint64_t tiles = high * ceil_div(t.n, t.base_n) * t.split_k;
        return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(tiles, 1, cores));
    }

    static void add_buffers(host::Plan& plan, const Problem& problem, const epilogue::Epilogue& with) {
        const auto shape = [](std::uint64_t rows, std::uint64_t columns, bool transpose) {
            return transpose ? host::Shape{columns, rows} : host::Shape{rows, columns};
        };
        const host::Fill fill = problem.type == DataType::int8
                                    ? host::Fill{host::fill::Integers{.low = -128, .high = 127}}
                                    : host::Fill{host::fill::Uniform{}};
        plan.buffers.push_back(
            host::Buffer::input("a", problem.type, shape(problem.m, problem.k, problem.transpose_a), fill));
        host::Shape b = shape(problem.k, problem.n, problem.transpose_b);
        if (problem.b_blocked) {
            b = {problem.n / problem.block(), problem.k, problem.block()};
        }
        if (problem.groups > 1) {
            b.insert(b.begin(), problem.groups);
        }
        plan.buffers.push_back(host::Buffer::input("b", problem.type, b, fill));
        if (with.bias != 0) {
            const DataType bias = epilogue::bias_type(problem.type, problem.out);
            plan.buffers.push_back(host::Buffer::input("bias", bias, {problem.n}, epilogue::bias_fill(bias)));
        }
        plan.buffers.push_back(host::Buffer::output("c", problem.out, {problem.m, problem.n}));
        if (!problem.ends.empty()) {
            std::vector<std::byte> bytes(problem.ends.size() * sizeof(std::uint64_t));
            std::memcpy(bytes.data(), problem.ends.data(), bytes.size());
            plan.buffers.push_back({.name = "row_ends",
                                    .type = DataType::int64,
                                    .shape = {problem.ends.size()},
                                    .role = host::Role::input,
                                    .fill = host::fill::Content{std::move(bytes)},
                                    .control = true});
        }
    }

    static void add_launch(host::Plan& plan,
                           const Problem& problem,
                           const Tiling& tiling,
                           std::uint32_t cores) {
        const char* entry = problem.type == DataType::half       ? "matmul_half"
                            : problem.type == DataType::bfloat16 ? "matmul_bfloat16"
                            : problem.type == DataType::float32  ? "matmul_float"
                                                                 : "matmul_int8";
        plan.launches.push_back(
            {.entry = entry,
             .blocks = cores,
             .cores = ascendsim::CoreUse::aic,
             .arguments = {host::Argument::address("a"),
                           host::Argument::address("b"),
                           host::Argument::address("c"),
                           host::Argument::address(problem.ends.empty() ? "c" : "row_ends"),
                           host::Argument::of(tiling)},
             .label = "matmul",
             .kernel = {}});
    }
};

}  // namespace matmul
