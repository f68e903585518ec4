// SPDX-License-Identifier: Apache-2.0
#include "app/validation/serving/step_runs.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/serving/engine.hpp"
#include "models/spec/chip_file.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::validation {
namespace {

using networks::llm::StepCosts;
using networks::llm::StepShape;
using serving::ServeConfig;

/// A load on its way to its figures.
struct ServedText {
    explicit ServedText(ServeConfig of)
        : config{std::move(of)},
          costs{config.deployment(), config.program(), config.host},
          run{config, costs} {}

    ServeConfig config;
    StepCosts costs;
    serving::LoadRun run;
    std::optional<serving::ServeFigures> figures = {};
    std::string problem = {};         // why there will be none
    std::exception_ptr failure = {};  // what no row is to blame for

    void serve() {
        try {
            if (problem.empty() && run.serve()) {
                figures = figures_of(run.load());
            }
        } catch (const UserError& error) {
            problem = error.what();
        } catch (...) {  // in a thread it would end the process
            failure = std::current_exception();
        }
    }
};

/// Serves each once, so many at a time. Throws what one of them ended with that is not the user's error.
void serve_beside(const std::vector<ServedText*>& loads, std::size_t jobs) {
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < loads.size(); i = next++) {
            loads[i]->serve();
        }
    };
    {
        std::vector<std::jthread> others;
        for (std::size_t i = 1; i < std::min(jobs, loads.size()); ++i) {
            others.emplace_back(work);
        }
        work();
    }
    for (const ServedText* load : loads) {
        if (load->failure) {
            std::rethrow_exception(load->failure);
        }
    }
}

/// Simulates what these loads want, chip by chip; `simulated` kernels before these.
void simulate_for(const std::vector<ServedText*>& loads,
                  const toolchain::Installation& installation,
                  const networks::TaskOptions& options,
                  std::size_t& simulated) {
    std::map<std::string, std::vector<ServedText*>> of_chip;
    for (ServedText* load : loads) {
        of_chip[to_json(load->config.chip).dump()].push_back(load);
    }
    for (const auto& [chip, its] : of_chip) {
        std::vector<networks::Task> tasks;
        std::vector<std::size_t> ends;
        for (const ServedText* load : its) {
            for (networks::Task& task : load->run.tasks()) {
                tasks.push_back(std::move(task));
            }
            ends.push_back(tasks.size());
        }
        networks::TaskOptions with = options;
        std::size_t here = 0;
        if (options.progress) {
            with.progress = [&](std::size_t done, std::size_t all) {
                here = all;
                options.progress(simulated + done, simulated + all);
            };
        }
        const std::vector<networks::TaskResult> results =
            run_tasks(tasks, its.front()->config.chip, installation, with);
        simulated += here;
        for (std::size_t i = 0; i < its.size(); ++i) {
            const std::size_t begin = i == 0 ? 0 : ends[i - 1];
            try {
                its[i]->run.take({results.begin() + static_cast<std::ptrdiff_t>(begin),
                                  results.begin() + static_cast<std::ptrdiff_t>(ends[i])});
            } catch (const UserError& error) {
                its[i]->problem = error.what();
            }
        }
    }
}

/// The time of each operator of a step once, all simulated.
std::vector<double> simulated_us(StepCosts& costs,
                                 const StepShape& shape,
                                 const toolchain::Installation& installation,
                                 const networks::TaskOptions& options) {
    (void)costs.operator_us(shape);
    costs.simulate(installation, options);
    return costs.operator_us(shape);
}

/// True if a row about `kernel` means this operator.
bool is_meant(const networks::llm::StepOperator& one, const StepKernelCase& kernel, std::uint32_t layers) {
    if (kernel.which == StepKernels::named) {
        const bool prompt = one.axis == networks::llm::Axis::prefill;
        const bool decoding = one.axis == networks::llm::Axis::decode;
        return one.name == kernel.op && !(prompt && kernel.keys > 0) && !(decoding && kernel.keys <= 0) &&
               one.tokens_of_sequence <= 1;
    }
    return one.axis == networks::llm::Axis::rows && one.times * 2 > layers && one.name != "MatMul gate" &&
           one.name.find("MatMul") != std::string::npos;
}

