// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/serving/serve_config.hpp"
#include "app/validation/family.hpp"
#include "app/validation/serving/model_names.hpp"
#include "app/validation/serving/nightly_runs.hpp"
#include "app/validation/serving/row_drafts.hpp"
#include "app/validation/serving/source_statement.hpp"
#include "app/validation/system/system_row.hpp"

namespace ascendsim::validation {

/// What is known of served systems beside the rows: names of models, commands of nightly runs, ways to draft,
/// what sources say elsewhere.
struct ServingData {
    ModelNames names;
    std::vector<NightlyRun> nightly;
    std::vector<DraftMethod> drafts;
    std::vector<SourceStatement> statements;
};

/// Reads it below scenarios. Throws UserError for what is wrong in it.
[[nodiscard]] ServingData read_serving_data(const toolchain::Installation& installation);

/// The figure of a served load that a row states.
enum class ServedMetric : std::uint8_t { ttft, tpot, e2e, tokens_per_s, requests_per_s };

/// A row of serving, as a file of `ascendsim serve` and what of its figures is meant.
struct ServedCase {
    std::string file;  // TOML, the same for rows of one run
    ServedMetric metric = ServedMetric::tpot;
    double percentile = 0;  // 0: the mean
    double devices = 1;     // that a throughput is divided by
    double batch =
        0;  // sequences of a static batch, whose throughput is these by the time of a token; 0: none
    std::string assumed;  // what the row does not state, and was taken
};

/// How a system is laid out, as far as a row tells: the [serve] and [layout] tables of a file.
struct ServedSystem {
    std::string tables;
    std::string scheduler;     // keys of [scheduler]
    bool prefix_cache = true;  // what prompts share is computed once
    bool drafts = false;       // tokens
    std::string assumed;

    /// A file with a load of one request, for rows about steps alone.
    [[nodiscard]] std::string for_one_request() const {
        return tables + "[requests]\ncount = 1\nprompt = 1\noutput = 1\n";
    }
};

/// What is taken where a row does not say over how many devices each layer goes.
enum class UnstatedLayout : std::uint8_t { refused, all_devices_if_dense };

/// The system of a row: model, weights, machine, layout, mode. Of what is not known here (a model, a
/// quantisation, a way to speculate), says why not.
[[nodiscard]] std::variant<ServedSystem, WhyNot> system_of(const SystemRow& row,
                                                           const toolchain::Installation& installation,
                                                           const ServingData& data,
                                                           UnstatedLayout unstated = UnstatedLayout::refused);

/// A row of categories serving, serving_nightly and e2e_latency.
[[nodiscard]] std::variant<ServedCase, WhyNot> served_case(const SystemRow& row,
                                                           const toolchain::Installation& installation,
                                                           const ServingData& data);

/// Which kernels of a step a row means, where it does not name one: means over several, as profilers list
/// kernels by type.
enum class StepKernels : std::uint8_t {
    named,             // the one called `op`
    shortest_product,  // of the products by weights of a layer
    other_products,    // all but that one
    products,          // all products by weights of a layer
};

/// A kernel of a step, of category kernel_mean.
struct StepKernelCase {
    std::string file;  // the system, with a load of one request
    StepKernels which = StepKernels::named;
    std::string op;  // StepOperator::name
    std::uint64_t rows = 0;
    std::uint64_t sequences = 0;  // whose attention is computed together, as a rule `rows`
    double keys = 0;              // of a decoding step; 0: a prompt
    std::string assumed;          // what the row does not state, and was taken
};

/// The kernel of a step that a row is about. Sizes are those of the row, or of what its source says elsewhere
/// (statements.toml).
[[nodiscard]] std::variant<StepKernelCase, WhyNot> step_kernel_case(
    const SystemRow& row, const toolchain::Installation& installation, const ServingData& data);

}  // namespace ascendsim::validation
