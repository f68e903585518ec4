// SPDX-License-Identifier: Apache-2.0
#include "models/core/effect_order.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "models/core/auto_sync.hpp"
#include "models/core/testing_programs.hpp"
#include "models/port/observed_push.hpp"
#include "models/port/scalar_access.hpp"
#include "models/port/testing/plain_core.hpp"

namespace ascendsim {
namespace {

constexpr std::uint32_t block_bytes = 32;

/// A copy of the first block of global memory; its effect may follow, as behind issue()'s look at the
/// observer.
void touch_global(bool write) {
    isa::Accesses accesses;
    const isa::Access access{.memory = Memory::gm, .write = write, .row_bytes = block_bytes};
    write ? accesses.write(access) : accesses.read(access);
    isa::CorePort& core = isa::CorePort::current();
    core.next() = {.info = &testing::copy_info,
                   .site = testing::here,
                   .kind = isa::OpKind::transfer,
                   .pipe = write ? Pipe::mte3 : Pipe::mte2,
                   .bytes = block_bytes};
    if (isa::AccessObserver* observer = core.observer()) {
        observer->on_issue(core.next(), accesses);
    }
    core.commit(isa::Transfer{.row_bytes = block_bytes,
                              .route = write ? isa::Route::ub_to_gm : isa::Route::gm_to_ub});
}

/// What one block of two finds in memory. Block `writer` computes for 5,000 cycles on its scalar unit, then
/// writes 2 over 1; the other reads at once.
int seen_beside(std::uint32_t writer) {
    const ChipSpec chip = testing::plain_chip();
    record::Recorder recorder{""};
    Machine machine{chip, recorder, {.time_order = true, .cold_code = false, .launch_overhead = false}};
    machine.memory().allocate("y", block_bytes);
    int value = 1;
    int seen = 0;
    machine.run([&](Machine& m) {
        m.launch({.name = "test", .kind = CoreUse::aiv, .blocks = 2, .vector_program = [&] {
                      if (isa::CorePort::current().identity().block == writer) {
                          isa::scalar_work(5000, testing::here);
                          touch_global(true);
                          value = 2;
                      } else {
                          touch_global(false);
                          seen = value;
                      }
                  }});
    });
    return seen;
}

// Both orders of blocks, as one of them is that in which programs run anyway.
TEST(EffectOrder, ShowsAnEarlyReaderNothingOfALaterWriterBehindIt) {
    EXPECT_EQ(seen_beside(1), 1);
}

TEST(EffectOrder, ShowsAnEarlyReaderNothingOfALaterWriterBeforeIt) {
    EXPECT_EQ(seen_beside(0), 1);
}

TEST(EffectOrder, KeepsWhatIsInsertedAndWhoWatches) {
    struct Watcher final : isa::AccessObserver {
        void on_issue(const isa::TimedOp& op, const isa::Accesses&) override {
            seen.push_back(op.info->name);
        }

        void on_beyond(const isa::OpInfo&, Site, std::string_view message, Pipe) override {
            beyond = message;
        }

        std::vector<std::string_view> seen;
        std::string beyond;
    };

    const ChipSpec chip;
    isa::GlobalMemory memory{1U << 20U};
    isa::PlainCore core{chip, memory, CoreKind::aiv};
    Watcher watcher;
    int waits = 0;
    EffectOrder order{&watcher, [&] { ++waits; }};
    AutoSync sync{&order};
    core.set_observer(&sync);
    isa::scalar_work(10, testing::here);
    touch_global(true);
    sync.on_beyond(testing::copy_info, testing::here, "over the end", Pipe::mte2);
    EXPECT_EQ(waits, 1);
    EXPECT_EQ(watcher.seen, (std::vector<std::string_view>{"scalar", "copy"}));
    EXPECT_EQ(watcher.beyond, "over the end");
    ASSERT_EQ(core.ops().size(), 2U);
    EXPECT_EQ(core.ops()[1].pipe, Pipe::mte3);
}

}  // namespace
}  // namespace ascendsim
