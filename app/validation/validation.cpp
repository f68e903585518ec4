// SPDX-License-Identifier: Apache-2.0
#include "app/validation/validation.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/validation/calibrated_rows.hpp"
#include "app/validation/library_rows.hpp"
#include "app/validation/metric.hpp"
#include "app/validation/repeats.hpp"
#include "app/validation/simulation.hpp"
#include "models/spec/chip_file.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::validation {
namespace {

constexpr unsigned simulation_limit_s = 60;

/// A row on its way: what it became, and the simulations its time is made of.
struct Planned {
    JudgedRow row;
    std::optional<Case> measured_case;
    std::vector<std::size_t> simulations;
    std::optional<std::size_t> published;  // the simulation of a library's operator
    double clock_ghz = 1;
};

class Validator {
public:
    Validator(const ValidationOptions& options, const toolchain::Installation& installation)
        : options_{options},
          installation_{installation},
          catalogue_{installation.measurements()},
          calibrated_{installation.chips(), installation.measurements()},
          families_{make_families()},
          known_chips_{list_chips(installation.chips())} {
        check_options();
        if (!options.library.empty()) {
            library_.emplace(options.library, installation);
        }
    }

    Validation run() {
        const std::filesystem::path file =
            options_.data.empty() ? installation_.measurements() / "measurements.csv" : options_.data;
        return run(read_measurements(file), file.string());
    }

    Validation run(std::vector<Measurement> measurements, const std::string& data) {
        const auto begin = std::chrono::steady_clock::now();
        measurements_ = std::move(measurements);
        for (const Measurement& measurement : measurements_) {
            if (!measurement.is_breakdown()) {
                plan(measurement);
            }
        }
        const std::vector<Simulated> simulated =
            set_.run(installation_, options_.jobs, simulation_limit_s, weights(), options_.progress);
        Validation result{.data = data};
        for (Planned& planned : rows_) {
            compare(planned, simulated);
            compare_published(planned, simulated);
            compare_pipes(planned, simulated, result.pipes);
            result.rows.push_back(std::move(planned.row));
        }
        add_standard_errors(result);
        result.simulations = set_.size();
        result.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        return result;
    }

private:
    void check_options() const {
        std::vector<std::string> names;
        for (const NamedFamily& family : families_) {
            names.push_back(family.name);
        }
        for (const std::string& family : options_.families) {
            if (std::ranges::find(names, family) == names.end()) {
                throw UserError{"validate: no family '{}'{} (known: {})",
                                family,
                                nearest_hint(family, names),
                                fmt::join(names, ", ")};
            }
        }
        for (const std::string& chip : options_.chips) {
            if (std::ranges::find(known_chips_, chip) == known_chips_.end()) {
                throw UserError{"validate: no chip '{}'{} (known: {})",
                                chip,
                                nearest_hint(chip, known_chips_),
                                fmt::join(known_chips_, ", ")};
            }
        }
    }

    /// The family of a row: by its id, else the first that knows its kernel.
    [[nodiscard]] const NamedFamily* family_of(const Row& row) const {
        const std::string wanted = row.measurement->family();
        for (const NamedFamily& family : families_) {
            if (family.name == wanted) {
                return &family;
            }
        }
        for (const NamedFamily& family : families_) {
            if (family.family->recognises(row)) {
                return &family;
            }
        }
        return nullptr;
    }

    [[nodiscard]] bool wanted(const JudgedRow& row) const {
        const auto among = [](const std::vector<std::string>& list, const std::string& word) {
            return std::ranges::find(list, word) != list.end();
        };
        if (!options_.families.empty() && !among(options_.families, row.family)) {
            return false;
        }
        static const std::vector<std::string> judged_chips{"910b1", "910b2", "910b3", "910b4"};
        static const std::vector<std::string> judged_reliabilities{"high"};
        const std::vector<std::string>& chips = options_.chips.empty() ? judged_chips : options_.chips;
        const std::vector<std::string>& reliabilities =
            options_.reliabilities.empty() ? judged_reliabilities : options_.reliabilities;
        return (options_.all && options_.chips.empty() ? true : among(chips, row.chip)) &&
               (options_.all && options_.reliabilities.empty()
                    ? true
                    : among(reliabilities, lower(row.measurement.reliability)));
    }

