// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output_words.hpp"

#include <gmock/gmock.h>

#include "sim/base/error.hpp"

namespace ascendsim::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// The outputs of a command that writes one of each kind.
struct OutputWords : testing::Test {
    std::string json;
    std::string csv;
    std::string toml;
    std::string record;
    std::string out;
    std::vector<OutputOption> outputs{{"--json", "FILE", Output::file, &json},
                                      {"--csv", "FILE", Output::file, &csv},
                                      {"--toml", "FILE", Output::file, &toml},
                                      {"--record", "FILE", Output::recording, &record},
                                      {"--out", "DIR", Output::folder, &out}};

    [[nodiscard]] std::vector<std::string> joined(const std::vector<std::string>& words) const {
        return join_outputs(words, outputs);
    }

    [[nodiscard]] std::string refusal(const std::vector<std::string>& words) const {
        try {
            static_cast<void>(joined(words));
        } catch (const UserError& error) {
            return error.what();
        }
        return "accepted";
    }
};

TEST_F(OutputWords, AFileLeftOutIsStandardOutput) {
    EXPECT_THAT(joined({"run", "a.toml", "--json"}), ElementsAre("run", "a.toml", "--json=-"));
    EXPECT_THAT(joined({"validate", "--json", "--jobs", "2"}),
                ElementsAre("validate", "--json=-", "--jobs", "2"));
    EXPECT_THAT(joined({"run", "a.cpp", "--json", "--", "--json", "5"}),
                ElementsAre("run", "a.cpp", "--json=-", "--", "--json", "5"));
}

TEST_F(OutputWords, APlaceIsKept) {
    EXPECT_THAT(joined({"--json", "-", "--", "x"}), ElementsAre("--json=-", "--", "x"));
    EXPECT_THAT(joined({"--json", "out.json", "a.toml"}), ElementsAre("--json=out.json", "a.toml"));
    EXPECT_THAT(joined({"--json=a.toml", "--csv=x"}), ElementsAre("--json=a.toml", "--csv=x"));
    EXPECT_THAT(joined({"--json", "", "a.toml"}), ElementsAre("a.toml"));  // a script's empty variable
    EXPECT_THAT(joined({"--toml", "best.toml", "--record", "a.rec", "--out", "add"}),
                ElementsAre("--toml=best.toml", "--record=a.rec", "--out=add"));
}

TEST_F(OutputWords, WhatIsMeantForTheCommandIsRefusedWithTheWayToWriteIt) {
    EXPECT_EQ(refusal({"run", "--json", "a.toml"}),
              "--json a.toml: that is a scenario, not a place to write to; write --json=a.toml if you "
              "mean it, or put it last or write '--json -' for standard output");
    EXPECT_THAT(refusal({"run", "--json", "a.cpp"}), HasSubstr("that is a source"));
    EXPECT_THAT(refusal({"explain", "--csv", "a.rec"}), HasSubstr("that is a recording"));
    EXPECT_THAT(refusal({"run", "a.cpp", "--json", "256"}), HasSubstr("that is a number"));
    EXPECT_THAT(refusal({"check", "--json", "matmul_8192_910b1", "swiglu_910b"}),
                HasSubstr("that is a scenario"));
    EXPECT_THAT(refusal({"run", "--json", "lessons/1_double_buffering"}), HasSubstr("that is a scenario"));
    EXPECT_THAT(refusal({"run", "--record", "a.toml"}), HasSubstr("that is a scenario"));
}

TEST_F(OutputWords, AFolderAndARecordingMustBeNamed) {
    EXPECT_EQ(refusal({"run", "a.toml", "--out"}), "--out: needs a folder, as in --out DIR");
    EXPECT_EQ(refusal({"run", "a.toml", "--record", "--quiet"}),
              "--record: needs a file, as in --record FILE");
}

TEST_F(OutputWords, StandardOutputHasRoomForOne) {
    json = "-";
    EXPECT_NO_THROW(check_standard_output(outputs));
    csv = "-";
    EXPECT_THROW(check_standard_output(outputs), UserError);
    csv = "a.csv";
    EXPECT_NO_THROW(check_standard_output(outputs));
}

TEST_F(OutputWords, AMissingWordMayHaveBeenTakenByAnOutput) {
    EXPECT_EQ(taken_hint(outputs), "");
    json = "kernel";
    EXPECT_THAT(taken_hint(outputs), HasSubstr("--json took 'kernel' as its FILE"));
}

}  // namespace
}  // namespace ascendsim::cli
