// SPDX-License-Identifier: Apache-2.0
#include "sim/config/toml_file.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/config/table_reader.hpp"
#include "sim/config/toml_depth.hpp"

namespace ascendsim {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

template <class F>
std::string error_of(F&& act) {
    try {
        act();
    } catch (const UserError& error) {
        return error.what();
    }
    return "no error";
}

TableReader read(const std::string& text) {
    return TomlFile::parse(text, "a.toml").reader();
}

TEST(TomlFile, NamesLineAndColumnOfASyntaxError) {
    EXPECT_THAT(error_of([] { (void)read("a = 1\nb = = 2\n"); }), StartsWith("a.toml:2:5: "));
    EXPECT_THAT(error_of([] { (void)read("a = 1\na = 2\n"); }), StartsWith("a.toml:2:"));
    EXPECT_THAT(error_of([] { (void)read("a = \"\xff\""); }), StartsWith("a.toml:1:"));
}

TEST(TomlFile, SaysWhyAFileCannotBeRead) {
    EXPECT_EQ(error_of([] { (void)TomlFile::open("no/such.toml"); }),
              "no/such.toml: no such file: there is no folder 'no'");
    EXPECT_EQ(error_of([] { (void)TomlFile::open(testing::TempDir()); }),
              testing::TempDir() + ": not a file");
}

TEST(TomlFile, ReadsAFileAndKnowsItsFolder) {
    const std::string path = testing::TempDir() + "/ascendsim_toml_file_test.toml";
    std::ofstream{path} << "answer = 42\n";
    const TomlFile file = TomlFile::open(path);
    EXPECT_EQ(file.reader().get<std::uint32_t>("answer"), 42U);
    EXPECT_EQ(file.folder() / "ascendsim_toml_file_test.toml", path);
}

TEST(TomlFile, KeepsMembersInTheOrderOfTheFile) {
    const TableReader table = read("z = 1\na = 2\nm = 3\n");
    std::string order;
    for (const Node& member : table.node().members()) {
        order += member.key();
    }
    EXPECT_EQ(order, "zam");
}

TEST(TomlFile, RefusesKeysDeepEnoughToOverflowTheStack) {
    std::string deep = "a";
    for (int i = 0; i < 200'000; ++i) {
        deep += ".a";
    }
    EXPECT_EQ(error_of([&] { (void)read("x = 1\n" + deep + " = 1\n"); }),
              "a.toml:2: a key has more than 16 dots");
    EXPECT_EQ(error_of([&] { (void)read("[" + deep + "]\n"); }), "a.toml:1: a key has more than 16 dots");
    EXPECT_THAT(error_of([] { (void)read("a = " + std::string(100'000, '[')); }), StartsWith("a.toml:1:"));
}

TEST(TomlDepth, CountsOnlyDotsOfKeys) {
    EXPECT_EQ(line_of_too_deep_key("s = '..........'\n# ..........\nt = \"\"\"\n......\"\"\"\n", 2), 0U);
    EXPECT_EQ(line_of_too_deep_key("s = [1.5, 2.5, 3.5, 4.5]\n", 2), 0U);
    EXPECT_EQ(line_of_too_deep_key("s = \"\\\"......\"\na.b.c = 1\n", 2), 0U);
    EXPECT_EQ(line_of_too_deep_key("s = '''\n\n'''\n'a'.\"b\".c.d = 1\n", 2), 4U);
    EXPECT_EQ(line_of_too_deep_key("s = { a.b.c.d = 1 }", 2), 1U);
}

TEST(TableReader, GivesTypedValuesAndDefaults) {
    TableReader table = read("b = true\ni = -3\nu = 7\nd = 1.5\nw = 2\ns = 'x'\nl = [1, 2]\n[t]\nk = 1\n");
    EXPECT_TRUE(table.get<bool>("b"));
    EXPECT_EQ(table.get<std::int64_t>("i"), -3);
    EXPECT_EQ(table.get<std::uint64_t>("u"), 7U);
    EXPECT_EQ(table.get<double>("d"), 1.5);
    EXPECT_EQ(table.get<double>("w"), 2.0);
    EXPECT_EQ(table.get<std::string>("s"), "x");
    EXPECT_EQ(table.list<std::uint32_t>("l"), (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(table.require_table("t").get<std::uint32_t>("k"), 1U);
    EXPECT_EQ(table.get_or<std::uint32_t>("absent", 9), 9U);
    EXPECT_FALSE(table.find_table("none"));
    EXPECT_TRUE(table.tables("none").empty());
    EXPECT_NO_THROW(table.finish());
}

TEST(TableReader, NamesPlacePathAndBothTypes) {
    TableReader table =
        read("[kernel]\nblocks = 'many'\nscale = true\nname = 3\nlist = [1, 'x']\n").require_table("kernel");
    EXPECT_EQ(error_of([&] { (void)table.get<std::uint32_t>("blocks"); }),
              "a.toml:2: kernel.blocks: \"many\" is not a whole number");
    EXPECT_EQ(error_of([&] { (void)table.get<double>("scale"); }),
              "a.toml:3: kernel.scale: true is not a number");
    EXPECT_EQ(error_of([&] { (void)table.get<std::string>("name"); }),
              "a.toml:4: kernel.name: 3 is not a string");
    EXPECT_EQ(error_of([&] { (void)table.get<bool>("name"); }),
              "a.toml:4: kernel.name: 3 is not true or false");
    EXPECT_EQ(error_of([&] { (void)table.list<std::int64_t>("list"); }),
              "a.toml:5: kernel.list[1]: \"x\" is not a whole number");
    EXPECT_EQ(error_of([&] { (void)table.get<double>("gone"); }), "a.toml:1: kernel.gone: is missing");
}

TEST(TableReader, ChecksRanges) {
    TableReader table = read("n = 65\nx = nan\nminus = -1\nbig = 4294967296\n");
    EXPECT_EQ(error_of([&] {
                  (void)table.get<std::uint32_t>("n", Limits{1, 64});
              }),
              "a.toml:1: n: 65 is outside [1, 64]");
    EXPECT_EQ(error_of([&] {
                  (void)table.get<double>("x", Limits{0, 1});
              }),
              "a.toml:2: x: nan is outside [0, 1]");
    EXPECT_THAT(error_of([&] { (void)table.get<std::uint64_t>("minus"); }),
                HasSubstr("minus: -1 is outside [0, "));
    EXPECT_EQ(error_of([&] { (void)table.get<std::uint32_t>("big"); }),
              "a.toml:4: big: 4294967296 is outside [0, 4294967295]");
    EXPECT_EQ(table.get<std::uint32_t>("n", Limits{65, 65}), 65U);
}

TEST(TableReader, ReportsKeysNobodyAskedFor) {
    TableReader table = read("[kernel]\nentry = 'f'\nblok = 3\n").require_table("kernel");
    (void)table.get<std::string>("entry");
    (void)table.get_or<std::uint32_t>("block", 1);
    EXPECT_EQ(error_of([&] { table.finish(); }), "a.toml:3: kernel.blok: unknown key, did you mean 'block'?");
    TableReader other = read("nothing_alike = 1\n");
    (void)other.find("chip");
    EXPECT_EQ(error_of([&] { other.finish(); }), "a.toml:1: nothing_alike: unknown key, known: chip");
}

TEST(TableReader, OffersAChoiceOfWords) {
    TableReader table = read("mode = 'timin'\nother = 'fast'\n");
    EXPECT_EQ(table.choice("absent", {"functional", "timing"}), "functional");
    EXPECT_EQ(table.choice("other", {"slow", "fast"}), "fast");
    EXPECT_EQ(error_of([&] {
                  (void)table.choice("mode", {"functional", "timing"});
              }),
              "a.toml:1: mode: \"timin\" is none of functional, timing, did you mean 'timing'?");
}

TEST(TableReader, WalksArraysOfTables) {
    TableReader table = read(
        "[[args]]\nname = 'x'\n[[args]]\nname = 'y'\nrank = 'two'\n[[args]]\nrank = -1\n[[args]]\nname = "
        "'z'\nrnk = 1\n");
    std::vector<TableReader> args = table.tables("args");
    ASSERT_EQ(args.size(), 4U);
    EXPECT_EQ(args[0].get<std::string>("name"), "x");
    EXPECT_EQ(error_of([&] { (void)args[1].get<std::uint32_t>("rank"); }),
              "a.toml:5: args.y.rank: \"two\" is not a whole number");  // as --set calls it
    EXPECT_EQ(error_of([&] { (void)args[2].get<std::uint32_t>("rank"); }),
              "a.toml:7: args[2].rank: -1 is outside [0, 4294967295]");
    EXPECT_EQ(error_of([&] {
                  (void)args[3].get<std::string>("name");
                  (void)args[3].get<std::uint32_t>("rank");
              }),
              "a.toml:10: args.z.rnk: unknown key, did you mean 'rank'?");
}

TEST(TableReader, EscapesAndShortensWhatItShows) {
    TableReader table = read("s = \"a\\u0007" + std::string(100, 'x') + "\"\n");
    const std::string message = error_of([&] { (void)table.get<bool>("s"); });
    EXPECT_THAT(message, HasSubstr("\"a\\x07xxx"));
    EXPECT_LT(message.size(), 120U);
}

TEST(TableReader, OutlivesTheFileItReads) {
    const auto node = [] {
        return TomlFile::parse("[a]\nb = 'still here'\n", "a.toml").reader().require("a");
    }();
    EXPECT_EQ(node.table().get<std::string>("b"), "still here");
}

}  // namespace
}  // namespace ascendsim
