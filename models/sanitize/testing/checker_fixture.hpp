// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/port/testing/plain_core.hpp"
#include "models/sanitize/checker.hpp"

namespace ascendsim::sanitize {

using isa::Access;

inline constexpr isa::OpInfo copy_info{"copy", "Test copy."};
inline constexpr isa::OpInfo work_info{"work", "Test work."};
inline constexpr isa::OpInfo flag_info{"flag", "Test flag."};

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

    void barrier_all() { sync(isa::OpKind::barrier_all); }

    void sync(isa::OpKind kind, std::uint8_t mode = 0, Pipe pipe = Pipe::scalar) {
        checker.on_issue({.info = &flag_info, .site = next(), .kind = kind, .pipe = pipe, .a = mode}, {});
    }

    [[nodiscard]] std::vector<std::string> kinds(bool completed = true) {
        checker.finish(completed ? Checker::Ending::completed : Checker::Ending::stuck);
        std::vector<std::string> list;
        for (const Finding& finding : checker.findings()) {
            list.emplace_back(name(finding.kind));
        }
        return list;
    }
};

struct TwoCores : SanitizeChecker {
    isa::PlainCore second{chip, memory, CoreKind::aiv};

    TwoCores() {
        second.set_identity({.core = 1, .block = 1, .kind = CoreKind::aiv});
        const std::vector<isa::LaunchCore> cores{{CoreKind::aiv, 0, 0}, {CoreKind::aiv, 1, 0}};
        checker.on_launch(cores);
        core.resume();
    }
};

}  // namespace ascendsim::sanitize
