// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/checker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/isa/testing/plain_core.hpp"

namespace ascendsim::sanitize {
namespace {

using isa::Access;
using isa::Local;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr isa::OpInfo copy_info{"copy", "Test copy."};
constexpr isa::OpInfo work_info{"work", "Test work."};
constexpr isa::OpInfo flag_info{"flag", "Test flag."};

/// Feeds the checker operations of one or two cores; lines number the calls.
struct SanitizeChecker : testing::Test {
    ChipSpec chip;
    isa::GlobalMemory memory{1U << 20U};
    Checker checker{chip};
    std::uint32_t line = 0;
    isa::PlainCore core{chip, memory, CoreKind::aiv};
    std::uint64_t gm = 0;

    SanitizeChecker() { gm = memory.offset_of(memory.allocate("z", 4096)); }

    Site next() { return {"k.cpp", ++line}; }

    void issue(Pipe pipe, const std::vector<Access>& list, isa::OpKind kind = isa::OpKind::compute) {
        isa::Accesses accesses;
        for (const Access& access : list) {
            access.write ? accesses.write(access) : accesses.read(access);
        }
        checker.on_issue({.info = pipe == Pipe::vector ? &work_info : &copy_info,
                          .site = next(),
                          .kind = kind,
                          .pipe = pipe},
                         accesses);
    }

    static Access ub(bool write, std::uint64_t offset, std::uint64_t bytes) {
        return {.memory = Memory::ub, .write = write, .offset = offset, .row_bytes = bytes};
    }

    [[nodiscard]] Access global(bool write,
                                std::uint64_t offset,
                                std::uint64_t bytes,
                                bool atomic = false) const {
        return {.memory = Memory::gm,
                .write = write,
                .atomic = atomic,
                .offset = gm + offset,
                .row_bytes = bytes};
    }

    void flag(isa::OpKind kind, Pipe from, Pipe to, std::uint32_t id = 0) {
        checker.on_issue({.info = &flag_info,
                          .site = next(),
                          .kind = kind,
                          .pipe = kind == isa::OpKind::set_flag ? from : to,
                          .a = static_cast<std::uint8_t>(from),
                          .b = static_cast<std::uint8_t>(to),
                          .id = id},
                         {});
    }

    void set(Pipe from, Pipe to, std::uint32_t id = 0) { flag(isa::OpKind::set_flag, from, to, id); }

    void await(Pipe from, Pipe to, std::uint32_t id = 0) { flag(isa::OpKind::wait_flag, from, to, id); }

    void barrier(Pipe pipe) {
        checker.on_issue({.info = &flag_info, .site = next(), .kind = isa::OpKind::barrier, .pipe = pipe},
                         {});
    }

    void sync(isa::OpKind kind, std::uint8_t mode = 0, Pipe pipe = Pipe::scalar) {
        checker.on_issue({.info = &flag_info, .site = next(), .kind = kind, .pipe = pipe, .a = mode}, {});
    }

