// SPDX-License-Identifier: Apache-2.0
#include "app/networks/data_decided.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "app/networks/elements_file.hpp"
#include "networks/run/control_flow.hpp"
#include "networks/run/wide_ranges.hpp"
#include "runtime/session/isolated.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::report {
namespace {

namespace fs = std::filesystem;
using networks::Elements;
using networks::TensorNames;
using nlohmann::ordered_json;

/// Computes a part of a network in a process of its own, and puts what others read into a file.
ordered_json compute_part(const networks::NetworkPlan& part,
                          const networks::Graph& graph,
                          const TensorNames& kept,
                          const networks::Lowering& lowering,
                          const toolchain::Installation& installation,
                          const fs::path& from,
                          const fs::path& to) {
    const runtime::IsolatedResult result = runtime::run_isolated([&] {
        dup2(STDERR_FILENO, STDOUT_FILENO);
        Elements elements = lowering.given;
        add_constants(graph, elements);
        Elements before = from.empty() ? Elements{} : read_elements(from);
        elements.insert(before.begin(), before.end());
        networks::Numbers numbers =
            computed(part, std::move(elements), {kept.begin(), kept.end()}, lowering.chip, installation);
        numbers.outputs.merge(before);
        write_elements(to, numbers.outputs);
        return numerics_of(numbers);
    });
    if (!result.error.empty()) {
        throw UserError{"{}", result.error};
    }
    return result.value;
}

double larger(const ordered_json& a, const ordered_json& b) {
    const auto number = [](const ordered_json& value) {
        return value.is_number() ? value.get<double>() : INFINITY;
    };
    return std::max(number(a), number(b));
}

}  // namespace

void add_numerics(ordered_json& numerics, const ordered_json& other) {
    for (const char* count : {"checked", "failures"}) {
        numerics[count] = numerics[count].get<std::uint64_t>() + other[count].get<std::uint64_t>();
    }
    for (const char* error : {"max_abs_error", "max_rel_error"}) {
        const double most = larger(numerics[error], other[error]);
        numerics[error] = std::isfinite(most) ? ordered_json(most) : ordered_json("inf");
    }
    numerics["passed"] = numerics["passed"] == true && other["passed"] == true;
    if (numerics["first_failure"] == "" || other["first_failure"] != "") {
        numerics["first_failure"] = other["first_failure"];
    }
    ordered_json operators = other["operators"];
    operators.insert(operators.end(), numerics["operators"].begin(), numerics["operators"].end());
    numerics["operators"] = std::move(operators);
}

DecidedNetwork decide_network(const networks::Graph& graph,
                              const std::map<std::string, host::Shape, std::less<>>& shapes,
                              const networks::Lowering& lowering,
                              const toolchain::Installation& installation,
                              bool data) {
    constexpr int most_parts = 1000;
    networks::Lowering own = lowering;
    DecidedNetwork decided;
    for (int i = 0; i < most_parts; ++i) {
        decided.graph =
            networks::with_wide_ranges(networks::with_known_control_flow(graph, shapes, own), shapes, own);
        decided.plan = networks::plan_network(decided.graph, shapes, own);
        const TensorNames wanted = networks::awaited(decided.plan, own);
        if (wanted.empty() || !data) {
            return decided;
        }
        if (decided.folder == nullptr) {
            decided.folder = std::make_shared<const process::TemporaryFolder>();
        }
        const networks::NetworkPlan part = networks::part_of(decided.plan, wanted, decided.before.names);
        TensorNames kept = networks::read_outside(decided.graph, part);
        kept.insert(wanted.begin(), wanted.end());
        const fs::path file = decided.folder->path() / fmt::format("part{}", i);
        const ordered_json numerics =
            compute_part(part, decided.graph, kept, own, installation, decided.before.file, file);
        if (decided.before.numerics.is_null()) {
            decided.before.numerics = numerics;
        } else {
            ordered_json sum = numerics;
            add_numerics(sum, decided.before.numerics);
            decided.before.numerics = std::move(sum);
        }
        decided.before.file = file;
        decided.before.names.insert(kept.begin(), kept.end());
        Elements made = read_elements(file);
        for (const std::string& name : wanted) {
            own.given[name] = made.at(name);
            decided.decisive[name] = own.given[name];
        }
    }
    throw UserError{"data decides more than {} times what the network does next", most_parts};
}

}  // namespace ascendsim::report
