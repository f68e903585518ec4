// SPDX-License-Identifier: Apache-2.0
#include "sim/config/fields.hpp"

#include <iostream>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/config/text_mutation.hpp"

namespace ascendsim {
namespace {

using testing::HasSubstr;

struct Cache {
    std::uint64_t bytes = 1024;
    double gb_per_s = 10;

    static constexpr auto fields() {
        return std::tuple{
            field("bytes", &Cache::bytes, 0, 1e10, "B", "capacity"),
            field("gb_per_s", &Cache::gb_per_s, 1, 1000, "GB/s", "rate"),
        };
    }
};

struct Machine {
    std::uint32_t cores = 4;
    bool split = false;
    std::string label = "plain";
    Cache l1;
    Cache l2{.bytes = 4096, .gb_per_s = 20};

    static constexpr auto fields() {
        return std::tuple{
            field("cores", &Machine::cores, 1, 64, "cores", "how many"),
            field("split", &Machine::split, 0, 1, "", "two kinds"),
            field("label", &Machine::label, 0, 0, "", "what people call it"),
            group("l1", &Machine::l1, "near"),
            group("l2", &Machine::l2, "far"),
        };
    }
};

template <class F>
std::string error_of(F&& act) {
    try {
        act();
    } catch (const UserError& error) {
        return error.what();
    }
    return "no error";
}

ProvenanceTable read(Machine& machine,
                     const std::string& text,
                     Completeness completeness = Completeness::partial) {
    ProvenanceTable provenance;
    read_fields(fields_of(machine), TomlFile::parse(text, "m.toml").reader(), completeness, provenance);
    return provenance;
}

TEST(Fields, AreVisitedInOrderWithPathValueAndMeaning) {
    const Machine machine;
    std::vector<std::string> seen;
    visit_fields(machine, [&](const std::string& path, const auto& value, const auto& field) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, std::string>) {
            seen.push_back(path + "=" + value);
        } else {
            seen.push_back(fmt::format("{}={} {} ({})", path, value, field.unit, field.meaning));
        }
    });
    const std::vector<std::string> expected{"cores=4 cores (how many)",
                                            "split=false  (two kinds)",
                                            "label=plain",
                                            "l1.bytes=1024 B (capacity)",
                                            "l1.gb_per_s=10 GB/s (rate)",
                                            "l2.bytes=4096 B (capacity)",
                                            "l2.gb_per_s=20 GB/s (rate)"};
    EXPECT_EQ(seen, expected);
}