    void plan(const Measurement& measurement) {
        const Row row{measurement};
        Planned planned;
        planned.row.measurement = measurement;
        const NamedFamily* const family = family_of(row);
        planned.row.family = family != nullptr ? family->name : measurement.family();
        const SourceRule& source = catalogue_.source(row);
        planned.row.which = source.which;
        planned.row.calibrated = calibrated_.holds(measurement);
        const std::optional<ChipChoice> chip = catalogue_.chip(row);
        planned.row.chip = chip ? chip->chip : std::string{};
        if (!wanted(planned.row)) {
            return;
        }
        if (!chip) {
            planned.row.why_not = fmt::format("the chip '{}' is not modelled", measurement.chip);
        } else if (family == nullptr) {
            planned.row.why_not = fmt::format("no family knows the kernel '{}'", measurement.kernel);
        } else if (std::string nonsense = nonsense_of(measurement); !nonsense.empty()) {
            planned.row.why_not = std::move(nonsense);
        } else {
            adapt(planned, row, *family, source, *chip);
        }
        rows_.push_back(std::move(planned));
    }

    /// What all runs of a row are set to by its source and clock, which the chip takes over.
    [[nodiscard]] std::vector<scenario::Override> settings(ChipSpec& chip,
                                                           const SourceRule& source,
                                                           const ChipChoice& choice) const {
        std::vector<scenario::Override> set = options_.set;
        if (choice.clock_ghz && std::abs(*choice.clock_ghz - chip.cores.clock_ghz) > 1e-6) {
            chip.cores.clock_ghz = *choice.clock_ghz;
            set.push_back({"chip.cores.clock_ghz", fmt::format("{:.6f}", *choice.clock_ghz)});
        }
        if (source.l2 != runtime::L2State::cold && !source.warm_l2()) {
            set.push_back({"l2.state", fmt::format("\"{}\"", name(source.l2))});
        }
        if (source.code_held) {
            set.push_back({"chip.icache.bytes", "0"});
        }
        if (source.first_task_us > 0) {
            set.push_back({"chip.launch.per_core_us",
                           fmt::format("{:.6f}", chip.launch.per_core_us + source.first_task_us)});
        }
        if (source.own_process) {
            set.push_back({"run.from_idle", "true"});
        }
        return set;
    }

    /// Which simulated time the metric is about, where the row's family leaves that open.
    static void set_quantity(Case& one, const std::string& metric) {
        if (one.quantity != Quantity::task) {
            return;
        }
        if (const std::optional<std::string> pipe = pipe_of(metric)) {
            one.quantity = Quantity::pipe;
            one.pipe = *pipe;
        } else {
            one.quantity = quantity_of(metric).value_or(Quantity::task);
        }
    }

    void adapt(Planned& planned,
               const Row& row,
               const NamedFamily& family,
               const SourceRule& source,
               const ChipChoice& choice) {
        ChipSpec chip = load_chip(choice.chip, installation_.chips());
        const std::vector<scenario::Override> set = settings(chip, source, choice);
        planned.clock_ghz = chip.cores.clock_ghz;
        planned.row.assumed = choice.why;
        if (source.l2 == runtime::L2State::chained) {
            planned.row.assumed +=
                (planned.row.assumed.empty() ? "" : "; ") +
                std::string{"that the first input has just been written, into L2, is a guess"};
        }
        if (!row.shape.assumed.empty()) {
            planned.row.assumed += (planned.row.assumed.empty() ? "" : "; ") + row.shape.assumed;
        }
        plan_published(planned, row, chip, choice.chip, set, source);
        Adapted adapted =
            family.family->adapt(row, {.chip = chip, .source = source, .values = catalogue_.values(row)});
        if (const WhyNot* const why = std::get_if<WhyNot>(&adapted)) {
            planned.row.why_not = why->reason;
            return;
        }
        if (std::string unclear = row.not_understood(); !unclear.empty()) {
            planned.row.why_not = std::move(unclear);
            return;
        }
        Case& one = std::get<Case>(adapted);
        if (row.types.inputs.empty()) {
            one.assumed += std::string{one.assumed.empty() ? "" : "; "} +
                           "no type is stated: the one that the kernel usually has";
        }
        const Measurement& measurement = planned.row.measurement;
        planned.row.measured_us = in_us(measurement, one.amount, chip.cores.clock_ghz);
        set_quantity(one, measurement.metric);
        if (one.quantity == Quantity::task) {
            one.extra_us += source.host_us;
        }
        if (!planned.row.measured_us || *planned.row.measured_us <= 0) {
            planned.row.why_not = fmt::format("'{}' in '{}' is neither a time nor a rate of a known amount",
                                              measurement.metric,
                                              measurement.unit);
            return;
        }
        planned.row.assumed += (planned.row.assumed.empty() || one.assumed.empty() ? "" : "; ") + one.assumed;
        for (const KernelRun& run : one.runs) {
            planned.simulations.push_back(set_.add(run, choice.chip, set));
            planned.row.command +=
                (planned.row.command.empty() ? "" : "\n") + set_.command(planned.simulations.back());
        }
        planned.measured_case = std::move(one);
    }

