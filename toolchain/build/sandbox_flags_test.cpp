// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/sandbox_flags.hpp"

#include <gtest/gtest.h>

namespace ascendsim::toolchain {
namespace {

TEST(SandboxFlags, WhatSaysHowASourceIsReadIsHarmless) {
    for (const char* flag : {"-Iinclude",
                             "-DTILE=4",
                             "-std=c++17",
                             "-O3",
                             "-Wall",
                             "-lm",
                             "-include",
                             "x.h",
                             "-fno-strict-aliasing",
                             "libx.a"}) {
        EXPECT_TRUE(is_harmless_flag(flag)) << flag;
    }
}

TEST(SandboxFlags, WhatRunsCodeInTheCompilerIsNot) {
    for (const char* flag : {"-fplugin=evil.so",
                             "-fpass-plugin=evil.so",
                             "-Xclang",
                             "-B/tmp/bin",
                             "-fuse-ld=/tmp/ld",
                             "-Wl,--plugin,x.so",
                             "-Wp,-MD,/home/u/.bashrc",
                             "@flags",
                             "-o",
                             "-MF",
                             "--config",
                             "-specs=x",
                             "-wrapper",
                             "-fprofile-instr-use=x",
                             "--gcc-toolchain=/x"}) {
        EXPECT_FALSE(is_harmless_flag(flag)) << flag;
    }
}

}  // namespace
}  // namespace ascendsim::toolchain
