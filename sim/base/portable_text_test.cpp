// SPDX-License-Identifier: Apache-2.0
#include "sim/base/portable_text.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ascendsim {
namespace {

TEST(PortableText, NamesFilesByTheirPathInAFolder) {
    EXPECT_EQ(relative_to("/home/me/p", "/home/me/p/src/add.cpp"), "src/add.cpp");
    EXPECT_EQ(relative_to("/home/me/p/", "at /home/me/p/add.cpp:41, /home/me/p/b.h"), "at add.cpp:41, b.h");
    EXPECT_EQ(relative_to("/home/me/p", "-I/home/me/p/inc"), "-I/home/me/p/inc");
    EXPECT_EQ(relative_to("/home/me/p", "--include=/home/me/p/inc"), "--include=inc");
    EXPECT_EQ(relative_to("/home/me/p", "/home/me/private"), "/home/me/private");
    EXPECT_EQ(relative_to("/p", "/home/p/add.cpp"), "/home/p/add.cpp");
    EXPECT_EQ(relative_to("/", "/add.cpp"), "/add.cpp");
}

TEST(PortableText, CutsAbsolutePathsDownToNames) {
    EXPECT_EQ(without_folders("/home/me/p/add.cpp"), "add.cpp");
    EXPECT_EQ(without_folders("race at /home/me/add.cpp:41 ('/a/b.h')"), "race at add.cpp:41 ('b.h')");
    EXPECT_EQ(without_folders("/a/b/"), "b/");
    EXPECT_EQ(without_folders("120 GB/s of mte2/vector, 3 / 4, ../x/y"),
              "120 GB/s of mte2/vector, 3 / 4, ../x/y");
    EXPECT_EQ(without_folders("/"), "/");
    EXPECT_EQ(without_folders(""), "");
}

TEST(PortableText, ChangesTextsAndKeysHoweverDeep) {
    const nlohmann::json values{{"/a/b.cpp", {1, "/a/c.h", {{"k", "/a/d.h"}}}}};
    const nlohmann::json expected{{"b.cpp", {1, "c.h", {{"k", "d.h"}}}}};
    EXPECT_EQ(with_texts(values, without_folders), expected);
}

}  // namespace
}  // namespace ascendsim
