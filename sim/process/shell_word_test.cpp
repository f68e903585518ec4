// SPDX-License-Identifier: Apache-2.0
#include "sim/process/shell_word.hpp"

#include <gtest/gtest.h>

#include "sim/process/subprocess.hpp"

namespace ascendsim::process {
namespace {

TEST(ShellWord, IsBareWhereItMayBe) {
    EXPECT_EQ(shell_word("/opt/a-b_c.toml"), "/opt/a-b_c.toml");
    EXPECT_EQ(shell_word("kernel.a=1,2"), "kernel.a=1,2");
    EXPECT_EQ(shell_word("mein kern.cpp"), "'mein kern.cpp'");
    EXPECT_EQ(shell_word(""), "''");
}

TEST(ShellWord, IsReadAsItStands) {
    for (const char* text : {"it's", "~", "$HOME", "a b", "*", "`x`", "\"", "a\\b", "'"}) {
        Subprocess shell{{"sh", "-c", "printf %s " + shell_word(text)}};
        EXPECT_EQ(shell.wait(), 0);
        EXPECT_EQ(shell.output(), text);
    }
}

}  // namespace
}  // namespace ascendsim::process
