// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/exports.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "gui/shell/csv.hpp"

namespace ascendsim::gui {
namespace {

TEST(Csv, CellsThatNeedItAreQuoted) {
    Csv csv{{"name", "cycles"}};
    csv.row({"a, b", "1,024"});
    csv.row({"says \"no\"", "7"});
    EXPECT_EQ(csv.text(), "name,cycles\r\n\"a, b\",\"1,024\"\r\n\"says \"\"no\"\"\",7\r\n");
}

TEST(Exports, AWishIsDueOnceTheMenuIsGone) {
    Exports exports{testing::TempDir()};
    exports.add({"timeline", ExportKind::svg});
    exports.add({"timeline", ExportKind::svg});
    int frames = 0;
    std::vector<ExportWish> due;
    for (; due.empty() && frames < 20; ++frames) {
        EXPECT_TRUE(exports.pending());
        due = exports.take_due();
    }
    EXPECT_GE(frames, 2);
    ASSERT_EQ(due.size(), 1U) << "asked for twice, saved once";
    EXPECT_FALSE(exports.pending());
}

TEST(Exports, NoFileIsOverwritten) {
    const std::filesystem::path folder = std::filesystem::path{testing::TempDir()} / "exports";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    const Exports exports{folder};
    EXPECT_EQ(exports.file_for({"bubbles", ExportKind::csv}), folder / "ascendsim_bubbles.csv");
    std::ofstream{folder / "ascendsim_bubbles.csv"} << "mine";
    EXPECT_EQ(exports.file_for({"bubbles", ExportKind::csv}), folder / "ascendsim_bubbles_2.csv");
    EXPECT_EQ(exports.file_for({"", ExportKind::png}), folder / "ascendsim.png");
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ascendsim::gui
