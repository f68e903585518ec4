// SPDX-License-Identifier: Apache-2.0
#include "app/networks/slower.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "app/analysis/blame/blame.hpp"
#include "app/analysis/run_summary.hpp"
#include "app/report/words.hpp"
#include "models/spec/chip_file.hpp"
#include "runtime/session/isolated.hpp"
#include "runtime/session/session.hpp"
#include "toolchain/installation/cache.hpp"
#include "toolchain/installation/cache_files.hpp"

namespace ascendsim::report {
namespace {

namespace fs = std::filesystem;
using analysis::Root;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr double ns_in_us = 1000;

/// "computing on vec", "launch".
std::string part_of_path(const Root& root) {
    return root.pipe.empty() ? std::string{label(root.kind)}
                             : fmt::format("{} on {}", label(root.kind), root.pipe);
}

std::string longest_wait_of(const record::Recording& recording, const analysis::RunSummary& summary) {
    for (const analysis::Blame& blame : analysis::blame_of(recording, summary.from, summary.to)) {
        const Root* root = blame.roots.empty() ? nullptr : &blame.roots.front();
        if (blame.pipe != summary.main_pipe || root == nullptr || root->kind == analysis::PathKind::unused) {
            continue;
        }
        const analysis::PipeUse* use = summary.find(blame.pipe);
        const double lanes = use == nullptr ? 1 : std::max<double>(use->lanes, 1);
        const double us = static_cast<double>(root->cycles) / lanes / summary.clock_ghz / ns_in_us;
        return fmt::format(
            "{} waits {:.2f} us for {}{}",
            blame.pipe,
            us,
            part_of_path(*root),
            root->pipe.empty() ? "" : " (" + instruction(recording, root->op, root->site) + ")");
    }
    return {};
}

/// In the task's own process.
ordered_json spent_by(const networks::Task& task,
                      const ChipSpec& chip,
                      const toolchain::Installation& installation,
                      const fs::path& file) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
    const runtime::RunRequest request = networks::timing_request(task, chip, installation);
    runtime::SessionProgress progress;
    const runtime::SessionOutcome outcome = runtime::run_session(request, installation, file, progress);
    if (outcome.failure) {
        std::rethrow_exception(outcome.failure);
    }
    const record::Recording recording{file};
    const analysis::RunSummary summary = analysis::summarise(recording);
    const analysis::CriticalPath path = analysis::critical_path(recording, summary.from, summary.to);
    ordered_json result{{"time_us", summary.time_us},
                        {"path", ordered_json::object()},
                        {"largest", ordered_json::object()},
                        {"longest_wait", longest_wait_of(recording, summary)}};
    for (const Root& root : path.roots) {  // largest first
        const std::string part = part_of_path(root);
        const double us = static_cast<double>(root.cycles) / summary.clock_ghz / ns_in_us;
        result["path"][part] = result["path"].value(part, 0.0) + us;
        if (!root.pipe.empty() && !result["largest"].contains(part)) {
            result["largest"][part] = instruction(recording, root.op, root.site);
        }
    }
    return result;
}

void add_way(WaySpent& way, const json& task) {
    const double us = task.at("time_us");
    if (way.launches == 0 || us > way.time_us / static_cast<double>(way.launches)) {
        way.longest_wait = task.at("longest_wait");
    }
    way.time_us += us;
    ++way.launches;
    for (const auto& [part, spent] : task.at("path").items()) {
        way.path[part] += spent.get<double>();
    }
    for (const auto& [part, text] : task.at("largest").items()) {
        way.largest.try_emplace(part, text.get<std::string>());
    }
}

/// What the tasks spend, from the cache or by running them; null where one does not run.
class Spending {
public:
    Spending(const ChipSpec& chip, const toolchain::Installation& installation)
        : chip_{chip},
          installation_{installation},
          folder_{toolchain::made_cache_folder("explained")},
          surroundings_{networks::simulator_key(installation) + to_json(chip).dump()} {}

    void ask(const std::vector<networks::Task>& tasks) {
        for (const networks::Task& task : tasks) {
            const std::string key = networks::task_key(task, chip_, surroundings_);
            if (known_.contains(key)) {
                continue;
            }
            std::ifstream stream{folder_ / (key + ".json")};
            known_[key] = json::parse(stream, nullptr, false);
            if (!known_[key].is_object()) {
                missing_.push_back(key);
                works_.emplace_back([this, task, key] { return recorded(task, key); });
            }
        }
    }

