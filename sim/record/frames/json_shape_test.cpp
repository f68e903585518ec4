// SPDX-License-Identifier: Apache-2.0
#include "sim/record/frames/json_shape.hpp"

#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "sim/base/error.hpp"

namespace ascendsim::record {
namespace {

nlohmann::json checked(FrameType type, const std::string& text) {
    return checked_json(type, std::as_bytes(std::span{text}));
}

std::string complaint(FrameType type, const std::string& text) {
    try {
        static_cast<void>(checked(type, text));
    } catch (const UserError& error) {
        return error.what();
    }
    return {};
}

TEST(JsonShape, TakesWhatAKeyIsFor) {
    const std::string text = R"({"cycles":7,"file":"a.toml","knobs":{"start":"x"},"unknown":[{"lane":2}]})";
    EXPECT_EQ(checked(FrameType::metadata, text).dump(), text);
}

TEST(JsonShape, NullIsAsIfItWereMissing) {
    EXPECT_EQ(checked(FrameType::totals, R"({"executions":[{"start":null,"end":4}],"error":null})").dump(),
              R"({"executions":[{"end":4}]})");
}

TEST(JsonShape, NamesAKeyThatIsSomethingElse) {
    EXPECT_EQ(complaint(FrameType::metadata, R"({"file":7})"),
              "the recording is damaged: \"file\" must be a text");
    EXPECT_EQ(complaint(FrameType::event, R"({"lane":-1})"),
              "the recording is damaged: \"lane\" must be a number, 0 or more");
    EXPECT_EQ(complaint(FrameType::event, R"({"cycle":1e300})"),
              "the recording is damaged: \"cycle\" must be a number, 0 or more");
    EXPECT_EQ(complaint(FrameType::totals, R"({"hazards":[1]})"),
              "the recording is damaged: \"hazards\" must be a list of objects");
    EXPECT_EQ(complaint(FrameType::metadata, R"({"overrides":[]})"),
              "the recording is damaged: \"overrides\" must be an object");
    EXPECT_EQ(complaint(FrameType::metadata, R"({"knob_ranges":{"tile":{"min":"1"}}})"),
              "the recording is damaged: \"min\" must be a number");
    EXPECT_EQ(complaint(FrameType::metadata, "[]"), "the recording is damaged: a frame holds broken JSON");
}

TEST(JsonShape, RefusesNestingThatWouldOverflowTheStack) {
    const std::string deep = R"({"x":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
    EXPECT_EQ(complaint(FrameType::metadata, deep),
              "the recording is damaged: a frame holds JSON nested deeper than 64 levels");
}

}  // namespace
}  // namespace ascendsim::record
