// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/overrides.hpp"

#include <gmock/gmock.h>

#include "sim/base/error.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::scenario {
namespace {

TomlFile sample() {
    return TomlFile::parse(
        "[kernel]\nschedule = \"native\"\n[[args]]\nname = \"x\"\nfile = \"a.npy\"\n[[args]]\nname = \"y\"\n",
        "s.toml");
}

template <class T>
T value(const TomlFile& file, std::string_view table, std::string_view key) {
    return file.reader().require_table(table).get<T>(key);
}

TEST(Overrides, SetValuesOfEveryType) {
    const TomlFile file = with_overrides(sample(),
                                         {{"kernel.schedule", "fused"},
                                          {"kernel.tile", "64"},
                                          {"kernel.scale", "0.5"},
                                          {"kernel.swizzle", "true"},
                                          {"kernel.quoted", "\"12\""}});
    EXPECT_EQ(value<std::string>(file, "kernel", "schedule"), "fused");
    EXPECT_EQ(value<std::int64_t>(file, "kernel", "tile"), 64);
    EXPECT_EQ(value<double>(file, "kernel", "scale"), 0.5);
    EXPECT_EQ(value<bool>(file, "kernel", "swizzle"), true);
    EXPECT_EQ(value<std::string>(file, "kernel", "quoted"), "12");
}

TEST(Overrides, MakeTheTablesOnTheWay) {
    const TomlFile file = with_overrides(sample(), {{"chip.l2.gb_per_s", "5000"}});
    EXPECT_EQ(file.reader().require_table("chip").require_table("l2").get<double>("gb_per_s"), 5000);
}

TEST(Overrides, FindTheNamedMemberOfAnArray) {
    const TomlFile file = with_overrides(sample(), {{"args.x.file", "b.npy"}});
    TableReader root = file.reader();
    std::vector<TableReader> args = root.tables("args");
    EXPECT_EQ(args[0].get<std::string>("file"), "b.npy");
    EXPECT_THROW(static_cast<void>(with_overrides(sample(), {{"args.z.file", "b.npy"}})), UserError);
}

TEST(Overrides, ReachAFieldByItsNameAlone) {
    const TomlFile given = TomlFile::parse(
        "[[args]]\nname = \"t\"\nfields = [{ name = \"tile\", type = \"uint32\", value = 64 }]\n", "s.toml");
    for (const char* path : {"args.t.tile", "args.t.tile.value", "args.t.fields.tile.value"}) {
        const TomlFile file = with_overrides(given, {{path, "512"}});
        TableReader root = file.reader();
        std::vector<TableReader> args = root.tables("args");
        EXPECT_EQ(args[0].tables("fields")[0].get<std::int64_t>("value"), 512) << path;
    }
}

TEST(Overrides, RefuseAFieldThatAStructDoesNotHave) {
    const TomlFile file = TomlFile::parse(
        "[[args]]\nname = 't'\nrole = 'struct'\nfields = [{ name = 'tile', type = 'uint32', value = 1 }]\n",
        "s.toml");
    try {
        static_cast<void>(with_overrides(file, {{"args.t.tille", "5"}}));
        FAIL();
    } catch (const UserError& error) {
        EXPECT_STREQ(error.what(),
                     "--set args.t.tille=5: no field 'tille', did you mean 'tile'? (there are: tile)");
    }
}

TEST(Overrides, NameTheCommandLineAsThePlace) {
    const TomlFile file = with_overrides(sample(), {{"kernel.tile", "x y"}});
    try {
        static_cast<void>(value<std::int64_t>(file, "kernel", "tile"));
        FAIL();
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), testing::StartsWith("--set: kernel.tile:"));
    }
}

TEST(Overrides, DoNotLeadThroughAValue) {
    EXPECT_THROW(static_cast<void>(with_overrides(sample(), {{"kernel.schedule.x", "1"}})), UserError);
}

TEST(Overrides, AreSplitAtTheFirstEqualsSign) {
    const Override one = parse_override("a.b=c=d");
    EXPECT_EQ(one.path, "a.b");
    EXPECT_EQ(one.value, "c=d");
    for (const char* bad : {"", "=", "=1", "a", "a.=1", ".a=1", "a..b=1"}) {
        EXPECT_THROW(static_cast<void>(parse_override(bad)), UserError) << bad;
    }
}

TEST(Overrides, AreWrittenAsTheyWouldBeGiven) {
    const TomlFile file = TomlFile::parse("v = [1, 2.0, true, \"x\", [3]]", "s.toml");
    EXPECT_EQ(text(std::get<TomlTable>(file.root().data).members[0]), "[1, 2.0, true, \"x\", [3]]");
}

TEST(Overrides, ValuesAreFoundByThePathsThatSetThem) {
    const TomlFile file = TomlFile::parse(
        "[launch]\nblocks = 8\n[[args]]\nname = 't'\nrole = 'struct'\nfields = [{ name = 'tile', value = 3 "
        "}]\n"
        "[[args]]\nname = 'n'\nvalue = 'a'\n",
        "s.toml");
    EXPECT_EQ(text_at(file, "launch.blocks"), "8");
    EXPECT_EQ(text_at(file, "args.n.value"), "a");
    EXPECT_EQ(text_at(file, "args.t.tile"), "3");
    for (const char* nowhere :
         {"launch", "launch.cores", "args.m.value", "args.t.tille", "launch.blocks.x"}) {
        EXPECT_EQ(text_at(file, nowhere), "") << nowhere;
    }
}

TEST(Overrides, OfListsOfTextsStayTextsWhenTheyAreGivenAgain) {
    const TomlFile file = TomlFile::parse(R"(v = ["1", "half", "a, \"b\"", "c:\\d"])", "s.toml");
    const TomlValue& list = std::get<TomlTable>(file.root().data).members[0];
    const TomlFile again = with_overrides(sample(), {{"program.arguments", text(list)}});
    TableReader root = again.reader();
    EXPECT_THAT(root.find_table("program")->list<std::string>("arguments"),
                testing::ElementsAre("1", "half", "a, \"b\"", "c:\\d"));
}

// `sweep main.cpp --over 'program.arguments[1]=256,512' -- 4 128`
TEST(Overrides, OfAnArgumentOfAProgramChangeTheWordsBehindTheDashes) {
    const TomlFile file = with_overrides(
        sample(), {{"command.arguments", "[\"4\", \"128\"]"}, {"program.arguments[1]", "256"}});
    EXPECT_EQ(text_at(file, "program.arguments"), "[\"4\", 256]");
    EXPECT_EQ(text_at(file, "command.arguments"), "");
    try {
        static_cast<void>(with_overrides(sample(), {{"program.arguments[1]", "256"}}));
        FAIL() << "there are no arguments";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("there is no list 'arguments' of which entry [1]"));
    }
}

TEST(Overrides, AreNumbersInJsonWhereTheyAreNumbers) {
    EXPECT_EQ(json_of_setting("16").dump(), "16");
    EXPECT_EQ(json_of_setting("91.2").dump(), "91.2");
    EXPECT_EQ(json_of_setting("fused").dump(), "\"fused\"");
    EXPECT_EQ(json_of_setting("[8, 16]").dump(), "\"[8, 16]\"");
}

}  // namespace
}  // namespace ascendsim::scenario
