// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <random>

#include "app/studies/tune.hpp"
#include "sim/base/error.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::study {

namespace {

constexpr double near_bound = 1.01;

/// What has been tried, and the rules of trying more.
class Trials {
public:
    Trials(const TuneSpace& space, const Evaluate& evaluate) : space_{space}, evaluate_{evaluate} {}

    /// Runs those of `choices` that are new, as far as the budget goes.
    void run(const std::vector<Choice>& choices) {
        std::vector<Choice> fresh;
        for (const Choice& choice : choices) {
            if (tried_.size() + fresh.size() < space_.budget &&
                numbers_.try_emplace(choice, numbers_.size()).second) {
                fresh.push_back(choice);
            }
        }
        if (fresh.empty()) {
            return;
        }
        std::vector<Tried> evaluated = evaluate_(fresh);
        stopped_ = evaluated.size() < fresh.size();
        for (Tried& one : evaluated) {
            tried_.push_back(std::move(one));
            if (better(tried_.size() - 1, best_)) {
                best_ = tried_.size() - 1;
            }
        }
    }

    [[nodiscard]] const Tried* find(const Choice& choice) const {
        const auto found = numbers_.find(choice);
        return found == numbers_.end() || found->second >= tried_.size() ? nullptr : &tried_[found->second];
    }

    [[nodiscard]] bool done() const { return stopped_ || tried_.size() >= space_.budget || at_bound(); }

    /// True once not all that was to be tried was.
    [[nodiscard]] bool stopped() const { return stopped_; }

    [[nodiscard]] bool at_bound() const {
        return best_ && tried_[*best_].bound_us > 0 &&
               *tried_[*best_].time_us <= near_bound * tried_[*best_].bound_us;
    }

    Search result(bool exhaustive) {
        Search search{.tried = std::move(tried_),
                      .best = best_,
                      .exhaustive = exhaustive,
                      .at_bound = false,
                      .stopped = stopped_};
        return search;
    }

private:
    [[nodiscard]] bool better(std::size_t number, std::optional<std::size_t> than) const {
        return tried_[number].time_us && (!than || *tried_[number].time_us < *tried_[*than].time_us);
    }

    const TuneSpace& space_;
    const Evaluate& evaluate_;
    std::vector<Tried> tried_;
    std::map<Choice, std::size_t> numbers_;
    std::optional<std::size_t> best_;
    bool stopped_ = false;
};

std::vector<Choice> all_choices(const TuneSpace& space) {
    std::vector<Choice> all{{}};
    for (const TuneKnob& knob : space.knobs) {
        std::vector<Choice> longer;
        for (const Choice& choice : all) {
            for (std::size_t value = 0; value < knob.values.size(); ++value) {
                longer.push_back(choice);
                longer.back().push_back(value);
            }
        }
        all = std::move(longer);
    }
    return all;
}

double time_of(const Trials& trials, const Choice& choice) {
    const Tried* const tried = trials.find(choice);
    return tried == nullptr ? std::numeric_limits<double>::infinity()
                            : tried->time_us.value_or(std::numeric_limits<double>::infinity());
}

/// Improves one knob after the other until none helps.
void descend(const TuneSpace& space, Choice at, Trials& trials) {
    trials.run({at});
    for (bool improved = true; improved && !trials.done();) {
        improved = false;
        for (std::size_t knob = 0; knob < space.knobs.size() && !trials.done(); ++knob) {
            std::vector<Choice> line;
            for (std::size_t value = 0; value < space.knobs[knob].values.size(); ++value) {
                line.push_back(at);
                line.back()[knob] = value;
            }
            trials.run(line);
            for (const Choice& choice : line) {
                if (time_of(trials, choice) < time_of(trials, at)) {
                    at = choice;
                    improved = true;
                }
            }
        }
    }
}

Choice random_choice(const TuneSpace& space, std::mt19937_64& random) {
    Choice choice;
    for (const TuneKnob& knob : space.knobs) {
        choice.push_back(random() % knob.values.size());  // a bias of 2^-60 matters to nobody
    }
    return choice;
}

}  // namespace

std::uint64_t TuneSpace::size() const {
    constexpr std::uint64_t most = std::uint64_t{1} << 62U;
    std::uint64_t count = 1;
    for (const TuneKnob& knob : knobs) {
        count = count > most / knob.values.size() ? most : count * knob.values.size();
    }
    return count;
}

TuneSpace read_tune(const TomlFile& file) {
    TableReader root = file.reader();
    const std::optional<Node> table = root.find("tune");
    if (!table) {
        throw UserError{
            R"({}: declares nothing to tune; add [tune] with values, as in "kernel.buffers" = [1, 2] for a knob of a kernel, )"
            R"("args.tile.value" = [512, 1024] for an argument of a source or "program.arguments" = [["4", "256"], ["8", "512"]] )"
            R"(for the words of a program)",
            file.name()};
    }
    TuneSpace space;
    for (const Node& member : table->members()) {
        if (member.key() == "budget") {
            space.budget = static_cast<std::size_t>(member.as<std::uint64_t>({1, 1e6}));
        } else if (member.key() == "seed") {
            space.seed = member.as<std::uint64_t>();
        } else {
            TuneKnob knob{.path = member.key(), .values = {}};
            for (const Node& value : member.items()) {
                knob.values.push_back(scenario::text(value.value()));
            }
            if (knob.values.empty()) {
                throw member.error("must list at least one value");
            }
            space.knobs.push_back(std::move(knob));
        }
    }
    if (space.knobs.empty()) {
        throw table->error(
            R"(names no knob; add "kernel.buffers" = [1, 2] for a knob of a kernel, "args.tile.value" = [512, 1024] for an argument of a source or "program.arguments" = [["4", "256"], ["8", "512"]] for the words of a program)");
    }
    return space;
}

Search search(const TuneSpace& space, const Choice& start, const Evaluate& evaluate) {
    Trials trials{space, evaluate};
    if (space.size() <= space.budget) {
        trials.run(all_choices(space));
        return trials.result(!trials.stopped());
    }
    std::mt19937_64 random{space.seed};
    descend(space, start, trials);
    // A restart that meets only what is known adds nothing; so many in a row mean that there is little left.
    constexpr int most_restarts = 1000;
    for (int restart = 0; restart < most_restarts && !trials.done(); ++restart) {
        descend(space, random_choice(space, random), trials);
    }
    const bool at_bound = trials.at_bound();
    Search result = trials.result(false);
    result.at_bound = at_bound;
    return result;
}

std::vector<std::size_t> frontier(const std::vector<Tried>& tried) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < tried.size(); ++i) {
        if (tried[i].time_us) {
            order.push_back(i);
        }
    }
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        return std::pair{*tried[a].time_us, tried[a].gm_bytes} <
               std::pair{*tried[b].time_us, tried[b].gm_bytes};
    });
    std::vector<std::size_t> result;
    for (const std::size_t i : order) {
        if (result.empty() || tried[i].gm_bytes < tried[result.back()].gm_bytes) {
            result.push_back(i);
        }
    }
    return result;
}

}  // namespace ascendsim::study