TEST(Fields, AreReadFromPlainValuesAndGroups) {
    Machine machine;
    const ProvenanceTable from = read(
        machine, "cores = 8\nsplit = true\nlabel = 'x'\nl2.gb_per_s = 99\n[l1]\nbytes = 5_000_000_000\n");
    EXPECT_EQ(machine.cores, 8U);
    EXPECT_TRUE(machine.split);
    EXPECT_EQ(machine.label, "x");
    EXPECT_EQ(machine.l1.bytes, 5'000'000'000U);
    EXPECT_EQ(machine.l1.gb_per_s, 10);
    EXPECT_EQ(machine.l2.gb_per_s, 99);
    EXPECT_EQ(from.size(), 5U);
    EXPECT_EQ(from.at("l1.bytes").tag, "set");
    EXPECT_EQ(from.at("l1.bytes").place, "m.toml:6");
}

TEST(Fields, AreReadWithTagAndSource) {
    Machine machine;
    const ProvenanceTable from = read(
        machine, "\n[l1]\nbytes = { value = 7, tag = 'VF', source = 'S8' }\n", Completeness::with_source);
    EXPECT_EQ(machine.l1.bytes, 7U);
    EXPECT_EQ(from.at("l1.bytes").tag, "VF");
    EXPECT_EQ(from.at("l1.bytes").source, "S8");
    EXPECT_EQ(from.at("l1.bytes").place, "m.toml:3");
}

TEST(Fields, RejectWhatIsWrongWithPlaceAndPath) {
    Machine machine;
    const auto error_in = [&](const std::string& text) {
        return error_of([&] { (void)read(machine, text); });
    };
    EXPECT_EQ(error_in("\ncores = 0"), "m.toml:2: cores: 0 is outside [1, 64]");
    EXPECT_EQ(error_in("cores = 4.0"), "m.toml:1: cores: 4.0 is not a whole number");
    EXPECT_EQ(error_in("cores = -1"), "m.toml:1: cores: -1 is outside [1, 64]");
    EXPECT_EQ(error_in("split = 1"), "m.toml:1: split: 1 is not true or false");
    EXPECT_EQ(error_in("label = 1"), "m.toml:1: label: 1 is not a string");
    EXPECT_EQ(error_in("l1 = 3"), "m.toml:1: l1: 3 is not a table");
    EXPECT_EQ(error_in("[l1]\ngb_per_s = nan"), "m.toml:2: l1.gb_per_s: nan is outside [1, 1000]");
    EXPECT_EQ(error_in("[l1]\ngb_per_s = inf"), "m.toml:2: l1.gb_per_s: inf is outside [1, 1000]");
    EXPECT_EQ(error_in("[l1]\nbites = 1"), "m.toml:2: l1.bites: unknown key, did you mean 'bytes'?");
    EXPECT_EQ(error_in("core = 1"), "m.toml:1: core: unknown key, did you mean 'cores'?");
    EXPECT_EQ(error_in("[l3]\nbytes = 1"), "m.toml:1: l3: unknown key, did you mean 'l1'?");
    EXPECT_EQ(error_in("cores = { value = 2 }"), "m.toml:1: cores.source: is missing");
    EXPECT_EQ(error_in("cores = { value = 99, tag = 'V', source = 'S' }"),
              "m.toml:1: cores: 99 is outside [1, 64]");
    EXPECT_THAT(error_in("cores = { value = 2, source = 'S' }"), HasSubstr("cores.tag: is missing"));
    EXPECT_THAT(error_in("cores = { value = 2, tag = 'V', source = '' }"),
                HasSubstr("cores.source: is empty"));
    EXPECT_THAT(error_in("cores = { value = 2, tag = 'V', source = 'S', x = 1 }"),
                HasSubstr("cores.x: unknown key"));
    EXPECT_EQ(machine.cores, 4U);
}

TEST(SetField, TakesTextsByPath) {
    Machine machine;
    set_field(machine, "l2.gb_per_s", "5e2");
    set_field(machine, "cores", "64");
    set_field(machine, "split", "true");
    set_field(machine, "label", "a = b");
    EXPECT_EQ(machine.l2.gb_per_s, 500);
    EXPECT_EQ(machine.cores, 64U);
    EXPECT_TRUE(machine.split);
    EXPECT_EQ(machine.label, "a = b");
}

TEST(SetField, RejectsWhatIsWrongLikeAFile) {
    Machine machine;
    const auto error_in = [&](std::string_view path, std::string_view text) {
        return error_of([&] { set_field(machine, path, text, "--set chip."); });
    };
    EXPECT_EQ(error_in("cores", "0"), "--set chip.cores: 0 is outside [1, 64]");
    EXPECT_EQ(error_in("cores", "4294967300"), "--set chip.cores: 4294967300 is outside [1, 64]");
    EXPECT_EQ(error_in("cores", "many"), "--set chip.cores: \"many\" is not a whole number");
    EXPECT_EQ(error_in("cores", ""), "--set chip.cores: \"\" is not a whole number");
    EXPECT_EQ(error_in("cores", "4 "), "--set chip.cores: \"4 \" is not a whole number");
    EXPECT_EQ(error_in("l1.gb_per_s", "nan"), "--set chip.l1.gb_per_s: nan is outside [1, 1000]");
    EXPECT_EQ(error_in("split", "1"), "--set chip.split: \"1\" is not true or false");
    EXPECT_EQ(error_in("l2.gbps", "1"), "--set chip.l2.gbps: unknown parameter, did you mean 'l2.gb_per_s'?");
    EXPECT_EQ(error_in("l2.speed", "1"),
              "--set chip.l2.speed: unknown parameter, known: l2.bytes, l2.gb_per_s");
    EXPECT_EQ(error_in("l2", "1"), "--set chip.l2: is a group of l2.bytes, l2.gb_per_s");
    EXPECT_EQ(error_in("gb_per_s", "1"),
              "--set chip.gb_per_s: unknown parameter, did you mean l1.gb_per_s or l2.gb_per_s?");
    EXPECT_THAT(error_in("\x01", "1"), HasSubstr("--set chip.\\x01: unknown parameter"));
}

TEST(Fields, BecomeNestedJsonInOrder) {
    Machine machine;
    EXPECT_EQ(to_json(fields_of(machine)).dump(),
              R"({"cores":4,"split":false,"label":"plain","l1":{"bytes":1024,"gb_per_s":10.0},)"
              R"("l2":{"bytes":4096,"gb_per_s":20.0}})");
}

TEST(Fields, SurviveArbitraryBytes) {
    const std::string valid =
        "cores = { value = 24, tag = \"V\", source = \"S1\" }\nsplit = true\nlabel = "
        "\"\"\"a\nb\"\"\"\n[l1]\nbytes = "
        "{ value = 65536, tag = 'VF', source = 'S8' }\ngb_per_s = 12.5\n[l2]\nbytes = 1_000\ngb_per_s = "
        "1e2\n";
    const std::uint64_t seed = std::random_device{}();
    std::cout << "seed " << seed << std::endl;  // flushed: a crash must not hide it
    TextMutation mutate{seed};
    int rejected = 0;
    int accepted = 0;
    for (int i = 0; i < 5000; ++i) {
        const std::string text = mutate(valid);
        Machine machine;
        try {
            (void)read(machine, text, i % 2 == 0 ? Completeness::partial : Completeness::with_source);
            ++accepted;
            EXPECT_TRUE(machine.cores >= 1 && machine.cores <= 64) << text;
            EXPECT_TRUE(machine.l1.gb_per_s >= 1 && machine.l1.gb_per_s <= 1000) << text;
        } catch (const UserError& error) {
            ++rejected;
            EXPECT_THAT(error.what(), testing::StartsWith("m.toml:")) << text;
        }
    }
    EXPECT_GT(rejected, 1000);
    EXPECT_GT(accepted, 10);
}

/// Reads a text the way a scenario is read: every kind of getter.
void read_as_scenario(const std::string& text) {
    TableReader root = TomlFile::parse(text, "s.toml").reader();
    (void)root.choice("mode", {"functional", "timing"});
    (void)root.list<std::uint64_t>("shape");
    TableReader kernel = root.require_table("kernel");
    (void)kernel.get<std::string>("entry");
    (void)kernel.get_or<std::uint32_t>("blocks", 1, Limits{1, 64});
    (void)kernel.get_or<double>("scale", 1.0);
    kernel.finish();
    for (TableReader& argument : root.tables("args")) {
        (void)argument.get<std::string>("name");
        (void)argument.list<std::int64_t>("shape");
        (void)argument.get_or<bool>("output", false);
        argument.finish();
    }
    root.finish();
}

TEST(TableReader, SurvivesArbitraryBytes) {
    const std::string valid =
        "mode = 'timing'\nshape = [1, 2, 3]\n[kernel]\nentry = \"add\"\nblocks = 8\nscale = "
        "0.5\n[[args]]\nname = "
        "'x'\nshape = [32, 512]\n[[args]]\nname = 'y'\noutput = true\n";
    ASSERT_NO_THROW(read_as_scenario(valid));
    const std::uint64_t seed = std::random_device{}();
    std::cout << "seed " << seed << std::endl;  // flushed: a crash must not hide it
    TextMutation mutate{seed};
    int rejected = 0;
    for (int i = 0; i < 5000; ++i) {
        const std::string text = mutate(valid);
        try {
            read_as_scenario(text);
        } catch (const UserError& error) {
            ++rejected;
            EXPECT_THAT(error.what(), testing::StartsWith("s.toml:")) << text;
        }
    }
    EXPECT_GT(rejected, 1000);
}

TEST(SetField, SurvivesArbitraryBytes) {
    const std::uint64_t seed = std::random_device{}();
    std::cout << "seed " << seed << std::endl;  // flushed: a crash must not hide it
    TextMutation mutate{seed};
    Machine machine;
    const auto fields = fields_of(machine);
    for (int i = 0; i < 5000; ++i) {
        const std::string path =
            i % 2 == 0 ? fields[mutate.below(fields.size())].path : mutate("l2.gb_per_s");
        try {
            set_field(fields, path, mutate("12.5"), "--set ");
        } catch (const UserError& error) {
            EXPECT_THAT(error.what(), testing::StartsWith("--set ")) << path;
        }
        EXPECT_TRUE(machine.l2.gb_per_s >= 1 && machine.l2.gb_per_s <= 1000);
        EXPECT_TRUE(machine.cores >= 1 && machine.cores <= 64);
    }
}

}  // namespace
}  // namespace ascendsim
