// SPDX-License-Identifier: Apache-2.0
#include "sim/base/pattern.hpp"

#include <random>
#include <regex>
#include <string>

#include <gmock/gmock.h>

#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using testing::HasSubstr;

std::string found(const char* expression, std::string_view text, std::size_t group = 0) {
    const std::optional<PatternMatch> match = Pattern{expression}.search(text);
    return match ? std::string{(*match)[group]} : "none";
}

TEST(Pattern, FindsTheLeftmostAndTheEarliestAlternative) {
    EXPECT_EQ(found("b+", "aabbbcbbbb"), "bbb");
    EXPECT_EQ(found("a|ab", "xab"), "a");
    EXPECT_EQ(found("ab|a", "xab"), "ab");
    EXPECT_EQ(found("a.*?c", "abcabc"), "abc");
    EXPECT_EQ(found("x{2,3}", "xxxxx"), "xxx");
    EXPECT_EQ(found("x{2}y", "xxxy"), "xxy");
    EXPECT_EQ(found("^b", "ab"), "none");
}

TEST(Pattern, KeepsGroups) {
    EXPECT_EQ(found(R"((\d+)x(\d+) split)", "a 12x34 split", 2), "34");
    const std::optional<PatternMatch> match = Pattern{"(a)|(b)"}.search("b");
    ASSERT_TRUE(match);
    EXPECT_FALSE(match->matched(1));
    EXPECT_EQ((*match)[2], "b");
}

TEST(Pattern, KnowsClassesEdgesAndCase) {
    EXPECT_EQ(found(R"(\bout ([0-9,]+))", "about 7, out 8,9", 1), "8,9");
    EXPECT_EQ(found(R"([^\s\]-]+)", " ]-ab]"), "ab");
    EXPECT_EQ(found(R"(\D\W\S)", "1a b"), "a b");
    EXPECT_TRUE((Pattern{"GHz[a-c]", Pattern::Case::any}.is_in("1 gHZB")));
    EXPECT_TRUE(Pattern{R"(a\.b\\)"}.is_in(R"(a.b\)"));
}

TEST(Pattern, MatchesTheWholeTextIfAsked) {
    const Pattern number{"(dim|axis)?\\d+"};
    EXPECT_TRUE(number.whole("axis12"));
    EXPECT_FALSE(number.whole("axis12 "));
    EXPECT_TRUE(Pattern{"a|ab"}.whole("ab"));
    EXPECT_EQ(Pattern{"\\d+"}.all("1,22,,333").size(), 3U);
    EXPECT_EQ(Pattern{"a*"}.all("baa").size(), 3U);
}

TEST(Pattern, SaysWhatIsNoExpression) {
    for (const char* wrong :
         {"(", ")", "[a", "*a", "a**", "a{2,1}", "a{9999}", "\\", "(?=a)", "(a)\\1", "[b-a]", "\\q"}) {
        EXPECT_THROW(Pattern{wrong}, UserError) << wrong;
    }
    EXPECT_THROW(Pattern{std::string(1000, '(')}, UserError);
    EXPECT_THROW(Pattern{"(((a{999}){999}){999})"}, UserError);
}

TEST(Pattern, TakesALineOfAMegabyte) {
    const std::string line(1'000'000, 'a');
    EXPECT_FALSE(Pattern{"(a|aa)+b"}.is_in(line));
    EXPECT_FALSE(Pattern{R"((^|\n)[^\n/]*\bmain\s*\()"}.is_in(line));
    EXPECT_EQ(Pattern{"(a*)*"}.search(line)->end, line.size());
}

/// Expressions and texts of few letters, so that much matches.
std::string random_expression(std::mt19937& random, int depth) {
    const auto pick = [&](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
    std::string result;
    for (std::uint32_t part = pick(3) + 1; part > 0; --part) {
        const std::uint32_t what = pick(depth > 0 ? 9 : 7);
        constexpr const char* simple[]{"a", "b", "[ab]", ".", "\\b", "[^a]", "\\w"};
        result += what < 7    ? simple[what]
                  : what == 7 ? "(" + random_expression(random, depth - 1) + ")"
                              : "(?:" + random_expression(random, depth - 1) + "|" +
                                    random_expression(random, depth - 1) + ")";
        constexpr const char* repeats[]{"*", "+", "?", "*?", "{1,2}"};
        if (what != 4 && what < 7 && pick(3) == 0) {  // groups that repeat may keep another round's text
            result += repeats[pick(5)];
        }
    }
    return result;
}

TEST(Pattern, FindsWhatTheStandardLibraryFinds) {
    constexpr unsigned seed = 20260101;
    std::mt19937 random{seed};
    for (int round = 0; round < 3000; ++round) {
        const std::string expression = random_expression(random, 2);
        std::string text;
        for (std::size_t letters = random() % 10; letters > 0; --letters) {
            text += "ab c"[random() % 4];
        }
        std::smatch expected;
        const bool there = std::regex_search(text, expected, std::regex{expression});
        const std::optional<PatternMatch> match = Pattern{expression}.search(text);
        ASSERT_EQ(match.has_value(), there) << expression << " in '" << text << "'";
        for (std::size_t group = 0; there && group < expected.size(); ++group) {
            ASSERT_EQ((*match)[group], expected[group].str())
                << "group " << group << " of " << expression << " in '" << text << "'";
        }
    }
}

}  // namespace
}  // namespace ascendsim
