// SPDX-License-Identifier: Apache-2.0
#include "app/studies/audit.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/scenario/result.hpp"
#include "app/scenario/scenario.hpp"
#include "app/studies/expression.hpp"
#include "models/spec/chip_file.hpp"
#include "sim/base/error.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::study {

namespace {

namespace fs = std::filesystem;

// Figures are stated with two or three digits: one in a hundred beyond a bound is rounding.
constexpr double rounding = 0.01;

std::string with_unit(double value, const std::string& unit) {
    return unit.empty() ? number_text(value) : fmt::format("{} {}", number_text(value), unit);
}

/// A figure of a run that nobody has made.
struct MissingRun {
    std::string label;
};

/// What names mean in the claims of one file.
class Names {
public:
    Names(const ClaimFile& file, const RunFigures& runs)
        : file_{file}, runs_{runs}, chip_(to_json(file.chip)) {}

    /// Evaluates `expression` of a claim whose stated value is known, or not yet.
    [[nodiscard]] Computed compute(const std::string& expression,
                                   std::string_view place,
                                   std::optional<double> value = {},
                                   const std::vector<scenario::Override>& when = {}) const {
        return study::compute(
            expression,
            [&](const std::string& name) -> std::optional<double> {
                return name == "value" ? value : find(name, when, 0);
            },
            place);
    }

private:
    [[nodiscard]] std::optional<double> find(const std::string& name,
                                             const std::vector<scenario::Override>& when,
                                             std::size_t depth) const {
        constexpr std::size_t deepest = 50;
        const auto fact = std::ranges::find(file_.facts, name, &scenario::Fact::name);
        if (fact != file_.facts.end()) {
            if (depth > deepest) {
                throw UserError{"{}: facts.{}: is defined by itself", fact->place, name};
            }
            const auto lookup = [&](const std::string& inner) { return find(inner, when, depth + 1); };
            return study::compute(fact->expression, lookup, fact->place).value;
        }
        if (name == "chip.peak_tflops") {
            return peak_fp16_tflops(file_.chip);
        }
        if (name.starts_with("chip.")) {
            return scenario::value_at(chip_, std::string_view{name}.substr(5));
        }
        return of_run(name, when);
    }

    [[nodiscard]] std::optional<double> of_run(const std::string& name,
                                               const std::vector<scenario::Override>& when) const {
        const std::size_t at = name.find('@');
        std::string label = file_.name;
        if (at != std::string::npos) {
            label += "-" + name.substr(at + 1);
        } else {
            for (const scenario::Override& set : when) {
                label += "-" + set.value;
            }
        }
        const auto run = runs_.find(label);
        if (run == runs_.end() && file_.runs) {
            throw MissingRun{label};
        }
        return run == runs_.end() ? std::nullopt : run->second.find(name.substr(0, at));
    }

    const ClaimFile& file_;
    const RunFigures& runs_;
    nlohmann::ordered_json chip_;
};

/// One claim on its way to a verdict.
class Judge {
public:
    Judge(const scenario::Claim& claim, const Names& names) : names_{names} {
        result_.claim = claim;
        result_.value = names.compute(claim.value, claim.place, {}, claim.when).value;
    }

    JudgedClaim judged() {
        needs();
        const bool beyond = bound();
        const std::optional<bool> agrees = equals();
        const std::optional<bool> measured = quantity();
        if (beyond) {
            result_.verdict = ClaimVerdict::impossible;
        } else if (agrees == false || measured == false) {
            result_.verdict = ClaimVerdict::fails;
        } else if (agrees == true || measured == true) {
            result_.verdict = ClaimVerdict::holds;
        }
        return std::move(result_);
    }

private:
    /// None if it asks for a run that nobody has made, which is said.
    [[nodiscard]] std::optional<Computed> compute(const std::string& expression) {
        if (expression.empty()) {
            return std::nullopt;
        }
        try {
            return names_.compute(expression, result_.claim.place, result_.value, result_.claim.when);
        } catch (const MissingRun& missing) {
            say(fmt::format("not simulated: {} has not run", missing.label));
            return std::nullopt;
        }
    }

    void say(std::string line) { result_.arithmetic.push_back(std::move(line)); }

    /// "0.0051 s needs 862.4 TFLOPS (4.398e+12 / ...); 364 TFLOPS are available".
    void needs() {
        const scenario::Claim& claim = result_.claim;
        const std::optional<Computed> need = compute(claim.needs);
        if (!need) {
            return;
        }
        std::string line = fmt::format("{} needs {} ({})",
                                       with_unit(result_.value, claim.unit),
                                       with_unit(need->value, claim.needs_unit),
                                       need->arithmetic);
        if (const std::optional<Computed> there = compute(claim.has)) {
            line += fmt::format("; {} are available", with_unit(there->value, claim.needs_unit));
        }
        say(line);
    }