    std::vector<std::string> kinds(bool completed = true) {
        checker.finish(completed);
        std::vector<std::string> list;
        for (const Finding& finding : checker.findings()) {
            list.emplace_back(name(finding.kind));
        }
        return list;
    }
};

TEST_F(SanitizeChecker, accepts_a_copy_and_a_computation_ordered_by_a_flag) {
    issue(Pipe::mte2, {global(false, 0, 256), ub(true, 0, 256)});
    set(Pipe::mte2, Pipe::vector);
    await(Pipe::mte2, Pipe::vector);
    issue(Pipe::vector, {ub(false, 0, 256), ub(true, 256, 256)});
    EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(SanitizeChecker, names_both_sides_of_a_race_and_the_bytes_they_share) {
    issue(Pipe::mte2, {global(false, 0, 256), ub(true, 0, 256)});
    issue(Pipe::vector, {ub(false, 128, 64), ub(true, 512, 64)});
    ASSERT_THAT(kinds(), ElementsAre("race"));
    const Finding& finding = checker.findings().front();
    EXPECT_EQ(finding.earlier->line, 1U);
    EXPECT_EQ(finding.earlier->pipe, Pipe::mte2);
    EXPECT_EQ(finding.earlier->access, "write");
    EXPECT_EQ(finding.later.line, 2U);
    EXPECT_EQ(finding.later.pipe, Pipe::vector);
    EXPECT_EQ(finding.later.core, "aiv0");
    EXPECT_EQ(finding.overlap_offset, 128U);
    EXPECT_EQ(finding.overlap_bytes, 64U);
    EXPECT_THAT(finding.hint, testing::HasSubstr("MTE2_V"));
    const nlohmann::json json = to_json(finding);
    EXPECT_EQ(json["kind"], "race");
    EXPECT_EQ(json["earlier"]["line"], 1);
    EXPECT_EQ(json["overlap"]["bytes"], 64);
    EXPECT_THAT(to_text(checker.findings()), testing::HasSubstr("k.cpp:2: work on vector of aiv0"));
}

TEST_F(SanitizeChecker, finds_a_buffer_overwritten_while_it_is_still_read) {
    issue(Pipe::mte2, {ub(true, 0, 64)});
    set(Pipe::mte2, Pipe::vector);
    await(Pipe::mte2, Pipe::vector);
    issue(Pipe::vector, {ub(false, 0, 64), ub(true, 64, 64)});
    issue(Pipe::mte2, {ub(true, 0, 64)});
    EXPECT_THAT(kinds(), ElementsAre("race"));
}

TEST_F(SanitizeChecker, orders_through_a_third_pipe) {
    issue(Pipe::mte2, {ub(true, 0, 64)});
    set(Pipe::mte2, Pipe::vector);
    await(Pipe::mte2, Pipe::vector);
    set(Pipe::vector, Pipe::mte3);
    await(Pipe::vector, Pipe::mte3);
    issue(Pipe::mte3, {ub(false, 0, 64), global(true, 0, 64)});
    EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(SanitizeChecker, compares_strided_rows_and_not_their_hull) {
    const auto rows = [](bool write, std::uint64_t offset) {
        return Access{
            .memory = Memory::ub, .write = write, .offset = offset, .row_bytes = 32, .rows = 8, .pitch = 64};
    };
    issue(Pipe::mte2, {rows(true, 0)});
    issue(Pipe::vector, {rows(true, 32)});
    EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(SanitizeChecker, compares_planes_of_rows) {
    const Access planes{.memory = Memory::ub,
                        .write = true,
                        .offset = 0,
                        .row_bytes = 32,
                        .rows = 2,
                        .pitch = 256,
                        .planes = 2,
                        .plane_pitch = 64};
    issue(Pipe::mte2, {planes});               // 0, 256, 64, 320
    issue(Pipe::vector, {ub(true, 32, 32)});   // between
    issue(Pipe::vector, {ub(true, 320, 32)});  // the last row
    ASSERT_THAT(kinds(), ElementsAre("race"));
    EXPECT_EQ(checker.findings().front().later.line, 3U);
}

TEST_F(SanitizeChecker, wants_a_barrier_between_dependent_vector_instructions) {
    issue(Pipe::vector, {ub(true, 0, 64)});
    issue(Pipe::vector, {ub(false, 0, 64), ub(true, 64, 64)});
    barrier(Pipe::vector);
    issue(Pipe::vector, {ub(false, 64, 64), ub(true, 128, 64)});
    EXPECT_THAT(kinds(), ElementsAre("missing_barrier"));
}

TEST_F(SanitizeChecker, lets_a_vector_instruction_overwrite_what_the_one_before_read) {
    issue(Pipe::vector, {ub(true, 0, 64)});
    barrier(Pipe::vector);
    issue(Pipe::vector, {ub(false, 0, 64), ub(true, 64, 64)});
    issue(Pipe::vector, {ub(true, 0, 64)});
    EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(SanitizeChecker, wants_a_barrier_between_small_accumulations_only) {
    const auto mmad = [&](std::uint64_t offset, std::uint64_t fractals) {
        const Access c{.memory = Memory::l0c, .offset = offset, .row_bytes = fractals * 1024};
        Access write = c;
        write.write = true;
        issue(Pipe::cube, {c, write});
    };
    issue(Pipe::cube, {{.memory = Memory::l0c, .write = true, .offset = 0, .row_bytes = 64 * 1024}});
    barrier(Pipe::cube);
    mmad(0, 10);
    mmad(0, 10);
    EXPECT_THAT(checker.findings(), IsEmpty());
    mmad(32768, 9);
    mmad(32768, 9);
    EXPECT_THAT(kinds(), ElementsAre("missing_barrier"));
}

TEST_F(SanitizeChecker, knows_that_a_scalar_read_ends_before_the_next_issue) {
    issue(Pipe::mte2, {ub(true, 0, 64)});
    set(Pipe::mte2, Pipe::scalar);
    await(Pipe::mte2, Pipe::scalar);
    issue(Pipe::scalar, {ub(false, 0, 4)}, isa::OpKind::scalar_work);
    issue(Pipe::vector, {ub(true, 0, 64)});
    EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(SanitizeChecker, wants_a_flag_between_a_scalar_write_and_a_pipe) {
    issue(Pipe::scalar, {ub(true, 0, 4)}, isa::OpKind::scalar_work);
    issue(Pipe::vector, {ub(false, 0, 4), ub(true, 64, 4)});
    EXPECT_THAT(kinds(), ElementsAre("race"));
}

TEST_F(SanitizeChecker, reports_bytes_never_written_once_for_each_pair_of_lines) {
    issue(Pipe::mte2, {ub(true, 0, 32)});
    set(Pipe::mte2, Pipe::vector);
    await(Pipe::mte2, Pipe::vector);
    for (int i = 0; i < 3; ++i) {
        line = 10;
        issue(Pipe::vector, {ub(false, 0, 64)});
    }
    ASSERT_THAT(kinds(), ElementsAre("uninitialised_read"));
    EXPECT_EQ(checker.findings().front().overlap_offset, 32U);
    EXPECT_EQ(checker.findings().front().count, 3U);
}

TEST_F(SanitizeChecker, lets_the_cube_read_the_unused_part_of_a_fractal) {
    issue(Pipe::mte2, {{.memory = Memory::l1, .write = true, .offset = 0, .row_bytes = 256}});
    set(Pipe::mte2, Pipe::mte1);
    await(Pipe::mte2, Pipe::mte1);
    issue(Pipe::mte1, {{.memory = Memory::l1, .offset = 0, .row_bytes = 512}});
    EXPECT_THAT(checker.findings(), IsEmpty());
    issue(Pipe::mte1, {{.memory = Memory::l1, .offset = 1024, .row_bytes = 512}});
    EXPECT_THAT(kinds(), ElementsAre("uninitialised_read"));
}

TEST_F(SanitizeChecker, knows_outputs_to_be_empty_until_they_are_written) {
    checker.declare_unwritten(gm, 4096);
    issue(Pipe::mte2, {global(false, 0, 64)});
    EXPECT_THAT(kinds(), ElementsAre("uninitialised_read"));
}

TEST_F(SanitizeChecker, judges_flags_set_twice_never_waited_and_never_set) {
    issue(Pipe::mte2, {ub(true, 0, 64)});
    set(Pipe::mte2, Pipe::vector);
    set(Pipe::mte2, Pipe::vector);
    await(Pipe::vector, Pipe::mte3, 3);
    EXPECT_THAT(kinds(), ElementsAre("double_set", "wait_never_set", "set_never_waited"));
}

TEST_F(SanitizeChecker, does_not_call_a_flag_unwaited_when_the_run_was_cut_short) {
    issue(Pipe::mte2, {ub(true, 0, 64)});
    set(Pipe::mte2, Pipe::vector);
    checker.on_fault(work_info, next(), "vector operand offset 5 is not a multiple of 32 bytes");
    EXPECT_THAT(kinds(false), ElementsAre("misaligned"));
}

TEST_F(SanitizeChecker, prices_flags_and_barriers_that_never_bring_news) {
    issue(Pipe::vector, {ub(true, 0, 64)});
    for (int i = 0; i < 2; ++i) {
        line = 10;
        barrier(Pipe::vector);
    }
    EXPECT_THAT(checker.findings(), IsEmpty());
    line = 20;
    barrier(Pipe::vector);
    ASSERT_THAT(kinds(), ElementsAre("redundant_barrier"));
    EXPECT_EQ(checker.findings().front().later.line, 21U);
    EXPECT_EQ(checker.findings().front().cost_cycles, chip.sync.barrier_cycles);
    EXPECT_FALSE(checker.any_error());
}

TEST_F(SanitizeChecker, does_not_blame_flags_set_ahead_of_a_loop) {
    set(Pipe::vector, Pipe::mte2);
    await(Pipe::vector, Pipe::mte2);
    issue(Pipe::mte2, {ub(true, 0, 64)});
    EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(SanitizeChecker, follows_the_buffers_of_the_framework) {
    using isa::BufferNotice;
    checker.on_buffer(BufferNotice::reserved, ub(true, 0, 64), {"k.cpp", 100});
    checker.on_buffer(BufferNotice::live, ub(true, 64, 64), {"k.cpp", 101});
    issue(Pipe::vector, {ub(true, 0, 64)});    // not taken yet
    issue(Pipe::vector, {ub(true, 256, 64)});  // nobody's
    issue(Pipe::vector, {ub(true, 96, 64)});   // from its buffer into nowhere
    checker.on_buffer(BufferNotice::live, ub(true, 128, 64), {"k.cpp", 102});
    barrier(Pipe::vector);
    issue(Pipe::vector, {ub(true, 96, 64)});  // from its buffer into the next
    EXPECT_THAT(kinds(),
                ElementsAre("use_after_free", "unallocated_use", "unallocated_use", "buffer_overrun"));
    EXPECT_EQ(checker.findings().back().overlap_offset, 128U);
}

struct TwoCores : SanitizeChecker {
    isa::PlainCore second{chip, memory, CoreKind::aiv};

    TwoCores() {
        second.set_identity({.core = 1, .block = 1, .kind = CoreKind::aiv});
        const std::vector<isa::LaunchCore> cores{{CoreKind::aiv, 0, 0}, {CoreKind::aiv, 1, 0}};
        checker.on_launch(cores);
        core.resume();
    }
};

TEST_F(TwoCores, finds_two_cores_writing_one_range) {
    issue(Pipe::mte3, {global(true, 0, 64)});
    second.resume();
    issue(Pipe::mte3, {global(true, 32, 64)});
    ASSERT_THAT(kinds(), ElementsAre("core_race"));
    EXPECT_EQ(checker.findings().front().later.buffer, "z");
    EXPECT_EQ(checker.findings().front().overlap_offset, 32U);
    EXPECT_EQ(checker.findings().front().overlap_bytes, 32U);
    EXPECT_EQ(checker.findings().front().earlier->core, "aiv0");
}

TEST_F(TwoCores, lets_atomic_updates_meet_but_not_a_plain_read) {
    issue(Pipe::mte3, {global(true, 0, 64, true)});
    second.resume();
    issue(Pipe::mte3, {global(true, 0, 64, true)});
    EXPECT_THAT(checker.findings(), IsEmpty());
    issue(Pipe::mte2, {global(false, 0, 64)});
    // Its own update by mte3 is not ordered either.
    EXPECT_THAT(kinds(), testing::UnorderedElementsAre("core_race", "race"));
}

TEST_F(TwoCores, takes_sync_all_as_order_between_all_pipes_of_all_cores) {
    issue(Pipe::mte3, {global(true, 0, 64)});
    sync(isa::OpKind::sync_all);
    second.resume();
    sync(isa::OpKind::sync_all);
    issue(Pipe::mte2, {global(false, 0, 64)});
    EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(TwoCores, orders_only_what_the_pipe_of_a_cross_core_flag_had_done) {
    issue(Pipe::mte3, {global(true, 0, 64)});
    issue(Pipe::mte2, {global(false, 64, 64)});
    sync(isa::OpKind::cross_set, 0, Pipe::mte3);
    sync(isa::OpKind::cross_wait);
    second.resume();
    sync(isa::OpKind::cross_set, 0, Pipe::mte3);
    sync(isa::OpKind::cross_wait);
    issue(Pipe::mte3, {global(true, 0, 64)});
    EXPECT_THAT(checker.findings(), IsEmpty());
    issue(Pipe::mte3, {global(true, 64, 64)});
    EXPECT_THAT(kinds(), ElementsAre("core_race"));
}

TEST_F(TwoCores, reports_a_cross_core_flag_that_stays_up) {
    sync(isa::OpKind::cross_set, 0, Pipe::mte3);
    sync(isa::OpKind::cross_wait);
    second.resume();
    sync(isa::OpKind::cross_set, 0, Pipe::mte3);
    EXPECT_THAT(kinds(), ElementsAre("set_never_waited"));
    EXPECT_THAT(checker.findings().front().message, testing::HasSubstr("aiv1"));
}

TEST_F(TwoCores, sees_stores_that_share_a_line_or_stay_in_a_cache) {
    const auto store = [&](std::uint64_t offset) {
        issue(Pipe::scalar, {global(true, offset, 4)}, isa::OpKind::scalar_work);
    };
    store(0);
    second.resume();
    store(60);
    core.resume();
    store(256);
    sync(isa::OpKind::sync_all);
    second.resume();
    sync(isa::OpKind::sync_all);
    issue(Pipe::mte2, {global(false, 256, 4)});
    EXPECT_THAT(kinds(), ElementsAre("cache_line_shared", "cache_not_cleaned"));
}

TEST_F(TwoCores, accepts_stores_that_were_cleaned) {
    issue(Pipe::scalar, {global(true, 256, 4)}, isa::OpKind::scalar_work);
    checker.on_clean(gm + 256, false);
    sync(isa::OpKind::sync_all);
    second.resume();
    sync(isa::OpKind::sync_all);
    issue(Pipe::mte2, {global(false, 256, 4)});
    EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(TwoCores, forgets_accesses_but_not_contents_between_launches) {
    checker.declare_unwritten(gm, 4096);
    issue(Pipe::mte3, {global(true, 0, 64)});
    const std::vector<isa::LaunchCore> cores{{CoreKind::aiv, 0, 0}, {CoreKind::aiv, 1, 0}};
    checker.on_launch(cores);
    second.resume();
    issue(Pipe::mte2, {global(false, 0, 64)});
    EXPECT_THAT(checker.findings(), IsEmpty());
    issue(Pipe::mte2, {global(false, 64, 64)});
    EXPECT_THAT(kinds(), ElementsAre("uninitialised_read"));
}

}  // namespace
}  // namespace ascendsim::sanitize