    void run(std::size_t jobs) {
        const std::vector<runtime::IsolatedResult> results = runtime::run_isolated(works_, jobs);
        for (std::size_t i = 0; i < results.size(); ++i) {
            if (results[i].error.empty()) {
                toolchain::write_whole(folder_ / (missing_[i] + ".json"), results[i].value.dump());
                known_[missing_[i]] = json(results[i].value);
            }
        }
    }

    [[nodiscard]] WaySpent of(const std::vector<networks::Task>& tasks) const {
        WaySpent way;
        for (const networks::Task& task : tasks) {
            const json& spent = known_.at(networks::task_key(task, chip_, surroundings_));
            if (!spent.is_object()) {
                return {};
            }
            add_way(way, spent);
        }
        return way;
    }

private:
    [[nodiscard]] ordered_json recorded(const networks::Task& task, const std::string& key) const {
        const fs::path file = folder_ / fmt::format("{}_{}.rec", key, getpid());
        ordered_json result = spent_by(task, chip_, installation_, file);
        std::error_code error;
        fs::remove(file, error);
        return result;
    }

    const ChipSpec& chip_;
    const toolchain::Installation& installation_;
    fs::path folder_;
    std::string surroundings_;
    std::map<std::string, json> known_;
    std::vector<std::string> missing_;
    std::vector<std::function<ordered_json()>> works_;
};

/// A part of the path with what it takes more, or less, than apart.
struct PartDifference {
    std::string part;
    double us = 0;
};

std::string differences_text(const std::vector<PartDifference>& parts, const WaySpent& way) {
    std::string text;
    for (const PartDifference& one : parts) {
        const auto largest = way.largest.find(one.part);
        text +=
            fmt::format("{}{:.2f} us of {}{}",
                        text.empty() ? "" : ", ",
                        std::abs(one.us),
                        one.part,
                        largest == way.largest.end() ? "" : fmt::format(" (most by {})", largest->second));
    }
    return text;
}

}  // namespace

std::string slower_text(const WaySpent& apart, const WaySpent& fused) {
    constexpr std::size_t most_parts = 2;
    std::map<std::string, double> change = fused.path;
    for (const auto& [part, us] : apart.path) {
        change[part] -= us;
    }
    std::vector<PartDifference> more;
    std::vector<PartDifference> less;
    for (const auto& [part, us] : change) {
        (us > 0 ? more : less).push_back({part, us});
    }
    const auto by_size = [](const PartDifference& one) { return std::abs(one.us); };
    std::ranges::stable_sort(more, std::ranges::greater{}, by_size);
    std::ranges::stable_sort(less, std::ranges::greater{}, by_size);
    more.resize(std::min(more.size(), most_parts));
    less.resize(std::min(less.size(), most_parts));
    std::string text = fmt::format("On the critical path, {} launch{} {} {}",
                                   fused.launches,
                                   fused.launches == 1 ? "" : "es",
                                   fused.launches == 1 ? "adds" : "add",
                                   differences_text(more, fused));
    if (const std::string saved = differences_text(less, apart); !saved.empty()) {
        text += fmt::format(", and the {} apart had {} more", apart.launches, saved);
    }
    return text + (fused.longest_wait.empty() ? "." : fmt::format("; {}.", fused.longest_wait));
}

void explain_slower(std::vector<networks::Decision>& decisions,
                    const ChipSpec& chip,
                    const toolchain::Installation& installation,
                    std::size_t jobs,
                    std::size_t most) {
    std::vector<networks::Decision*> slower;
    for (networks::Decision& decision : decisions) {
        if (!decision.fused_tasks.empty() && decision.fused.time_us > decision.apart.time_us) {
            slower.push_back(&decision);
        }
    }
    std::ranges::stable_sort(slower, std::ranges::greater{}, [](const networks::Decision* one) {
        return one->fused.time_us - one->apart.time_us;
    });
    std::map<std::string, std::string> said;  // of equal decisions
    Spending spending{chip, installation};
    std::vector<networks::Decision*> chosen;
    for (networks::Decision* one : slower) {
        const std::string key = one->pattern + one->kinds + one->text;
        if (said.contains(key) || said.size() < most) {
            said.try_emplace(key);
            chosen.push_back(one);
            spending.ask(one->apart_tasks);
            spending.ask(one->fused_tasks);
        }
    }
    spending.run(jobs);
    for (networks::Decision* one : chosen) {
        const WaySpent apart = spending.of(one->apart_tasks);
        const WaySpent fused = spending.of(one->fused_tasks);
        if (apart.launches != 0 && fused.launches != 0) {
            one->text += ". " + slower_text(apart, fused);
        }
    }
}

}  // namespace ascendsim::report
