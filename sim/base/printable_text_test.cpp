// SPDX-License-Identifier: Apache-2.0
#include "sim/base/printable_text.hpp"

#include <gtest/gtest.h>

namespace ascendsim {
namespace {

TEST(PrintableText, NamesThatCanBePrintedStay) {
    EXPECT_EQ(printable("model/layer.0:weight \\x01"), "model/layer.0:weight \\x01");
    EXPECT_EQ(printable("größe 層 \xF0\x9F\x8C\x8D"), "größe 層 \xF0\x9F\x8C\x8D");  // 2, 3 and 4 bytes
}

TEST(PrintableText, ControlCharactersAreEscaped) {
    using std::string_literals::operator""s;
    EXPECT_EQ(printable("a\0b\x1b[31m\n\x7f"s), "a\\x00b\\x1b[31m\\x0a\\x7f");
    EXPECT_EQ(printable("\xC2\x9B"), "\\xc2\\x9b");  // U+009B begins a command of a terminal, too
    EXPECT_EQ(printable("\xC2\xA0"), "\xC2\xA0");    // U+00A0 is none
}

TEST(PrintableText, BytesThatAreNoUtf8AreEscaped) {
    EXPECT_EQ(printable("\xFF"), "\\xff");
    EXPECT_EQ(printable("\x80z"), "\\x80z");                           // nothing before it
    EXPECT_EQ(printable("\xE5\xB1"), "\\xe5\\xb1");                    // cut off
    EXPECT_EQ(printable("\xC0\xAF"), "\\xc0\\xaf");                    // a slash in two bytes
    EXPECT_EQ(printable("\xE0\x80\xAF"), "\\xe0\\x80\\xaf");           // and in three
    EXPECT_EQ(printable("\xED\xA0\x80"), "\\xed\\xa0\\x80");           // U+D800, half of a pair
    EXPECT_EQ(printable("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // U+110000
    EXPECT_EQ(printable("\xE5\xC3\xA4"), "\\xe5\xC3\xA4");             // the next character is whole
}

TEST(PrintableText, LinesOfATextStay) {
    EXPECT_EQ(printable_lines("one\ntwo\r"), "one\ntwo\\x0d");
}

}  // namespace
}  // namespace ascendsim
