// SPDX-License-Identifier: Apache-2.0
// The host side of matmul_object.cpp: its tiling by the host's tiling class, buffers and launch, the
// reference.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "kernels/ascendc/tiling/tiling_api.h"
#include "kernels/ops/matmul/matmul/matmul_object_tiling.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/reference_matmul.hpp"

namespace matmul_object {

namespace host = ascendsim::host;
using ascendsim::isa::DataType;

/// One product as the knobs describe it.
struct Product {
    std::int32_t m = 0;
    std::int32_t n = 0;
    std::int32_t k = 0;
    DataType in = DataType::half;
    DataType out = DataType::float32;
    bool nz = false;
    bool bias = false;
};

[[nodiscard]] inline matmul_tiling::DataType tiling_type(DataType type) {
    switch (type) {
        case DataType::float32:
            return matmul_tiling::DataType::DT_FLOAT;
        case DataType::bfloat16:
            return matmul_tiling::DataType::DT_BF16;
        case DataType::int8:
            return matmul_tiling::DataType::DT_INT8;
        case DataType::int32:
            return matmul_tiling::DataType::DT_INT32;
        default:
            return matmul_tiling::DataType::DT_FLOAT16;
    }
}

[[nodiscard]] inline matmul_tiling::PlatformInfo platform_of(const ascendsim::ChipSpec& chip) {
    matmul_tiling::PlatformInfo platform;
    platform.l1Size = chip.buffers.l1;
    platform.l0ASize = chip.buffers.l0a;
    platform.l0BSize = chip.buffers.l0b;
    platform.l0CSize = chip.buffers.l0c;
    platform.ubSize = chip.buffers.ub;
    return platform;
}

class MatmulObjectHost final : public host::KernelHost {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "C = A x B + bias with the high-level Matmul object on cube cores: templates, layouts and "
               "quantisation by knobs.";
    }

    [[nodiscard]] std::vector<host::Knob> knobs() const override {
        using host::Knob;
        constexpr std::int64_t most = 1 << 20;
        return {
            Knob::integer("m", 1024, 1, most, "rows", "rows of A and C"),
            Knob::integer("n", 1024, 1, most, "columns", "columns of B and C"),
            Knob::integer("k", 1024, 1, most, "elements", "columns of A, rows of B"),
            Knob::word(
                "types",
                {"half_float", "half_half", "bfloat16_bfloat16", "float_float", "int8_int32", "int8_half"},
                "element types of A and B, and of C"),
            Knob::word(
                "layout", {"nd", "nz"}, "B and C row by row, or in columns of blocks (half_float only)"),
            Knob::flag("transpose_a", false, "A is stored as [k, m]"),
            Knob::flag("transpose_b", false, "B is stored as [n, k]"),
            Knob::flag("bias", false, "a row is added to every row of C"),
            Knob::word("template", {"norm", "mdl"}, "base blocks fetched one by one, or a step at a time"),
            Knob::word("call", {"all", "iterate"}, "IterateAll, or Iterate and GetTensorC block by block"),
            Knob::word("quantise", {"scalar", "vector"}, "one scale, or one for each column (int8_half)"),
            Knob::integer("blocks", 0, 0, 1024, "cores", "cores to share C; 0: all of the chip"),
            Knob::integer("single_m", 0, 0, most, "rows", "rows of a core's share; 0: chosen"),
            Knob::integer("single_n", 0, 0, most, "columns", "columns of a core's share; 0: chosen"),
            Knob::integer("base_m", 0, 0, 512, "rows", "rows of a base block; 0: chosen"),
            Knob::integer("base_n", 0, 0, 512, "columns", "columns of a base block; 0: chosen"),
            Knob::integer("base_k", 0, 0, 1024, "elements", "depth of a base block; 0: chosen"),
            Knob::integer("step_ka", 0, 0, 64, "blocks", "base blocks of A in a step along k; 0: chosen"),
            Knob::integer("step_kb", 0, 0, 64, "blocks", "base blocks of B in a step along k; 0: chosen"),
            Knob::integer("step_m", 1, 1, 16, "blocks", "base blocks of A in a step along m"),
            Knob::integer("step_n", 1, 1, 16, "blocks", "base blocks of B in a step along n"),
            Knob::integer("depth_a", 0, 0, 128, "blocks", "base blocks of A in L1; 0: two steps if they fit"),
            Knob::integer("depth_b", 0, 0, 128, "blocks", "base blocks of B in L1; 0: two steps if they fit"),
            Knob::integer("l0_buffers", 2, 1, 2, "buffers", "base blocks in L0A and L0B"),
            Knob::integer("l0c_buffers", 2, 1, 2, "buffers", "results in L0C, where two fit"),
            Knob::word("order", {"m", "n"}, "the axis along which blocks follow each other"),
        };
    }

