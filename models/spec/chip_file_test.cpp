// SPDX-License-Identifier: Apache-2.0
#include "models/spec/chip_file.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace ascendsim {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path folder = ASCENDSIM_CHIPS;

std::string contents(const fs::path& path) {
    std::ifstream stream{path};
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

template <class F>
std::string error_of(F&& act) {
    try {
        act();
    } catch (const UserError& error) {
        return error.what();
    }
    return "no error";
}

/// Writes a chip file into a folder of the test's own and returns its path.
fs::path write_chip(const std::string& name, const std::string& text) {
    const fs::path own =
        fs::path{testing::TempDir()} / ("ascendsim_chip_file_test_" + std::to_string(::getpid()));
    fs::create_directories(own);
    const fs::path path = own / (name + ".toml");
    std::ofstream{path} << text;
    return path;
}

TEST(Chips, HoldTheEightOfTheProject) {
    const std::vector<std::string> chips = list_chips(folder);
    for (const char* chip : {"310", "310p3", "910a", "910b1", "910b2", "910b3", "910b4", "910c"}) {
        EXPECT_THAT(chips, testing::Contains(chip));
    }
}

TEST(Chips, GiveEveryValueInTheirOwnFileWithTagAndSource) {
    for (const std::string& name : list_chips(folder)) {
        ChipFile chip = open_chip(name, folder);
        const std::string own = (folder / (name + ".toml")).string() + ":";
        for (const FieldRef& field : all_fields(chip)) {
            const Provenance& from = chip.provenance.at(field.path);
            EXPECT_TRUE(from.place.starts_with(own)) << name << " " << field.path << " " << from.place;
            EXPECT_FALSE(from.source.empty()) << name << " " << field.path;
        }
        EXPECT_EQ(chip.provenance.size(), all_fields(chip).size()) << name;
    }
}

TEST(Chips, SayFromWhatAnInferredValueComes) {
    for (const std::string& name : list_chips(folder)) {
        for (const auto& [path, from] : open_chip(name, folder).provenance) {
            EXPECT_EQ(from.tag == "I", from.source.starts_with("from "))
                << name << " " << path << ": " << from.source;
        }
    }
}

TEST(Chips, CiteOnlySourcesThatTheDocumentLists) {
    const std::string listed = contents(folder / "../../docs/sources.md");
    ASSERT_THAT(listed, HasSubstr("| S1 |"));
    const std::regex key{R"(\bS[0-9]+[a-z]?\b)"};
    std::size_t cited = 0;
    for (const std::string& name : list_chips(folder)) {
        for (const auto& [path, from] : open_chip(name, folder).provenance) {
            for (std::sregex_iterator at{from.source.begin(), from.source.end(), key}, end; at != end;
                 ++at, ++cited) {
                EXPECT_THAT(listed, HasSubstr("| " + at->str() + " |")) << name << " " << path;
            }
        }
    }
    EXPECT_GT(cited, 1000U);
}

TEST(Chips, DrawPowerThatCanBeSet) {
    ChipFile chip = open_chip("910b3", folder);
    override_field(chip, "power.hbm.cost", "20");
    EXPECT_EQ(chip.power.hbm.cost, 20);
    EXPECT_THAT(describe_chip(chip), HasSubstr("power.hbm.cost = 20"));
    override_field(chip, "power.limit_w", "50");
    EXPECT_THAT(
        [&] { settle_chip(chip); },
        testing::ThrowsMessage<UserError>(HasSubstr("power.limit_w: is not above power.idle.cost, 95 W")));
}

TEST(Chips, ReachThePublishedPeak) {
    // fp16 TFLOPS: cores x 8192 x clock; marketed 256 for 910A (at a lower clock), 353.9 and 376 for Atlas
    // A2.
    const std::map<std::string, double> published{{"310", 11.1},
                                                  {"310p3", 69.5},
                                                  {"910a", 262.1},
                                                  {"910b1", 363.7},
                                                  {"910b2", 353.9},
                                                  {"910b3", 294.9},
                                                  {"910b4", 245.8},
                                                  {"910c", 363.7}};
    for (const auto& [name, tflops] : published) {
        EXPECT_NEAR(peak_fp16_tflops(load_chip(name, folder)), tflops, 0.005 * tflops) << name;
    }
}

TEST(Chips, AreCoupledOrSplitAsTheirGeneration) {
    for (const std::string& name : list_chips(folder)) {
        const ChipSpec chip = load_chip(name, folder);
        const bool a2 = chip.arch == "2201";
        EXPECT_EQ(chip.cores.split, a2) << name;
        EXPECT_EQ(chip.cores.aiv, a2 ? 2 * chip.cores.aic : 0) << name;
        EXPECT_EQ(chip.sync.hardware_cross_core, a2) << name;
        EXPECT_EQ(chip.mte1.l0a_bytes_per_cycle, a2 ? 256U : 512U) << name;
        EXPECT_EQ(chip.mte1.l0b_bytes_per_cycle, a2 ? 128U : 256U) << name;
        EXPECT_EQ(chip.coupled.l0c_ub_bytes_per_cycle == 0, a2) << name;
    }
    EXPECT_EQ(load_chip("910a", folder).sync.flag_ids, 4U);
    EXPECT_EQ(load_chip("310p3", folder).sync.flag_ids, 8U);
}

TEST(ChipNames, AreTakenAsPeopleWriteThem) {
    for (const char* name : {"910b1", "910B1", "Ascend910B1", "ascend 910b1", "Ascend-910B1"}) {
        EXPECT_EQ(load_chip(name, folder).name, "910b1") << name;
    }
    EXPECT_EQ(load_chip("Ascend910_9392", folder).name, "910c");
    EXPECT_EQ(load_chip("Ascend310P", folder).name, "310p3");
    EXPECT_EQ(load_chip((folder / "910a.toml").string(), "elsewhere").name, "910a");
}

TEST(ChipNames, BelongToOneChipEach) {
    std::map<std::string, std::string> owners;
    for (const std::string& name : list_chips(folder)) {
        EXPECT_TRUE(owners.emplace(name, name).second) << name;
    }
    for (const std::string& name : list_chips(folder)) {
        for (const std::string& alias : open_chip(name, folder).aliases) {
            EXPECT_TRUE(owners.emplace(normalized_chip_name(alias), name).second) << alias;
        }
    }
}

TEST(ChipNames, SuggestTheNearest) {
    const std::string message = error_of([] { (void)load_chip("910b7", folder); });
    EXPECT_THAT(message, HasSubstr("chip \"910b7\": no such chip, did you mean '910b"));
    EXPECT_THAT(message, HasSubstr("310, 310p3, 910a"));
    EXPECT_THAT(error_of([] { (void)load_chip("nowhere/x.toml", folder); }),
                HasSubstr("nowhere/x.toml: no such file"));
    EXPECT_THAT(error_of([] { (void)load_chip("910b1", "no/folder"); }), HasSubstr("no/folder: "));
}

TEST(ChipFiles, MayStartFromAnother) {
    const fs::path path = write_chip("wide",
                                     "base = '910b1'\ntitle = 'A wider 910B1'\n[l2]\ngb_per_s = { value = "
                                     "9000, tag = 'I', source = 'from a wish' }\n");
    const ChipFile chip = open_chip(path.string(), folder);
    EXPECT_EQ(chip.spec.name, "wide");
    EXPECT_EQ(chip.spec.l2.gb_per_s, 9000);
    EXPECT_EQ(chip.spec.l2.bytes, load_chip("910b1", folder).l2.bytes);
    EXPECT_EQ(chip.provenance.at("l2.gb_per_s").place, path.string() + ":4");
    EXPECT_THAT(chip.provenance.at("l2.bytes").place, HasSubstr("910b1.toml:"));
}

TEST(ChipFiles, SayWhereTheyAreWrong) {
    const auto error_in = [](const std::string& text) {
        const fs::path path = write_chip("wrong", text);
        return error_of([&] { (void)load_chip(path.string(), folder); });
    };
    const std::string base = "base = '910b1'\n";
    EXPECT_THAT(error_in(base + "[cores]\naic = { value = 0, tag = 'V', source = 'S1' }\n"),
                HasSubstr("wrong.toml:3: cores.aic: 0 is outside [1, 64]"));
    EXPECT_THAT(error_in(base + "[cores]\naix = { value = 1, tag = 'V', source = 'S1' }\n"),
                HasSubstr("wrong.toml:3: cores.aix: unknown key, did you mean 'ai"));
    EXPECT_THAT(error_in(base + "[cores]\naic = 20\n"), HasSubstr("wrong.toml:3: cores.aic: has no source"));
    EXPECT_THAT(error_in(base + "[cores]\naic = { value = 20, tag = 'X', source = 'S1' }\n"),
                HasSubstr("cores.aic.tag: \"X\" is none of V, VF, M, CA, 3P, I, calibrated"));
    EXPECT_THAT(error_in(base + "[cores]\naic = { value = 20, tag = 'V', source = 'S1' }\n"),
                HasSubstr("cores.aiv: 48 is not cores.aic x cores.aiv_per_aic, 40"));
    EXPECT_THAT(error_in(base + "[port]\nmin_request = { value = 1024, tag = 'V', source = 'S1' }\n"),
                HasSubstr("wrong.toml:3: port.min_request: is above port.max_request"));
    EXPECT_THAT(
        error_in(base + "[scalar]\npipe_lines = { value = 257, tag = 'V', source = 'S1' }\n"),
        HasSubstr("wrong.toml:3: scalar.pipe_lines: 257 lines of 64 B run over a core's stack of 16384 B; "
                  "allowed are 0 to 256"));
    EXPECT_THAT(error_in("title = 'x'\narch = '0'\n"), HasSubstr("wrong.toml:1: cores.aic is missing"));
    EXPECT_THAT(error_in("base = '910b9'\n"), HasSubstr("wrong.toml:1: base: chip \"910b9\": no such chip"));
    EXPECT_THAT(error_in("base = './wrong.toml'\n"), HasSubstr("is its own base"));
}

TEST(Overrides, ReachEveryFieldAndAreNoted) {
    ChipFile chip = open_chip("910b1", folder);
    override_field(chip, "l2.gb_per_s", "5000");
    EXPECT_EQ(chip.spec.l2.gb_per_s, 5000);
    EXPECT_EQ(chip.provenance.at("l2.gb_per_s").tag, "set");
    EXPECT_EQ(error_of([&] { override_field(chip, "l2.gb_per_sec", "5000"); }),
              "--set chip.l2.gb_per_sec: unknown parameter, did you mean 'l2.gb_per_s'?");
}

TEST(Overrides, ComeFromATableOfAScenario) {
    ChipFile chip = open_chip("910b1", folder);
    const TomlFile scenario =
        TomlFile::parse("[chip]\nhbm.gb_per_s = 2000\n[chip.cube]\nhead_cycles = -3\n", "s.toml");
    EXPECT_EQ(error_of([&] { override_fields(chip, scenario.reader().require_table("chip")); }),
              "s.toml:4: chip.cube.head_cycles: -3 is outside [0, 1000]");
    EXPECT_EQ(chip.spec.hbm.gb_per_s, 2000);
    EXPECT_EQ(chip.provenance.at("hbm.gb_per_s").place, "s.toml:2");
}

TEST(Overrides, LetVectorCoresFollowTheirGroups) {
    ChipFile chip = open_chip("910b1", folder);
    override_field(chip, "cores.aic", "12");
    settle_chip(chip);
    EXPECT_EQ(chip.spec.cores.aiv, 24U);
    EXPECT_EQ(chip.provenance.at("cores.aiv").source, "follows cores.aic x cores.aiv_per_aic");
    override_field(chip, "cores.aiv", "30");
    EXPECT_EQ(error_of([&] { settle_chip(chip); }),
              "--set: cores.aiv: 30 is not cores.aic x cores.aiv_per_aic, 24");
    ChipFile coupled = open_chip("910a", folder);
    override_field(coupled, "cores.aic", "30");
    EXPECT_NO_THROW(settle_chip(coupled));
    EXPECT_EQ(coupled.spec.cores.aiv, 0U);
}

TEST(Describe, ShowsEveryParameterToPeopleAndPrograms) {
    ChipFile chip = open_chip("910b4", folder);
    const std::string text = describe_chip(chip);
    const nlohmann::ordered_json json = describe_chip_json(chip);
    const nlohmann::ordered_json resolved = to_json(chip.spec);
    for (const FieldRef& field : fields_of(chip.spec)) {
        EXPECT_THAT(text, HasSubstr("\n" + field.path + " "));
        const auto pointer = "/" + std::regex_replace(field.path, std::regex{"\\."}, "/");
        EXPECT_TRUE(resolved.contains(nlohmann::ordered_json::json_pointer{pointer})) << pointer;
    }
    std::istringstream lines{text};
    constexpr std::size_t page = 130;  // 100 columns of words; a file's path or a formula may be longer
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), page) << line;
    }
    EXPECT_EQ(json["parameters"].size(), all_fields(chip).size());
    EXPECT_EQ(json["parameters"][0]["path"], "cores.aic");
    EXPECT_EQ(json["parameters"][0]["value"], 20);
    EXPECT_EQ(resolved["cores"]["clock_ghz"], 1.5);
    EXPECT_EQ(resolved["name"], "910b4");
}

}  // namespace
}  // namespace ascendsim