networks::Task task_of(const networks::llm::StepOperator& one, const StepKernelCase& kernel) {
    switch (one.axis) {
        case networks::llm::Axis::decode:
            return one.task(kernel.sequences, static_cast<std::uint64_t>(kernel.keys));
        case networks::llm::Axis::prefill:
            return one.task(kernel.rows, kernel.rows);
        default:
            return one.task(kernel.rows, 0);
    }
}

/// What takes longest comes first; what takes less than a hundredth is left out.
KernelSum sum_of(const networks::llm::StepProgram& program,
                 const std::vector<double>& sums,
                 const std::vector<double>& counts) {
    KernelSum sum{.us = std::accumulate(sums.begin(), sums.end(), 0.0), .parts = {}};
    std::vector<std::size_t> order(sums.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return sums[i]; });
    constexpr double least_share = 0.01;
    for (const std::size_t i : order) {
        if (sums[i] > least_share * sum.us) {
            sum.parts.push_back(fmt::format("{}: {:.0f} of {:.1f} us, {:.0f} %",
                                            program.operators[i].name,
                                            counts[i],
                                            sums[i] / counts[i],
                                            100 * sums[i] / sum.us));
        }
    }
    return sum;
}

}  // namespace

std::string kernel_text(const std::string& name, const networks::TaskResult& result) {
    return fmt::format("{}: {:.2f} us, of which {:.2f} launch; {} {:.0f} %",
                       name,
                       result.time_us,
                       result.time_us - result.core_us,
                       result.busiest,
                       100 * result.busy_share);
}

void StepRuns::serve(const std::vector<std::string>& files) {
    std::map<std::string, std::unique_ptr<ServedText>> open;
    for (const std::string& file : files) {
        if (!open.contains(file) && !figures_.contains(file) && !problems_.contains(file)) {
            try {
                open.emplace(
                    file,
                    std::make_unique<ServedText>(serving::parse_serving(file, "row.toml", installation_)));
            } catch (const UserError& error) {
                problems_[file] = error.what();
            }
        }
    }
    std::size_t simulated = 0;
    while (!open.empty()) {
        std::vector<ServedText*> all;
        for (const auto& [file, load] : open) {
            all.push_back(load.get());
        }
        serve_beside(all, options_.jobs);
        for (auto at = open.begin(); at != open.end();) {
            ServedText& load = *at->second;
            if (load.figures) {
                figures_[at->first] = *load.figures;
            } else if (!load.problem.empty()) {
                problems_[at->first] = load.problem;
            }
            at = load.figures || !load.problem.empty() ? open.erase(at) : std::next(at);
        }
        std::erase_if(all, [&](const ServedText* load) {
            return std::ranges::none_of(open, [&](const auto& one) { return one.second.get() == load; });
        });
        simulate_for(all, installation_, options_, simulated);
    }
}

const serving::ServeFigures& StepRuns::figures(const std::string& file) {
    serve({file});
    const auto problem = problems_.find(file);
    if (problem != problems_.end()) {
        throw UserError{"{}", problem->second};
    }
    return figures_.at(file);
}

ServeConfig StepRuns::config_of(const std::string& file) const {
    ServeConfig config = serving::parse_serving(file, "row.toml", installation_);
    config.chip.launch.per_core_us += first_task_us_;
    return config;
}

