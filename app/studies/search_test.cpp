// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>

#include "app/studies/tune.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::study {

namespace {

using testing::ElementsAre;

TuneSpace space_of(std::vector<std::size_t> sizes, std::size_t budget) {
    TuneSpace space{.knobs = {}, .budget = budget};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        TuneKnob knob{.path = "kernel.k" + std::to_string(i), .values = {}};
        for (std::size_t value = 0; value < sizes[i]; ++value) {
            knob.values.push_back(std::to_string(value));
        }
        space.knobs.push_back(std::move(knob));
    }
    return space;
}

/// A bowl with its bottom at 3 in every knob, 100 us deep; counts what is asked.
struct Bowl {
    double bound_us = 0;
    std::size_t* asked = nullptr;

    std::vector<Tried> operator()(const std::vector<Choice>& choices) const {
        std::vector<Tried> result;
        for (const Choice& choice : choices) {
            double time = 100;
            for (const std::size_t value : choice) {
                time += std::pow(static_cast<double>(value) - 3, 2);
            }
            result.push_back(
                {.choice = choice, .time_us = time, .gm_bytes = 1, .bound_us = bound_us, .error = {}});
            ++*asked;
        }
        return result;
    }
};

TEST(Search, OfASmallSpaceTriesEverythingAndFindsTheOptimum) {
    std::size_t asked = 0;
    const TuneSpace space = space_of({2, 3, 2}, 64);
    // A rugged landscape: only exhaustive search is sure of its lowest point, which is (1, 2, 0).
    const Search found = search(space, {0, 0, 0}, [&](const std::vector<Choice>& choices) {
        std::vector<Tried> result;
        for (const Choice& choice : choices) {
            const bool lowest = choice == Choice{1, 2, 0};
            result.push_back({.choice = choice,
                              .time_us = lowest ? 10.0 : 20.0 + static_cast<double>(choice[1]),
                              .error = {}});
            ++asked;
        }
        return result;
    });
    EXPECT_TRUE(found.exhaustive);
    EXPECT_EQ(asked, 12U);
    ASSERT_TRUE(found.best.has_value());
    EXPECT_THAT(found.tried[*found.best].choice, ElementsAre(1, 2, 0));
}

TEST(Search, OfALargeSpaceFindsTheBottomOfABowlWithinItsBudget) {
    std::size_t asked = 0;
    const Search found = search(space_of({8, 8, 8, 8}, 60), {0, 7, 0, 7}, Bowl{.asked = &asked});
    EXPECT_FALSE(found.exhaustive);
    EXPECT_LE(asked, 60U);
    EXPECT_THAT(found.tried[*found.best].choice, ElementsAre(3, 3, 3, 3));
}

TEST(Search, NeverTriesAChoiceTwice) {
    std::size_t asked = 0;
    const Search found = search(space_of({6, 6, 6}, 150), {0, 0, 0}, Bowl{.asked = &asked});
    std::vector<Choice> choices;
    for (const Tried& tried : found.tried) {
        choices.push_back(tried.choice);
    }
    std::ranges::sort(choices);
    EXPECT_EQ(std::ranges::adjacent_find(choices), choices.end());
    EXPECT_EQ(choices.size(), asked);
}

TEST(Search, StopsWhenNothingCanBeMuchFaster) {
    std::size_t asked = 0;
    const Search found =
        search(space_of({8, 8, 8, 8}, 4000), {0, 7, 0, 7}, Bowl{.bound_us = 100, .asked = &asked});
    EXPECT_TRUE(found.at_bound);
    EXPECT_LT(asked, 100U);
}

TEST(Search, PassesOverWhatCannotRun) {
    const Search found = search(space_of({3}, 10), {0}, [](const std::vector<Choice>& choices) {
        std::vector<Tried> result;
        for (const Choice& choice : choices) {
            Tried tried{.choice = choice, .time_us = {}, .error = "no room"};
            if (choice[0] == 1) {
                tried.time_us = 5;
            }
            result.push_back(tried);
        }
        return result;
    });
    EXPECT_EQ(found.best, 1U);
}

TEST(Search, WithoutAnythingThatRunsHasNoBest) {
    const Search found = search(space_of({2}, 10), {0}, [](const std::vector<Choice>& choices) {
        std::vector<Tried> result;
        for (const Choice& choice : choices) {
            result.push_back({.choice = choice, .time_us = {}, .error = "no"});
        }
        return result;
    });
    EXPECT_FALSE(found.best.has_value());
}

