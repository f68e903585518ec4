// SPDX-License-Identifier: Apache-2.0
#include "sim/process/digest.hpp"

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace ascendsim::process {
namespace {

namespace fs = std::filesystem;

std::string digest_of(std::initializer_list<std::string_view> texts) {
    Digest digest;
    for (const std::string_view text : texts) {
        digest.add(text);
    }
    return digest.hex();
}

TEST(Digest, TellsWhereOneTextEnds) {
    EXPECT_NE(digest_of({"ab", "c"}), digest_of({"a", "bc"}));
    EXPECT_NE(digest_of({"abc", ""}), digest_of({"abc"}));
    EXPECT_EQ(digest_of({"ab", "c"}), digest_of({"ab", "c"}));
}

TEST(Digest, ChangesWithEachBitOfALargeText) {
    std::string text(100'000, 'x');
    const std::string whole = digest_of({text});
    EXPECT_EQ(whole.size(), 32U);
    for (const std::size_t at : {std::size_t{0}, std::size_t{50'001}, text.size() - 1}) {
        text[at] = static_cast<char>(text[at] ^ 1);
        EXPECT_NE(digest_of({text}), whole) << at;
        text[at] = static_cast<char>(text[at] ^ 1);
    }
}

TEST(Digest, ReadsAFileAsItsText) {
    const fs::path folder = fs::path{testing::TempDir()} / ("digest-" + std::to_string(getpid()));
    fs::create_directories(folder);
    const std::string text(100'001, 'y');  // more than a piece
    std::ofstream{folder / "text", std::ios::binary} << text;
    Digest digest;
    digest.add_file(folder / "text");
    EXPECT_EQ(digest.hex(), digest_of({text}));
    digest.add_file(folder / "missing");
    digest.add_file(folder);
    EXPECT_EQ(digest.hex(), digest_of({text, "", ""}));
    fs::remove_all(folder);
}

}  // namespace
}  // namespace ascendsim::process