    [[nodiscard]] host::Plan plan(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) const override {
        const Product product = product_of(knobs);
        if (!chip.cores.split) {
            check_coupled(knobs, chip, product);
        }
        const Options options = options_of(knobs, chip, product);
        host::Plan plan;
        const TCubeTiling& t = options.tiling;
        plan.problem =
            fmt::format("Matmul object {} x {} x {}, {}, {}, {} cores of {} x {}, base {} x {} x {}",
                        product.m,
                        product.n,
                        product.k,
                        knobs.word("types"),
                        knobs.word("template"),
                        t.usedCoreNum,
                        t.singleCoreM,
                        t.singleCoreN,
                        t.baseM,
                        t.baseN,
                        t.baseK);
        plan.chosen = chosen(t);
        add_buffers(plan, product, options);
        plan.launches.push_back(
            {.entry = fmt::format("matmul_object_{}{}", knobs.word("types"), product.nz ? "_nz" : ""),
             .blocks = static_cast<std::uint32_t>(t.usedCoreNum),
             .cores = ascendsim::CoreUse::aic,
             .arguments = {host::Argument::address("a"),
                           host::Argument::address("b"),
                           host::Argument::address("bias"),
                           host::Argument::address("scales"),
                           host::Argument::address("c"),
                           host::Argument::of(options)},
             .label = "matmul_object",
             .kernel = {}});
        plan.work.cube_flops = 2.0 * product.m * product.n * product.k;
        plan.work.cube_type = product.in;
        plan.work.gm_bytes = host::least_traffic(plan.buffers);
        add_reference(plan, product, options);
        return plan;
    }

private:
    static constexpr float scale = 0.0078125F;  // exact in the 19 bits that are kept

    /// What knobs that were left open became.
    [[nodiscard]] static std::map<std::string, std::uint64_t> chosen(const TCubeTiling& t) {
        const auto value = [](std::int32_t extent) { return static_cast<std::uint64_t>(extent); };
        return {{"single_m", value(t.singleCoreM)},
                {"single_n", value(t.singleCoreN)},
                {"base_m", value(t.baseM)},
                {"base_n", value(t.baseN)},
                {"base_k", value(t.baseK)},
                {"step_ka", value(t.stepKa)},
                {"step_kb", value(t.stepKb)},
                {"depth_a", value(t.depthA1)},
                {"depth_b", value(t.depthB1)}};
    }

    [[nodiscard]] static Options options_of(const host::Knobs& knobs,
                                            const ascendsim::ChipSpec& chip,
                                            const Product& product) {
        Options options{};
        options.transpose_a = knobs.flag("transpose_a") ? 1 : 0;
        options.transpose_b = knobs.flag("transpose_b") ? 1 : 0;
        options.mdl = knobs.word("template") == "mdl" ? 1 : 0;
        options.iterate = knobs.word("call") == "iterate" ? 1 : 0;
        options.tiling = tiling_of(knobs, chip, product);
        if (product.out == DataType::half && product.in == DataType::int8) {
            options.quantise = knobs.word("quantise") == "vector" ? quantise_vector : quantise_scalar;
            options.scale = std::bit_cast<std::uint32_t>(scale);
        }
        return options;
    }

    [[nodiscard]] static Product product_of(const host::Knobs& knobs) {
        const std::string& types = knobs.word("types");
        Product product{.m = static_cast<std::int32_t>(knobs.integer("m")),
                        .n = static_cast<std::int32_t>(knobs.integer("n")),
                        .k = static_cast<std::int32_t>(knobs.integer("k")),
                        .nz = knobs.word("layout") == "nz",
                        .bias = knobs.flag("bias")};
        product.in = types.starts_with("int8")       ? DataType::int8
                     : types.starts_with("float")    ? DataType::float32
                     : types.starts_with("bfloat16") ? DataType::bfloat16
                                                     : DataType::half;
        product.out = types.ends_with("_int32")      ? DataType::int32
                      : types.ends_with("_half")     ? DataType::half
                      : types.ends_with("_bfloat16") ? DataType::bfloat16
                                                     : DataType::float32;
        if (product.nz &&
            (types != "half_float" || product.m % 16 != 0 || product.n % 16 != 0 || product.k % 16 != 0)) {
            throw knobs.error("layout", "nz takes half_float, and sizes that are multiples of 16");
        }
        return product;
    }

