// SPDX-License-Identifier: Apache-2.0
// Kernels with published sources that are no operator of a library: running sums on the cube
// (pytorch-tcuscan), latent vectors to the numbers of a codebook (turbo_quant_compress_latent of ops-nn).
#include "app/validation/rows/operator_rows.hpp"
#include "app/validation/rows/row_words.hpp"

namespace ascendsim::validation {
namespace {

/// Rows of a vector instruction: as many as fit, unless the row says "1 token per".
Adapted codebook_case(const Row& row, const Context& context) {
    const Extents* const shape = row.shape.tensor(0);
    if (shape == nullptr) {
        return WhyNot{"the shape is not stated"};
    }
    Case result;
    KernelRun run{.kernel = "codebook_quant", .warm_l2 = context.source.warm_l2()};
    run.knob("shape", *shape);
    run.knob("batch", number_in(row.measurement->kernel, "([0-9]+) *tokens? per").value_or(0));
    result.runs.push_back(std::move(run));
    return result;
}

/// "MCScan s=128", "row_scan s=64 (up-sweep only)".
Adapted scan_case(const Row& row, const Context& context) {
    const std::optional<Extents> shape = first_shape(row);
    if (!shape) {
        return WhyNot{"the row states no shape"};
    }
    const bool rows = row.kernel_has({"row scan", "rowscan"});
    Case result;
    KernelRun run{.kernel = "long_scan", .warm_l2 = context.source.warm_l2()};
    const std::uint64_t length = product(*shape, 0, shape->size());
    run.knob("length", length).knob("dtype", first_type(row)).knob("schedule", rows ? "rows" : "full");
    run.knob("side", number_in(row.measurement->kernel, "\\bs *= *([0-9]+)").value_or(128));
    if (row.kernel_has({"no l2", "without l2"})) {
        run.knob("part", length);
    }
    if (row.cores.aic && *row.cores.aic > 0) {
        run.knob("blocks", *row.cores.aic);
    }
    result.runs.push_back(std::move(run));
    return result;
}

}  // namespace

bool is_published(const Row& row) {
    return row.kernel_has(
        {"turboquant", "turbo quant", "codebook", "mcscan", "mc scan", "row scan", "rowscan"});
}

std::optional<Adapted> published_case(const Row& row, const Context& context) {
    if (!is_published(row)) {
        return std::nullopt;
    }
    return row.kernel_has({"scan"}) ? scan_case(row, context) : codebook_case(row, context);
}

}  // namespace ascendsim::validation
