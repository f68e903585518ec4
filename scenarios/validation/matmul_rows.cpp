// SPDX-License-Identifier: Apache-2.0
#include "scenarios/validation/matmul_rows.hpp"

#include <algorithm>
#include <regex>

namespace ascendsim::validation {
namespace {

std::optional<Product> of_tensors(const Row& row) {
    const Extents* const a = row.shape.tensor(0);
    const Extents* const b = row.shape.tensor(1);
    if (a == nullptr || a->size() < 2) {
        return std::nullopt;
    }
    Product product;
    for (std::size_t i = 0; i + 2 < a->size(); ++i) {
        product.batch *= (*a)[i];
    }
    const std::uint64_t rows = (*a)[a->size() - 2];
    const std::uint64_t columns = a->back();
    if (b == nullptr || b->size() < 2) {  // a matrix and a vector
        product.m = 1;
        product.n = rows;
        product.k = columns;
        product.transpose_b = true;
        return product;
    }
    const std::uint64_t first = (*b)[b->size() - 2];
    const std::uint64_t last = b->back();
    product.transpose_a = row.kernel_has({"a transposed", "transpose a", "a t b"});
    product.m = product.transpose_a ? columns : rows;
    product.k = product.transpose_a ? rows : columns;
    const bool says = row.kernel_has({"b transposed", "transpose b"}) || row.flag("transpose_weight").value_or(false) ||
                      row.flag("transpose_b").value_or(false);
    product.transpose_b = last == product.k && (says || first != product.k);
    product.n = product.transpose_b ? first : last;
    if ((product.transpose_b ? last : first) != product.k) {
        return std::nullopt;
    }
    if (b->size() == 2 && product.batch > 1) {  // one right side for all
        product.m *= product.batch;
        product.batch = 1;
    }
    return product;
}

/// Three numbers behind a word, as in "base 128x256x64", "base 128/256/64", "tile 32x320x128".
std::optional<std::array<std::uint32_t, 3>> tile_behind(const std::string& text, const char* word) {
    std::smatch match;
    const std::regex pattern{std::string{word} + "\\D{0,4}(\\d+)\\s*[x/*,]\\s*(\\d+)\\s*[x/*,]\\s*(\\d+)"};
    if (!std::regex_search(text, match, pattern)) {
        return std::nullopt;
    }
    const auto number = [&](std::size_t i) { return static_cast<std::uint32_t>(std::stoul(match[i].str())); };
    return std::array{number(1), number(2), number(3)};
}

std::optional<isa::DataType> usable(const Row& row) {
    if (row.types.inputs.empty()) {
        return std::nullopt;
    }
    const isa::DataType type = row.types.inputs.front();
    const bool able = type == isa::DataType::half || type == isa::DataType::bfloat16 ||
                      type == isa::DataType::float32 || type == isa::DataType::int8;
    return able ? std::optional{type} : std::nullopt;
}

void add_schedule(KernelRun& run, const Row& row, const Context& context) {
    const std::string text = row.measurement->kernel + " " + row.notes;
    if (const auto base = tile_behind(lower(text), "base")) {
        const bool depth_second = row.measurement->source.find("pto") != std::string::npos;  // m / k / n
        run.knob("base_m", (*base)[0]);
        run.knob("base_n", (*base)[depth_second ? 2 : 1]);
        run.knob("base_k", (*base)[depth_second ? 1 : 2]);
    }
    const std::uint32_t most = context.chip.cores.aic;
    if (const auto cores = row.cores.aic ? row.cores.aic : row.cores.count; cores && *cores > 0 && *cores < most) {
        run.knob("blocks", *cores);
    }
}

}  // namespace

std::optional<Product> product_of(const Row& row) {
    const auto m = row.shape.get("m");
    const auto n = row.shape.get("n");
    const auto k = row.shape.get("k");
    std::optional<Product> product;
    if (m && n && k) {
        product = Product{.batch = row.shape.get("b").value_or(1), .m = *m, .n = *n, .k = *k};
        product->transpose_a = row.kernel_has({"a transposed", "matmul at"});
        product->transpose_b = row.kernel_has({"b transposed", "matmul bt"}) || row.notes_have("b col");
        if (row.measurement->kernel.find("A^T") != std::string::npos) {
            product->transpose_a = true;
        }
        if (row.measurement->kernel.find("B^T") != std::string::npos) {
            product->transpose_b = true;
        }
    } else {
        product = of_tensors(row);
    }
    if (product) {
        product->type = usable(row).value_or(isa::DataType::half);
        product->out = row.types.output;
    }
    return product;
}

Adapted matmul_case(const Row& row, const Context& context) {
    const std::optional<Product> product = product_of(row);
    if (!product) {
        return WhyNot{"the shape does not say m, n and k"};
    }
    if (!usable(row)) {
        return WhyNot{"no element type of the cube is stated"};
    }
    if (!context.chip.cores.split) {
        return WhyNot{"the product kernel writes through Fixpipe, which this chip lacks"};
    }
    if (product->batch > 1) {
        return WhyNot{"batched products have no kernel yet"};
    }
    Case result;
    KernelRun run{.kernel = "matmul", .warm_l2 = context.source.warm_l2};
    run.knob("m", product->m).knob("n", product->n).knob("k", product->k);
    run.knob("dtype", product->type).knob("transpose_a", product->transpose_a).knob("transpose_b", product->transpose_b);
    if (product->out) {
        run.knob("out_dtype", *product->out);
    }
    add_schedule(run, row, context);
    result.runs.push_back(std::move(run));
    result.amount = product->flops();
    return result;
}

}  // namespace ascendsim::validation
