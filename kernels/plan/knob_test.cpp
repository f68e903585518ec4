// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/knob.hpp"

#include <gmock/gmock.h>

namespace ascendsim::host {
namespace {

using testing::HasSubstr;

Knobs sample() {
    return Knobs{{
        Knob::word("schedule", {"native", "fused", "optimised"}, "how it runs"),
        Knob::integer("tile_m", 128, 16, 1024, "rows", "rows of a tile"),
        Knob::real("scale", 1.0, 0, 10, "", "scale"),
        Knob::flag("swizzle", false, "order of blocks"),
        Knob::shape("x", {32, 512, 4096}, "input"),
        Knob::type("dtype", {isa::DataType::half, isa::DataType::bfloat16}, "element type"),
    }};
}

template <class F>
std::string message(F&& f) {
    try {
        f();
    } catch (const UserError& error) {
        return error.what();
    }
    return "no error";
}

TEST(Knobs, ReadTheirDefaults) {
    const Knobs knobs = sample();
    EXPECT_EQ(knobs.word("schedule"), "native");
    EXPECT_EQ(knobs.integer("tile_m"), 128);
    EXPECT_EQ(knobs.shape("x"), (Shape{32, 512, 4096}));
    EXPECT_EQ(knobs.type("dtype"), isa::DataType::half);
    EXPECT_FALSE(knobs.is_set("tile_m"));
}

TEST(Knobs, TakeTextAsTheCommandLineGivesIt) {
    Knobs knobs = sample();
    knobs.set_text("x", "[1, 2,3]");
    knobs.set_text("tile_m", "64");
    knobs.set_text("scale", "2");
    knobs.set_text("swizzle", "true");
    EXPECT_EQ(knobs.shape("x"), (Shape{1, 2, 3}));
    EXPECT_EQ(knobs.integer("tile_m"), 64);
    EXPECT_EQ(knobs.real("scale"), 2.0);
    EXPECT_TRUE(knobs.flag("swizzle"));
    EXPECT_TRUE(knobs.is_set("scale"));
}

TEST(Knobs, NameTheNearestKeyAndThePlace) {
    Knobs knobs = sample();
    const std::string text = message([&] { knobs.set("shedule", std::string{"fused"}, "a.toml:3"); });
    EXPECT_THAT(text, HasSubstr("a.toml:3: kernel.shedule: unknown key, did you mean 'schedule'?"));
}

TEST(Knobs, RefuseValuesTheyDoNotAllow) {
    Knobs knobs = sample();
    EXPECT_THAT(message([&] { knobs.set_text("schedule", "fusd"); }), HasSubstr("did you mean 'fused'?"));
    EXPECT_THAT(message([&] { knobs.set_text("tile_m", "8"); }), HasSubstr("outside [16, 1024]"));
    EXPECT_THAT(message([&] { knobs.set_text("tile_m", "1.5"); }), HasSubstr("must be an integer"));
    EXPECT_THAT(message([&] { knobs.set_text("x", "1,,2"); }), HasSubstr("must be a list of extents"));
    EXPECT_THAT(message([&] { knobs.set_text("x", "-1"); }), HasSubstr("must be a list of extents"));
    EXPECT_THAT(message([&] { knobs.set("swizzle", std::int64_t{1}); }), HasSubstr("must be true or false"));
    EXPECT_EQ(knobs.integer("tile_m"), 128);
}

TEST(Knobs, AnIntegerServesAReal) {
    Knobs knobs = sample();
    knobs.set("scale", std::int64_t{3});
    EXPECT_EQ(knobs.real("scale"), 3.0);
}

TEST(Knobs, ReportAPlansErrorAtThePlaceOfTheValue) {
    Knobs knobs = sample();
    knobs.set("x", Shape{4, 4}, "s.toml:9");
    EXPECT_STREQ(knobs.error("x", "rank 2, must be 3").what(),
                 "s.toml:9: kernel.x = [4, 4]: rank 2, must be 3");
}

TEST(ElementTypes, AreFoundByNameOrNearestName) {
    EXPECT_EQ(parse_type("half", ""), isa::DataType::half);
    EXPECT_THAT(message([] { static_cast<void>(parse_type("flot16", "a.toml:1")); }),
                HasSubstr("did you mean 'float16'?"));
}

}  // namespace
}  // namespace ascendsim::host