    // Older cubes multiply half and int8 only, and have neither a bias table nor a Fixpipe that scales.
    static void check_coupled(const host::Knobs& knobs,
                              const ascendsim::ChipSpec& chip,
                              const Product& product) {
        if (product.in != DataType::half && product.in != DataType::int8) {
            throw knobs.error("types", fmt::format("the cube of {} takes half and int8", chip.name));
        }
        if (product.in == DataType::int8 && product.out == DataType::half) {
            throw knobs.error("types", fmt::format("{} has no Fixpipe to scale with", chip.name));
        }
        if (product.bias && chip.buffers.bias_table == 0) {
            throw knobs.error(
                "bias",
                fmt::format("{} has no bias table, chips of split cores have; here it must be false",
                            chip.name));
        }
    }

    [[nodiscard]] static TCubeTiling tiling_of(const host::Knobs& knobs,
                                               const ascendsim::ChipSpec& chip,
                                               const Product& product) {
        using matmul_tiling::CubeFormat;
        using matmul_tiling::TPosition;
        const CubeFormat format = product.nz ? CubeFormat::NZ : CubeFormat::ND;
        matmul_tiling::MultiCoreMatmulTiling choice{platform_of(chip)};
        const std::uint32_t blocks = knobs.count("blocks");
        choice.SetDim(static_cast<std::int32_t>(blocks == 0 ? chip.cores.aic : blocks));
        choice.SetAType(TPosition::GM, CubeFormat::ND, tiling_type(product.in), knobs.flag("transpose_a"));
        choice.SetBType(TPosition::GM, format, tiling_type(product.in), knobs.flag("transpose_b"));
        choice.SetCType(TPosition::GM, format, tiling_type(product.out));
        choice.SetShape(product.m, product.n, product.k);
        choice.SetOrgShape(product.m, product.n, product.k);
        choice.EnableBias(product.bias);
        const auto open = [&](const char* knob) {
            return knobs.integer(knob) == 0 ? -1 : static_cast<std::int32_t>(knobs.integer(knob));
        };
        choice.SetFixSplit(open("base_m"), open("base_n"), open("base_k"));
        if (knobs.integer("single_m") != 0 || knobs.integer("single_n") != 0) {
            choice.SetSingleShape(open("single_m"), open("single_n"));
        }
        if (knobs.word("order") == "n") {
            choice.SetTraverse(matmul_tiling::MatrixTraverse::FIRSTN);
        }
        TCubeTiling tiling;
        if (choice.GetTiling(tiling) != 0) {
            throw knobs.error("base_m",
                              fmt::format("no base block like this fits {}; 0 leaves it open", chip.name));
        }
        adjust(knobs, tiling);
        return tiling;
    }

    static void adjust(const host::Knobs& knobs, TCubeTiling& tiling) {
        const auto set = [&](const char* knob, std::int32_t& value) {
            if (knobs.integer(knob) != 0) {
                value = static_cast<std::int32_t>(knobs.integer(knob));
            }
        };
        const std::int32_t before_a = tiling.stepKa;
        const std::int32_t before_b = tiling.stepKb;
        const std::int32_t twice_a = tiling.depthA1 / before_a;
        const std::int32_t twice_b = tiling.depthB1 / before_b;
        set("step_ka", tiling.stepKa);
        set("step_kb", tiling.stepKb);
        set("step_m", tiling.stepM);
        set("step_n", tiling.stepN);
        tiling.depthA1 = tiling.stepKa * tiling.stepM * twice_a;
        tiling.depthB1 = tiling.stepKb * tiling.stepN * twice_b;
        set("depth_a", tiling.depthA1);
        set("depth_b", tiling.depthB1);
        const auto l0 = static_cast<std::int32_t>(knobs.integer("l0_buffers"));
        tiling.dbL0A = std::min(tiling.dbL0A, l0);
        tiling.dbL0B = std::min(tiling.dbL0B, l0);
        tiling.dbL0C = std::min(tiling.dbL0C, static_cast<std::int32_t>(knobs.integer("l0c_buffers")));
    }