    /// The library's own kernel of a black box, at the row's shapes.
    void plan_published(Planned& planned,
                        const Row& row,
                        const ChipSpec& chip,
                        const std::string& chip_name,
                        const std::vector<scenario::Override>& set,
                        const SourceRule& source) {
        if (!library_ || source.which != SourceClass::black_box || !row.shape.unread.empty() ||
            !row.types.unread.empty()) {
            return;
        }
        const std::optional<LibraryCase> found = library_->of(row, chip);
        if (!found) {
            return;
        }
        planned.row.published = found->type;
        planned.row.published_why_not = found->why_not;
        planned.row.measured_us = in_us(planned.row.measurement, 0, chip.cores.clock_ghz);
        if (found->scenario.empty() || !planned.row.measured_us) {
            return;
        }
        std::vector<scenario::Override> more = set;
        if (source.warm_l2()) {
            more.push_back({"l2.state", "\"warm\""});
        }
        planned.published = set_.add(found->scenario, chip_name, more);
        planned.row.published_command = set_.command(*planned.published);
    }

    static void compare_published(Planned& planned, const std::vector<Simulated>& simulated) {
        if (!planned.published) {
            return;
        }
        const Simulated& run = simulated[*planned.published];
        planned.row.published_why_not = run.error;
        if (run.error.empty()) {
            Case one;
            set_quantity(one, planned.row.measurement.metric);
            planned.row.published_us = one.quantity == Quantity::task   ? run.task_us
                                       : one.quantity == Quantity::core ? run.core_us
                                                                        : run.pipe_us(one.pipe);
        }
    }

    /// How long simulations may take, by the measured time times the cores behind it.
    [[nodiscard]] std::vector<double> weights() const {
        std::vector<double> weights(set_.size(), 0.0);
        for (const Planned& planned : rows_) {
            for (const std::size_t simulation : planned.simulations) {
                weights[simulation] = std::max(weights[simulation], planned.row.measured_us.value_or(0));
            }
            if (planned.published) {
                weights[*planned.published] = planned.row.measured_us.value_or(0);
            }
        }
        return weights;
    }

    static void compare(Planned& planned, const std::vector<Simulated>& simulated) {
        if (!planned.measured_case) {
            return;
        }
        const Case& one = *planned.measured_case;
        double us = one.extra_us;
        for (std::size_t i = 0; i < one.runs.size(); ++i) {
            const Simulated& run = simulated[planned.simulations[i]];
            if (!run.error.empty()) {
                planned.row.why_not = run.error;
                return;
            }
            us += one.runs[i].times * (one.quantity == Quantity::task   ? run.task_us
                                       : one.quantity == Quantity::core ? run.core_us
                                                                        : run.pipe_us(one.pipe));
            planned.row.cause += (i == 0 ? "" : "; then ") + run.account();
        }
        if (us > 0) {
            planned.row.simulated_us = std::max(us, one.floor_us);
        } else {
            planned.row.why_not = fmt::format("the run spends no time in '{}'", one.pipe);
        }
    }

    void compare_pipes(const Planned& planned,
                       const std::vector<Simulated>& simulated,
                       std::vector<PipeComparison>& to) const {
        if (!planned.row.ran()) {
            return;
        }
        for (const Measurement& part : measurements_) {
            const std::optional<std::string> pipe =
                part.is_breakdown() && part.run_id() == planned.row.measurement.id ? pipe_of(part.metric)
                                                                                   : std::nullopt;
            if (!pipe || repeats_a_time(part)) {
                continue;
            }
            const double measured = pipe_measured_us(part, planned);
            double us = 0;
            for (std::size_t i = 0; i < planned.simulations.size(); ++i) {
                us += planned.measured_case->runs[i].times * simulated[planned.simulations[i]].pipe_us(*pipe);
            }
            if (measured > 0 && us > 0) {
                to.push_back(
                    {.id = part.id,
                     .run = part.run_id(),
                     .pipe = pipe->substr(pipe->find('_') == std::string::npos ? 0 : pipe->find('_') + 1),
                     .which = planned.row.which,
                     .us = {measured, us}});
            }
        }
    }