TEST(Tune, TellsWrongNumbersFromWhatCannotRun) {
    const auto run = [](int exit, std::string error, nlohmann::ordered_json json) {
        return BatchResult{
            .label = "", .exit = exit, .error = std::move(error), .json = std::move(json), .seen = {}};
    };
    const nlohmann::ordered_json good{{"time_us", 3}, {"numerics", {{"checked", true}, {"passed", true}}}};
    nlohmann::ordered_json wrong = good;
    wrong["numerics"] = {
        {"checked", true},
        {"passed", false},
        {"outputs", {{{"name", "z"}, {"elements", 64}, {"failures", 3}, {"passed", false}}}}};
    nlohmann::ordered_json racy = good;
    racy["hazards"] = {{{"kind", "race"}, {"severity", "error"}, {"message", "two writers"}}};
    nlohmann::ordered_json noted = good;
    noted["hazards"] = {{{"kind", "rounded_count"}, {"severity", "note"}, {"message", "rounded"}}};

    EXPECT_EQ(flaw_of(run(0, "", good)).first, Flaw::none);
    EXPECT_EQ(flaw_of(run(0, "", noted)).first, Flaw::none);
    EXPECT_EQ(flaw_of(run(1, "", wrong)),
              std::pair(Flaw::wrong_numbers, std::string{"z: 3 of 64 elements are wrong"}));
    // Six digits of both are 1.0137: as many are shown as tell them apart.
    wrong["numerics"]["outputs"][0]["first_failure"] = {
        {"index", 0}, {"got", 1.01370001}, {"expected", 1.0137}};
    EXPECT_EQ(flaw_of(run(1, "", wrong)).second,
              "z: 3 of 64 elements are wrong, the first at 0: got 1.01370001, expected 1.0137");
    wrong["numerics"]["outputs"][0]["tolerance"] = {{"absolute", 1e-3}, {"relative", 0}, {"ulp", 2}};
    EXPECT_EQ(flaw_of(run(1, "", wrong)).second,
              "z: 3 of 64 elements are wrong (atol 0.001, rtol 0, 2 ulp), the first at 0: got 1.01370001, "
              "expected 1.0137");
    EXPECT_EQ(flaw_of(run(3, "", racy)), std::pair(Flaw::hazards, std::string{"two writers"}));
    EXPECT_EQ(flaw_of(run(3, "no room in UB", {})),
              std::pair(Flaw::cannot_run, std::string{"no room in UB"}));
}

TEST(Tune, CountsEachFlawByItselfAndListsWrongChoices) {
    TuneSpace space = space_of({4}, 10);
    Tuning tuning{.label = "one",
                  .space = space,
                  .found = {},
                  .standard = {},
                  .why = {},
                  .verdict_standard = {},
                  .verdict_best = {},
                  .best = {}};
    tuning.found.tried = {
        {.choice = {0}, .time_us = 5, .error = {}},
        {.choice = {1}, .time_us = {}, .error = "no room", .flaw = Flaw::cannot_run},
        {.choice = {2}, .time_us = {}, .error = "z: 3 of 64 elements are wrong", .flaw = Flaw::wrong_numbers},
        {.choice = {3}, .time_us = {}, .error = "no room", .flaw = Flaw::cannot_run}};
    tuning.found.best = 0;
    tuning.standard.time_us = 5;

    EXPECT_THAT(tuning.how(), testing::EndsWith(", 2 cannot run, 1 computes wrong numbers"));
    const std::string text = tune_text(tuning, {});
    EXPECT_THAT(text, testing::HasSubstr("  k0=2: z: 3 of 64 elements are wrong\n"));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("no room")));
    EXPECT_EQ(to_json(tuning)["tried"][2]["flaw"], "wrong_numbers");
}

TEST(Frontier, KeepsWhatNothingBeatsInTimeAndBytes) {
    const auto tried = [](double time, double bytes) {
        return Tried{.choice = {}, .time_us = time, .gm_bytes = bytes, .error = {}};
    };
    // 10 us with 5 B is fastest; 12 us with 3 B moves less; 11 us with 6 B and 13 us with 3 B are beaten.
    EXPECT_THAT(frontier({tried(11, 6), tried(12, 3), tried(10, 5), tried(13, 3)}), ElementsAre(2, 1));
}

TEST(TuneSpace, IsReadFromTheFile) {
    const TuneSpace space =
        read_tune(TomlFile::parse("[tune]\nbudget = 9\nseed = 4\n\"kernel.base_m\" = [64, "
                                  "128]\n\"kernel.schedule\" = [\"rows\", \"grid\", \"auto\"]\n",
                                  "t.toml"));
    EXPECT_EQ(space.budget, 9U);
    EXPECT_EQ(space.seed, 4U);
    EXPECT_EQ(space.size(), 6U);
    EXPECT_THAT(space.knobs[1].values, ElementsAre("rows", "grid", "auto"));
    EXPECT_THROW(static_cast<void>(read_tune(TomlFile::parse("a = 1\n", "t.toml"))), UserError);
    EXPECT_THROW(static_cast<void>(read_tune(TomlFile::parse("[tune]\n\"kernel.x\" = []\n", "t.toml"))),
                 UserError);
}

}  // namespace

}  // namespace ascendsim::study