    static void add_buffers(host::Plan& plan, const Product& product, const Options& options) {
        const auto extent = [](std::int32_t value) { return static_cast<std::uint64_t>(value); };
        const auto shape = [&](std::int32_t rows, std::int32_t columns, bool transpose) {
            return transpose ? host::Shape{extent(columns), extent(rows)}
                             : host::Shape{extent(rows), extent(columns)};
        };
        const bool integer = product.in == DataType::int8;
        const host::Fill fill = integer ? host::Fill{host::fill::Integers{.low = -128, .high = 127}}
                                        : host::Fill{host::fill::Uniform{}};
        const DataType bias = integer ? DataType::int32
                              : product.in == DataType::half && product.out == DataType::half
                                  ? DataType::half
                                  : DataType::float32;
        const host::Fill bias_fill = integer
                                         ? host::Fill{host::fill::Integers{.low = -100000, .high = 100000}}
                                         : host::Fill{host::fill::Uniform{-4, 4}};
        std::vector<std::byte> scales(extent(product.n) * sizeof(std::uint64_t));
        for (std::int32_t n = 0; n < product.n; ++n) {
            const std::uint64_t packed = std::bit_cast<std::uint32_t>(column_scale(n));
            std::memcpy(&scales[extent(n) * sizeof packed], &packed, sizeof packed);
        }
        host::Buffer vector = host::Buffer::input("scales", DataType::uint64, {extent(product.n)});
        vector.fill = host::fill::Content{std::move(scales)};
        plan.buffers = {
            host::Buffer::input("a", product.in, shape(product.m, product.k, options.transpose_a != 0), fill),
            host::Buffer::input("b", product.in, shape(product.k, product.n, options.transpose_b != 0), fill),
            host::Buffer::input("bias", bias, {extent(product.n)}, bias_fill),
            std::move(vector),
            host::Buffer::output("c", product.out, {extent(product.m), extent(product.n)})};
    }

    [[nodiscard]] static float column_scale(std::int32_t n) { return scale * static_cast<float>(1 + n % 3); }

    // Place of element (row, column) of a matrix of columns of 16 x 16 blocks, `rows` rows high.
    [[nodiscard]] static std::size_t nz_place(std::size_t row, std::size_t column, std::size_t rows) {
        return column / 16 * rows * 16 + row * 16 + column % 16;
    }

    // B as a plain row-major matrix.
    [[nodiscard]] static std::vector<float> plain_b(const std::vector<float>& b,
                                                    const Product& p,
                                                    bool transpose) {
        if (!p.nz) {
            return b;
        }
        const auto rows = static_cast<std::size_t>(transpose ? p.n : p.k);
        const auto columns = static_cast<std::size_t>(transpose ? p.k : p.n);
        std::vector<float> plain(b.size());
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t column = 0; column < columns; ++column) {
                plain[row * columns + column] = b[nz_place(row, column, rows)];
            }
        }
        return plain;
    }

    // The error of k sums as in matmul_host.hpp: ten deviations, and one step of the output's type.
    static void add_reference(host::Plan& plan, const Product& product, const Options& options) {
        const bool exact = product.out == DataType::int32;
        const double absolute = product.in == DataType::int8 ? 0.0 : 10.0 * 0x1p-24 * product.k / 3;
        plan.tolerances.push_back(
            {.output = "c", .absolute = absolute, .relative = exact ? 0.0 : 0x1p-20, .ulp = exact ? 0U : 1U});
        plan.reference = [product, options](host::ReferenceData& data) {
            const std::vector<float> b = plain_b(data.floats("b"), product, options.transpose_b != 0);
            const std::vector<double> c = host::multiply({.a = data.floats("a"),
                                                          .b = b,
                                                          .m = static_cast<std::uint64_t>(product.m),
                                                          .n = static_cast<std::uint64_t>(product.n),
                                                          .k = static_cast<std::uint64_t>(product.k),
                                                          .transpose_a = options.transpose_a != 0,
                                                          .transpose_b = options.transpose_b != 0});
            const std::vector<float>& bias = data.floats("bias");
            std::vector<double>& expected = data.expected("c");
            const auto columns = static_cast<std::size_t>(product.n);
            for (std::size_t i = 0; i < c.size(); ++i) {
                const std::size_t row = i / columns;
                const std::size_t column = i % columns;
                double value = c[i] + (product.bias ? static_cast<double>(bias[column]) : 0.0);
                value *= options.quantise == quantise_none ? 1.0
                         : options.quantise == quantise_scalar
                             ? static_cast<double>(scale)
                             : static_cast<double>(column_scale(static_cast<std::int32_t>(column)));
                expected[product.nz ? nz_place(row, column, static_cast<std::size_t>(product.m)) : i] = value;
            }
        };
    }
};

}  // namespace matmul_object
