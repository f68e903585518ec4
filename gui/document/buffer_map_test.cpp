// SPDX-License-Identifier: Apache-2.0
#include "gui/document/buffer_map.hpp"

#include <gtest/gtest.h>

#include "gui/document/run_documents.hpp"
#include "gui/document/testing/runs.hpp"
#include "models/port/pipe.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim::gui {
namespace {

constexpr std::uint32_t half = 4096;  // B, of the made-up kernel's tiles

/// A recording whose first core also notes the lives of its buffers.
class Lives : public ::testing::Test {
protected:
    void life(
        Memory memory, std::uint32_t offset, std::uint64_t from, std::uint64_t to, std::string_view label) {
        run.recorder().buffer({.core_index = 0,
                               .memory = static_cast<std::uint8_t>(index(memory)),
                               .offset = offset,
                               .bytes = half,
                               .from = from,
                               .to = to,
                               .site = run.recorder().site("tiled.cpp", 5),
                               .label = label});
    }

    std::vector<MemoryMap> maps() {
        run.finish();
        documents.open(file.path().string());
        const gui::Run& opened = *as_run(documents.run_a().get());
        return buffer_map_of(opened, opened.cores().front());
    }

    record::testing::TemporaryFile file;
    TiledRun run{file.path(), 1, 4, 2};
    RunDocuments documents{Loading::at_once};
};

TEST_F(Lives, PartsThatTakeTurnsArePingAndPong) {
    life(Memory::ub, 0, 100, 200, "VECIN, mte2");
    life(Memory::ub, half, 150, 250, "VECIN, mte2");
    life(Memory::ub, 0, 200, 300, "VECIN, vector");
    const std::vector<MemoryMap> found = maps();
    ASSERT_EQ(found.size(), 1U);
    const MemoryMap& ub = found[0];
    EXPECT_EQ(ub.memory, index(Memory::ub));
    ASSERT_EQ(ub.held.size(), 3U);
    EXPECT_EQ(ub.held[0].offset, 0U);
    EXPECT_EQ(ub.held[0].name, "VECIN ping");
    EXPECT_EQ(ub.held[2].name, "VECIN pong");
    EXPECT_EQ(ub.held[2].pipe, "mte2");
    // From 150 on two of them live at once; at 200 one is handed over.
    EXPECT_EQ(ub.peak, 2 * half);
    EXPECT_EQ(ub.size, 196'608U) << "as the chip says";
    EXPECT_FALSE(ub.overflows());
}

TEST_F(Lives, AboutTheEndOfAMemoryIsAnOverflow) {
    life(Memory::ub, 196'608 - half / 2, 100, 200, "VECCALC");
    const std::vector<MemoryMap> found = maps();
    EXPECT_TRUE(found.at(0).overflows());
    EXPECT_EQ(found.at(0).reach, 196'608U + half / 2);
    EXPECT_EQ(found.at(0).shown(), found.at(0).reach);
}

TEST_F(Lives, ALifeLeadsToItsFirstUse) {
    // Tile 2 goes to offset 0 again; its load is the second there.
    life(Memory::ub, 0, 300, 2000, "VECIN, mte2");
    const std::vector<MemoryMap> found = maps();
    const gui::Run& opened = *as_run(documents.run_a().get());
    const std::optional<Pick> use =
        first_use(opened, found[0], found[0].held[0], found[0].held[0].stretches[0]);
    ASSERT_TRUE(use.has_value());
    EXPECT_EQ(pick_label(opened, *use, theme(ThemeName::dark)), "copy_gm_to_ubuf at tiled.cpp:12");
    EXPECT_GE(use->stretch.start, 300U);
}

TEST_F(Lives, WithoutLivesTheInstructionsShowWhatIsUsed) {
    const std::vector<MemoryMap> found = maps();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_TRUE(found[0].held.empty());
    EXPECT_EQ(found[0].peak, 0U);
    // Two loads' places, and two more that are added into and stored from: one slot for each pipe and place.
    EXPECT_EQ(found[0].worked.size(), 6U);
    EXPECT_EQ(found[0].reach, 98'304U + 2 * half);
}

}  // namespace
}  // namespace ascendsim::gui
