// SPDX-License-Identifier: Apache-2.0
#include "models/isa/move/message_copies.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "models/isa/testing/vector_bench.hpp"
#include "models/port/mailbox.hpp"

namespace ascendsim::isa {
namespace {

constexpr Site here{"test", 1};

using MessageCopies = VectorBench;

TEST_F(MessageCopies, ClearABoxOf16KiBForEachVectorCoreByCopiesOf2KiB) {
    clear_messages(here);
    std::uint64_t copies = 0;
    std::uint64_t bytes = 0;
    for (const TimedOp& op : core.ops()) {
        if (op.kind == OpKind::transfer) {
            EXPECT_EQ(op.pipe, Pipe::mte3);
            EXPECT_EQ(core.transfer(op).route, Route::l1_to_gm);
            ++copies;
            bytes += op.bytes;
        }
    }
    const std::uint64_t cores = core.identity().task_ratio;
    EXPECT_EQ(copies, 8 * cores + 1);  // and one of 64 B a core that tells of free memory
    EXPECT_EQ(bytes, (16384 + 64) * cores);
    EXPECT_TRUE(std::ranges::any_of(core.ops(), [](const TimedOp& op) { return op.pipe == Pipe::mte2; }));
}

TEST_F(MessageCopies, BringAMessageOf128BytesToItsPlace) {
    std::byte* box = message_box(0);
    copy_message(box + 1024, here);
    const TimedOp& op = core.ops().back();
    EXPECT_EQ(op.pipe, Pipe::mte3);
    EXPECT_EQ(op.bytes, 128U);
    EXPECT_EQ(core.transfer(op).offset, memory.offset_of(box) + 1024);
    EXPECT_EQ(core.transfer(op).route, Route::ub_to_gm);
}

}  // namespace
}  // namespace ascendsim::isa