KernelSum StepRuns::kernel_us(const StepKernelCase& kernel) {
    const ServeConfig config = config_of(kernel.file);
    const networks::llm::Deployment deployment = config.deployment();
    std::vector<std::string> names;
    std::vector<networks::Task> tasks;
    for (const networks::llm::StepOperator& one : config.program().operators) {
        if (is_meant(one, kernel, config.model.layers)) {
            names.push_back(one.name);
            tasks.push_back(task_of(one, kernel));
        }
    }
    if (tasks.empty()) {
        throw UserError{"a step of this system has no {}", kernel.op};
    }
    if (kernel.which == StepKernels::named) {
        tasks.resize(1);
    }
    const std::vector<networks::TaskResult> results =
        run_tasks(tasks, deployment.chip, installation_, options_);
    std::vector<std::size_t> order(results.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return results[i].time_us; });
    if (kernel.which == StepKernels::shortest_product) {
        order.resize(1);
    } else if (kernel.which == StepKernels::other_products && order.size() > 1) {
        order.erase(order.begin());
    }
    KernelSum mean;
    for (const std::size_t i : order) {
        if (!results[i].error.empty()) {
            throw UserError{"{}: {}", names[i], results[i].error};
        }
        mean.us += results[i].time_us / static_cast<double>(order.size());
        mean.parts.push_back(kernel_text(names[i], results[i]));
    }
    return mean;
}

void StepRuns::of_rows(std::vector<double>& us,
                       StepCosts& costs,
                       std::uint64_t rows,
                       const std::string& name) const {
    const StepShape filled{.decoding = rows, .keys = 1, .results = 1};
    const std::vector<double> all = simulated_us(costs, filled, installation_, options_);
    for (std::size_t i = 0; i < costs.program().operators.size(); ++i) {
        const networks::llm::StepOperator& one = costs.program().operators[i];
        const bool meant = one.axis == networks::llm::Axis::rows && (name.empty() || one.name == name);
        us[i] = meant ? all[i] : us[i];
    }
}

void StepRuns::of_batch(std::vector<double>& us,
                        const networks::llm::StepProgram& program,
                        const ChipSpec& chip,
                        const WindowPass& pass) const {
    for (std::size_t i = 0; i < program.operators.size(); ++i) {
        const networks::llm::StepOperator& one = program.operators[i];
        if (one.axis != networks::llm::Axis::decode || one.tokens_of_sequence > 1) {
            continue;
        }
        networks::Task task = one.task(pass.batch, static_cast<std::uint64_t>(pass.keys));
        for (auto& [name, value] : task.knobs) {
            if (name == "batch") {
                value = static_cast<std::int64_t>(pass.decoding);
            }
        }
        const networks::TaskResult result = run_tasks({task}, chip, installation_, options_).front();
        if (!result.error.empty()) {
            throw UserError{"{}: {}", one.name, result.error};
        }
        us[i] = result.time_us;
    }
}

KernelSum StepRuns::passes_us(const std::string& file,
                              const std::vector<WindowPass>& passes,
                              bool one_layer,
                              const std::vector<std::string>& names) {
    const ServeConfig config = config_of(file);
    const networks::llm::Deployment deployment = config.deployment();
    StepCosts costs{deployment, config.program(), config.host};
    const std::size_t kernels = costs.program().operators.size();
    std::vector<double> sums(kernels, 0);
    std::vector<double> counts(kernels, 0);
    for (const WindowPass& pass : passes) {
        StepShape shape{.decoding = pass.decoding, .keys = pass.keys, .results = pass.results};
        if (pass.tokens != 0) {
            shape.prompts.assign(pass.prompts, {.tokens = pass.tokens, .past = pass.past});
        }
        std::vector<double> us = simulated_us(costs, shape, installation_, options_);
        if (pass.rows > pass.decoding) {
            of_rows(us, costs, pass.rows);
        }
        if (pass.batch > pass.decoding) {
            of_batch(us, costs.program(), deployment.chip, pass);
        }
        if (pass.norm_rows != 0) {
            of_rows(us, costs, pass.norm_rows, "AddRmsNorm");
        }
        const std::vector<double> times = costs.operator_times(shape);
        for (std::size_t i = 0; i < kernels; ++i) {
            const networks::llm::StepOperator& one = costs.program().operators[i];
            const bool counts_once = names.empty() ? one.times == config.model.layers
                                                   : std::ranges::find(names, one.name) != names.end();
            const double runs = !one_layer ? times[i] : counts_once ? 1.0 : 0.0;
            sums[i] += us[i] * runs * pass.count;
            counts[i] += us[i] > 0 ? runs * pass.count : 0;
        }
    }
    return sum_of(costs.program(), sums, counts);
}

}  // namespace ascendsim::validation
