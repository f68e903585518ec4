// SPDX-License-Identifier: Apache-2.0
// An endless loop issues until its limit, and timing all of that takes minutes where it copies. So when a
// program has issued part of its limit, a copy of the process runs it on alone, without timing:
//
//   program --1/64 of the limit--+-- fork --> alone: counts --> beyond the limit: tells its last operation
//                                |                          \-> anything it cannot know alone: gives up
//                                +-- waits, then fails as it would at the limit, or goes on
//
// Alone, a program cannot know what another one or its own data would tell it. Data are not computed, so it
// gives up at every read of the scalar unit, at every wait for others, and at a bare pointer into a memory,
// which is locked. What reaches the limit nevertheless would have reached it in any case.
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "models/core/ai_core.hpp"

namespace ascendsim {
namespace {

constexpr rlim_t most_seconds = 10;  // of the copy; it may compute for ever without issuing anything

/// Instructions that leave a result in a register of the scalar unit.
constexpr std::array<std::string_view, 4> tells_the_program{"vcadd", "vreducev2", "vmrgsort4", "vcmp"};

/// True if what a program does next may depend on it.
bool may_steer(const isa::TimedOp& op) {
    return op.kind == isa::OpKind::scalar_load || op.info->name == "scalar_buffer_load" ||
           std::ranges::find(tells_the_program, op.info->name) != tells_the_program.end();
}

void limit(__rlimit_resource what, rlim_t most) {
    const rlimit to{.rlim_cur = most, .rlim_max = most};
    setrlimit(what, &to);
}

/// Makes every access to the whole pages of a memory end the process.
void lock(std::byte* begin, std::size_t bytes) {
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto from = (reinterpret_cast<std::uintptr_t>(begin) + page - 1) / page * page;
    const auto to = (reinterpret_cast<std::uintptr_t>(begin) + bytes) / page * page;
    if (from < to) {
        void* const start =
            reinterpret_cast<void*>(from);  // NOLINT(performance-no-int-to-ptr): a page's address
        mprotect(start, to - from, PROT_NONE);
    }
}

[[noreturn]] void give_up() {
    _exit(0);
}

/// What the copy told: the operation beyond the limit, or nothing.
std::optional<isa::TimedOp> answer(int from) {
    isa::TimedOp last;
    ssize_t got = 0;
    do {
        got = read(from, &last, sizeof(last));
    } while (got < 0 && errno == EINTR);
    return got == static_cast<ssize_t>(sizeof(last)) ? std::optional{last} : std::nullopt;
}

}  // namespace

void AiCore::suspect() {
    if (!host_.take_look(block_ops())) {
        return;
    }
    if (const std::optional<isa::TimedOp> last = look_ahead()) {
        last_op_ = *last;
        fail_at_limit("instructions", limits_.instructions);
    }
}

std::optional<isa::TimedOp> AiCore::look_ahead() {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) {
        return std::nullopt;
    }
    const pid_t copy = fork();
    if (copy == 0) {
        close(ends[0]);
        go_alone(ends[1]);
        return std::nullopt;
    }
    close(ends[1]);
    std::optional<isa::TimedOp> last;
    if (copy > 0) {
        last = answer(ends[0]);
        while (waitpid(copy, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    close(ends[0]);
    return last;
}

void AiCore::go_alone(int tell) {
    alone_ = tell;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGABRT}) {
        std::signal(signal, SIG_DFL);
    }
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, most_seconds);
    observer_ = nullptr;
    functional_ = false;
    lock(global().base(), chip().hbm.bytes);
    for (std::size_t memory = 0; memory < memory_count; ++memory) {
        const std::span<std::byte> bytes = local(static_cast<Memory>(memory));
        lock(bytes.data(), bytes.size());
    }
}

void AiCore::stay_with_the_others() const {
    if (alone_) {
        give_up();
    }
}

void AiCore::count_alone() {
    const std::span<const isa::TimedOp> fresh = pending();
    for (const isa::TimedOp& op : fresh) {
        if (may_steer(op)) {
            give_up();
        }
        if (op.kind == isa::OpKind::transfer) {
            static_cast<void>(take_transfer(op.id));
        }
    }
    program_ops_ += fresh.size();
    if (block_ops() > limits_.instructions) {
        const isa::TimedOp last = fresh.back();
        static_cast<void>(!write(*alone_, &last, sizeof(last)));
        give_up();
    }
    rewind();
}

}  // namespace ascendsim