    /// True if the claim is beyond its bound.
    bool bound() {
        const scenario::Claim& claim = result_.claim;
        const std::optional<Computed> best = compute(claim.bound);
        if (!best) {
            return false;
        }
        const double slack = rounding * std::abs(best->value);
        const bool beyond =
            claim.less_is_better ? result_.value < best->value - slack : result_.value > best->value + slack;
        say(fmt::format("at {} {} is possible: {}{}",
                        claim.less_is_better ? "least" : "most",
                        with_unit(best->value, claim.unit),
                        best->arithmetic,
                        claim.note.empty() ? "" : fmt::format(" ({})", claim.note)));
        return beyond;
    }

    [[nodiscard]] bool near(double other) const {
        return std::abs(result_.value - other) <= result_.claim.tolerance * std::abs(other);
    }

    std::optional<bool> equals() {
        const scenario::Claim& claim = result_.claim;
        const std::optional<Computed> other = compute(claim.equals);
        if (!other) {
            return std::nullopt;
        }
        say(fmt::format("it must agree with {}: {}{}",
                        with_unit(other->value, claim.unit),
                        other->arithmetic,
                        claim.note.empty() || !claim.bound.empty() ? "" : fmt::format(" ({})", claim.note)));
        return near(other->value);
    }

    /// A run that does better than claimed lets the claim hold.
    std::optional<bool> quantity() {
        const scenario::Claim& claim = result_.claim;
        const std::optional<Computed> found = compute(claim.quantity);
        if (!found) {
            return std::nullopt;
        }
        say(fmt::format("simulated: {} ({})", with_unit(found->value, claim.unit), claim.quantity));
        const bool better =
            claim.less_is_better ? found->value <= result_.value : found->value >= result_.value;
        return better || near(found->value);
    }

    const Names& names_;
    JudgedClaim result_;
};

}  // namespace

ClaimFile read_claim_file(const fs::path& file, const toolchain::Installation& installation) {
    const TomlFile toml = TomlFile::open(file);
    TableReader root = toml.reader();
    ClaimFile result{.name = file.stem().string(), .title = {}, .chip = {}, .facts = {}, .claims = {}};
    if (root.find("scenario")) {
        const scenario::ScenarioFile scenario_file{file.string(), installation, {}};
        const scenario::Scenario scenario = scenario_file.read(scenario_file.runs().front());
        result.title = scenario.title;
        result.chip = scenario.chip.spec;
        result.facts = scenario.facts;
        result.claims = scenario.claims;
        result.runs = true;
        return result;
    }
    result.title = root.get<std::string>("title");
    result.chip = load_chip(root.get_or<std::string>("chip", "910b3"), installation.chips());
    result.facts = scenario::read_facts(root);
    result.claims = scenario::read_claims(root);
    for (TableReader& table : root.tables("networks")) {
        result.networks.push_back({.label = table.get<std::string>("label"),
                                   .network = table.get<std::string>("network"),
                                   .extents = {},
                                   .fuse = table.get_or<std::string>("fuse", "none")});
        if (const std::optional<Node> extents = table.find("extents")) {
            result.networks.back().extents = extents->list<std::string>();
        }
        table.finish();
    }
    for (TableReader& table : root.tables("systems")) {
        ClaimSystem& system = result.systems.emplace_back();
        system.label = table.get<std::string>("label");
        system.serves = table.choice("command", {"serve", "train"}) == "serve";
        system.file = table.get<std::string>("file");
        system.settings = table.list<std::string>("set");
        table.finish();
    }
    result.runs = !result.networks.empty() || !result.systems.empty();
    root.finish();
    return result;
}

std::vector<fs::path> claim_files(const toolchain::Installation& installation) {
    std::vector<fs::path> files;
    for (const fs::path& folder : {installation.scenarios(), installation.claims()}) {
        std::error_code missing;
        std::vector<fs::path> here;
        for (const fs::directory_entry& entry : fs::directory_iterator{folder, missing}) {
            if (entry.path().extension() != ".toml") {
                continue;
            }
            const TomlFile toml = TomlFile::open(entry.path());
            TableReader root = toml.reader();
            if (root.find("claims")) {
                here.push_back(entry.path());
            }
        }
        std::ranges::sort(here);
        files.insert(files.end(), here.begin(), here.end());
    }
    return files;
}

Audit judge_claims(const ClaimFile& file, const RunFigures& runs) {
    const Names names{file, runs};
    Audit audit{.name = file.name, .title = file.title, .chip = file.chip.title, .claims = {}};
    for (const scenario::Claim& claim : file.claims) {
        audit.claims.push_back(Judge{claim, names}.judged());
    }
    return audit;
}

}  // namespace ascendsim::study
