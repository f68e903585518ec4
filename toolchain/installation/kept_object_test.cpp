// SPDX-License-Identifier: Apache-2.0
#include "toolchain/installation/kept_object.hpp"

#include <cstdlib>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "sim/process/file_text.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

class KeptObject : public testing::Test {
protected:
    fs::path folder =
        fs::path{testing::TempDir()} /
        (std::string{"kept_object_"} + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::path stem = folder / "key";

    void SetUp() override {
        fs::remove_all(folder);
        fs::create_directories(folder);
    }

    void TearDown() override { fs::remove_all(folder); }

    [[nodiscard]] fs::path made(const std::string& name, const std::string& text) const {
        std::ofstream{folder / name, std::ios::binary} << text;
        return folder / name;
    }

    [[nodiscard]] fs::path keep(const std::string& text) const {
        return keep_object(made("fresh", text), stem, ".so");
    }
};

TEST_F(KeptObject, IsFoundAsItWasKept) {
    EXPECT_TRUE(kept_object(stem, ".so").empty());
    const fs::path object = keep("machine code");
    EXPECT_EQ(object.extension(), ".so");
    EXPECT_EQ(kept_object(stem, ".so"), object);
    EXPECT_EQ(process::text_of(object), "machine code");
    EXPECT_TRUE(kept_object(stem, ".o").empty());
}

TEST_F(KeptObject, OfTwoTheLastCountsAndTheFirstStaysForThoseWhoHaveIt) {
    const fs::path first = keep("one");
    const fs::path second = keep("two");
    EXPECT_EQ(kept_object(stem, ".so"), second);
    EXPECT_EQ(process::text_of(first), "one");
}

TEST_F(KeptObject, IsNotFoundOnceItIsDamagedAndCanBeKeptAnew) {
    const std::string text(1000, 'x');
    std::string flipped = text;
    flipped[500] = 'y';
    for (const std::string& damage : {text.substr(1), std::string{}, flipped, text + "x"}) {
        const fs::path object = keep(text);
        ASSERT_EQ(kept_object(stem, ".so"), object);
        std::ofstream{object, std::ios::binary} << damage;
        EXPECT_TRUE(kept_object(stem, ".so").empty()) << damage.size();
        EXPECT_EQ(process::text_of(keep(text)), text);
    }
}

TEST_F(KeptObject, AFolderInItsPlaceIsReplaced) {
    for (const bool of_note : {false, true}) {
        const fs::path object = keep("code");
        const fs::path place = of_note ? folder / "key.so.sum" : object;
        fs::remove(place);
        fs::create_directories(place / "within");
        EXPECT_TRUE(kept_object(stem, ".so").empty());
        EXPECT_EQ(keep("code"), object);
        EXPECT_EQ(kept_object(stem, ".so"), object);
    }
}

TEST_F(KeptObject, IsOnlyAsWholeAsWhatGoesWithIt) {
    const fs::path object = keep_object(made("fresh", "parsed"), stem, ".pch", made("fresh.d", "pch: a.h"));
    EXPECT_EQ(kept_object(stem, ".pch", ".d"), object);
    const fs::path beside = fs::path{object}.replace_extension(".d");
    EXPECT_EQ(process::text_of(beside), "pch: a.h");
    std::ofstream{beside} << "pch:";
    EXPECT_TRUE(kept_object(stem, ".pch", ".d").empty());
}

TEST_F(KeptObject, ANoteThatNamesAnotherFolderIsNone) {
    static_cast<void>(keep("code"));
    std::ofstream{folder / "key.so.sum"} << "../../../home/someone/evil/0123456";
    EXPECT_TRUE(kept_object(stem, ".so").empty());
}

}  // namespace
}  // namespace ascendsim::toolchain