    /// A ratio of a pipe whose time the source gives too: the same figure once more.
    [[nodiscard]] bool repeats_a_time(const Measurement& part) const {
        constexpr std::string_view ratio = "_ratio";
        if (!part.metric.ends_with(ratio)) {
            return false;
        }
        const std::string time = part.metric.substr(0, part.metric.size() - ratio.size()) + "_time";
        return std::ranges::any_of(measurements_, [&](const Measurement& other) {
            return other.is_breakdown() && other.run_id() == part.run_id() && other.metric == time;
        });
    }

    /// A ratio is one of the cores' time, if the source gives that, else of the task's.
    [[nodiscard]] double pipe_measured_us(const Measurement& part, const Planned& planned) const {
        if (!part.metric.ends_with("_ratio")) {
            return in_us(part, 0, planned.clock_ghz).value_or(0);
        }
        double base = planned.row.measured_us.value_or(0);
        for (const Measurement& other : measurements_) {
            const std::string kind = part.metric.substr(0, 3);
            if (other.is_breakdown() && other.run_id() == part.run_id() &&
                (other.metric == kind + "_time" || other.metric == "aicore_time")) {
                base = in_us(other, 0, planned.clock_ghz).value_or(base);
            }
        }
        return base * part.value * (part.unit == "%" ? 0.01 : 1);
    }

    const ValidationOptions& options_;
    const toolchain::Installation& installation_;
    Catalogue catalogue_;
    CalibratedRows calibrated_;
    std::vector<NamedFamily> families_;
    std::vector<std::string> known_chips_;
    std::vector<Measurement> measurements_;
    std::vector<Planned> rows_;
    SimulationSet set_;
    std::optional<LibraryRows> library_;
};

}  // namespace

std::map<std::string, std::vector<TimePair>> Validation::pipes_of(SourceClass which) const {
    std::map<std::string, std::vector<TimePair>> by_pipe;
    for (const PipeComparison& one : pipes) {
        if (one.which == which) {
            by_pipe[one.pipe].push_back(one.us);
        }
    }
    return by_pipe;
}

Fit Validation::fit_of(const std::function<bool(const JudgedRow&)>& filter) const {
    std::vector<TimePair> pairs;
    for (const JudgedRow& row : rows) {
        if (row.ran() && filter(row)) {
            pairs.push_back(row.us());
        }
    }
    return fit(pairs);
}

std::size_t Validation::count(const std::function<bool(const JudgedRow&)>& filter) const {
    return static_cast<std::size_t>(std::ranges::count_if(rows, filter));
}

std::vector<std::string> Validation::families() const {
    std::set<std::string> names;
    for (const JudgedRow& row : rows) {
        names.insert(row.family);
    }
    return {names.begin(), names.end()};
}

std::vector<const JudgedRow*> Validation::worst(std::size_t most, SourceClass which) const {
    std::vector<const JudgedRow*> list;
    for (const JudgedRow& row : rows) {
        if (row.ran() && row.which == which) {
            list.push_back(&row);
        }
    }
    // By factor, so that half the time and double the time are equally wrong.
    std::ranges::stable_sort(list, std::greater{}, [](const JudgedRow* row) {
        return std::abs(std::log(row->us().simulated / row->us().measured));
    });
    list.resize(std::min(most, list.size()));
    return list;
}

Validation validate(const ValidationOptions& options, const toolchain::Installation& installation) {
    return Validator{options, installation}.run();
}

std::vector<JudgedRow> validate_rows(const std::vector<Measurement>& rows,
                                     const ValidationOptions& options,
                                     const toolchain::Installation& installation) {
    ValidationOptions all = options;
    all.all = true;
    all.families.clear();
    all.chips.clear();
    all.reliabilities.clear();
    return Validator{all, installation}.run(rows, {}).rows;
}

}  // namespace ascendsim::validation
