// SPDX-License-Identifier: Apache-2.0
#include "models/port/exchange_port.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "models/port/core_port.hpp"
#include "models/port/kernel_fault.hpp"
#include "models/port/observed_push.hpp"

namespace ascendsim::isa {
namespace {

constexpr OpInfo prepare_info{"hccl_prepare", "Hands a collective to the communication server."};
constexpr OpInfo commit_info{"hccl_commit", "Lets the communication server begin a round of a collective."};
constexpr OpInfo round_wait_info{"hccl_wait", "Waits for a round of a collective to end."};

// Assumed: the scalar unit writes a message of one cache line, and a word, and cleans the line each time.
constexpr std::uint32_t prepare_cycles = 40;
constexpr std::uint32_t commit_cycles = 16;

constexpr std::array<std::uint8_t, 12> type_bytes{1, 2, 4, 2, 4, 8, 8, 1, 2, 4, 8, 2};

ExchangePort& port(const char* call, Site site) {
    auto* port = dynamic_cast<ExchangePort*>(&CorePort::current());
    if (port == nullptr || port->exchange_server() == nullptr) {
        kernel_fault(call,
                     "this run has one device, and the call needs a communicator of several: run a host "
                     "program that makes one (HcclCommInitAll), or a scenario with [[ranks]]",
                     site);
    }
    return *port;
}

ExchangeServer& server(const char* call, Site site) {
    return *port(call, site).exchange_server();
}

void push(const OpInfo& info, std::uint32_t cycles, const Accesses& accesses, Site site) {
    push_observed(
        {.info = &info, .site = site, .kind = OpKind::scalar_work, .pipe = Pipe::scalar, .scalar = cycles},
        accesses);
}

/// Parts of a round lie `stride` apart, if it is given.
std::uint64_t parts_bytes(const KernelExchange& what, std::uint32_t size) {
    const std::uint64_t apart = what.stride == 0 ? what.count : what.stride;
    return ((size - 1) * apart + what.count) * exchange_type_bytes(what.type);
}

/// `others`: bytes from the first round's to the last one's.
void check_buffer(const char* call,
                  const char* which,
                  const std::byte* buffer,
                  std::uint64_t bytes,
                  std::uint64_t others,
                  Site site) {
    if (bytes == 0) {
        return;
    }
    const GlobalMemory& memory = CorePort::current().global();
    if (buffer == nullptr || !memory.owns(buffer)) {
        exchange::fail(call, fmt::format("the {} buffer is no address of global memory", which), site);
    }
    const std::uint64_t offset = memory.offset_of(buffer);
    const GlobalBuffer* of = memory.find(offset);
    const std::uint64_t room = of == nullptr ? 0 : of->offset + of->bytes - offset;
    if (bytes + others > room) {
        exchange::fail(call,
                       fmt::format("the call needs {} B of the {} buffer, which has {} B from there on",
                                   bytes + others,
                                   which,
                                   room),
                       site);
    }
}

/// Buffers of one round may be the same where each part lands where it was.
void check_overlap(const char* call, const KernelExchange& what, ExchangeRank rank, Site site) {
    const std::uint64_t apart =
        (what.stride == 0 ? what.count : what.stride) * exchange_type_bytes(what.type);
    const bool in_place =
        (what.kind == KernelExchange::Kind::all_reduce && what.send == what.receive) ||
        (what.kind == KernelExchange::Kind::all_gather && what.send == what.receive + rank.rank * apart);
    const std::byte* send_end = what.send + send_bytes(what, rank.size);
    const std::byte* receive_end = what.receive + receive_bytes(what, rank.size);
    if (!in_place && what.send < receive_end && what.receive < send_end) {
        exchange::fail(call, "send and receive buffer overlap", site);
    }
}

/// Counts and displacements come from the kernel: beyond the chip's memory their sums would wrap.
void check_counts(const char* call, const KernelExchange& what, Site site) {
    const std::uint64_t most = CorePort::current().chip().hbm.bytes;
    std::uint64_t largest = std::max(what.count, what.stride);
    for (const std::vector<std::uint64_t>* list :
         {&what.send_counts, &what.send_offsets, &what.receive_counts, &what.receive_offsets}) {
        largest = list->empty() ? largest : std::max(largest, std::ranges::max(*list));
    }
    if (largest > most) {
        exchange::fail(
            call,
            fmt::format(
                "a count or a displacement of {} elements is larger than the {} B of the chip's memory",
                largest,
                most),
            site);
    }
}

std::uint64_t extent(const std::vector<std::uint64_t>& counts,
                     const std::vector<std::uint64_t>& offsets,
                     std::uint32_t bytes) {
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        end = std::max(end, counts[i] == 0 ? 0 : (offsets[i] + counts[i]) * bytes);
    }
    return end;
}

}  // namespace

Instructions exchange_port_instructions() {
    return {&prepare_info, &commit_info, &round_wait_info};
}

std::uint32_t exchange_type_bytes(std::uint32_t type) {
    return type < type_bytes.size() ? type_bytes[type] : 0;
}

std::uint64_t send_bytes(const KernelExchange& what, std::uint32_t size) {
    using Kind = KernelExchange::Kind;
    switch (what.kind) {
        case Kind::all_reduce:
        case Kind::all_gather:
            return what.count * exchange_type_bytes(what.type);
        case Kind::reduce_scatter:
        case Kind::all_to_all:
            return parts_bytes(what, size);
        case Kind::all_to_all_v:
            break;
    }
    return extent(what.send_counts, what.send_offsets, exchange_type_bytes(what.type));
}

std::uint64_t receive_bytes(const KernelExchange& what, std::uint32_t size) {
    using Kind = KernelExchange::Kind;
    switch (what.kind) {
        case Kind::all_reduce:
        case Kind::reduce_scatter:
            return what.count * exchange_type_bytes(what.type);
        case Kind::all_gather:
        case Kind::all_to_all:
            return parts_bytes(what, size);
        case Kind::all_to_all_v:
            break;
    }
    return extent(what.receive_counts, what.receive_offsets, exchange_type_bytes(what.type));
}

std::uint64_t round_pitch(const KernelExchange& what) {
    return what.count * exchange_type_bytes(what.type);
}

void fill_context(std::byte* context, const ExchangeRank& rank) {
    std::memcpy(context + context_rank_at, &rank.rank, sizeof rank.rank);
    std::memcpy(context + context_size_at, &rank.size, sizeof rank.size);
}

namespace exchange {

void fail(const char* call, const std::string& message, Site site) {
    kernel_fault(call, message, site);
}

std::byte* context(std::uint32_t index, Site site) {
    constexpr const char* call = "GetHcclContext";
    if (index >= ExchangePort::contexts) {
        fail(call, fmt::format("communicator {}: a kernel has communicators 0 and 1", index), site);
    }
    ExchangePort& core = port(call, site);
    std::byte* own = core.own_context(index);
    own = own == nullptr ? core.exchange_server()->context(index) : own;
    if (own == nullptr) {
        fail(call,
             fmt::format("communicator {} has no context: the host makes one with "
                         "HcclAllocComResourceByTiling, or the kernel sets it with SetHcclContext",
                         index),
             site);
    }
    return own;
}

void set_context(std::uint32_t index, std::byte* context, Site site) {
    if (index >= ExchangePort::contexts) {
        fail("SetHcclContext",
             fmt::format("communicator {}: a kernel has communicators 0 and 1", index),
             site);
    }
    port("SetHcclContext", site).own_context(index) = context;
}

ExchangeRank init(std::byte* context, Site site) {
    if (!CorePort::current().chip().cores.split) {
        fail("Hccl::Init",
             "kernels of this chip cannot communicate: the Hccl class is documented for Atlas A2 and A3",
             site);
    }
    const std::optional<ExchangeRank> rank = server("Hccl::Init", site).rank_of(context);
    if (!rank) {
        fail("Hccl::Init",
             "the context is none of this device: it must be what HcclAllocComResourceByTiling gave for it, "
             "or GetHcclContext",
             site);
    }
    return *rank;
}

std::uint32_t first_task(std::byte* context) {
    return server("Hccl::Init", {}).first_task(context);
}

void prepare(std::byte* context, const char* call, const KernelExchange& what, Site site) {
    ExchangeServer& at = server(call, site);
    if (exchange_type_bytes(what.type) == 0) {
        fail(call, fmt::format("data type {} does not exist", what.type), site);
    }
    if (what.rounds == 0) {
        fail(call, "repeat is 0: a task has one round at least", site);
    }
    check_counts(call, what, site);
    const ExchangeRank rank = at.rank_of(context).value_or(ExchangeRank{});
    const std::uint64_t others = (what.rounds - 1) * round_pitch(what);
    check_buffer(call, "send", what.send, send_bytes(what, rank.size), others, site);
    check_buffer(call, "receive", what.receive, receive_bytes(what, rank.size), others, site);
    check_overlap(call, what, rank, site);
    push(prepare_info, prepare_cycles, {}, site);
    if (const std::string wrong = at.prepare(context, call, what, site); !wrong.empty()) {
        fail(call, wrong, site);
    }
}

void commit(std::byte* context, std::uint32_t task, Site site) {
    constexpr const char* call = "Hccl::Commit";
    ExchangeServer& at = server(call, site);
    const KernelExchange* what = at.task(context, task);
    if (what == nullptr) {
        fail(call, "no task was prepared under this handle", site);
    }
    const std::uint32_t round = at.committed(context, task);
    if (round == what->rounds) {
        fail(call,
             fmt::format("the task has {} rounds, and all of them have been committed", what->rounds),
             site);
    }
    Accesses accesses;  // the server reads what the cores must have written by now
    if (const std::uint64_t bytes = send_bytes(*what, at.rank_of(context)->size); bytes != 0) {
        accesses.read(
            {.memory = Memory::gm,
             .offset = CorePort::current().global().offset_of(what->send) + round * round_pitch(*what),
             .row_bytes = bytes,
             .covering = what->stride != 0 || what->kind == KernelExchange::Kind::all_to_all_v});
    }
    push(commit_info, commit_cycles, accesses, site);
    at.commit(context, task, port(call, site).settled_cycle());
}

void wait(std::byte* context, std::uint32_t task, std::uint32_t round, Site site) {
    constexpr const char* call = "Hccl::Wait";
    ExchangeServer& at = server(call, site);
    push(round_wait_info, CorePort::current().chip().scalar.issue_cycles, {}, site);
    port(call, site)
        .await_exchange(
            round_wait_info,
            site,
            [&at, context, task, round, call, site]() -> std::optional<std::uint64_t> {
                const KernelExchange* what = at.task(context, task);
                if (what != nullptr && round >= what->rounds) {
                    fail(call,
                         fmt::format("the task has {} rounds, and this waits for one more", what->rounds),
                         site);
                }
                return at.end_of(context, task, round);
            },
            [&at, context, task, round, site] {
                return fmt::format(
                    "Hccl::Wait at {}:{}: {}", site.file, site.line, at.why_not(context, task, round));
            });
}

std::uint32_t finished(std::byte* context, std::uint32_t task, Site site) {
    push(round_wait_info, CorePort::current().chip().scalar.issue_cycles, {}, site);
    CorePort::current().yield();  // a kernel may ask until the answer is what it wants
    static_cast<void>(port("Hccl::Query", site).settled_cycle());
    return server("Hccl::Query", site).finished(context, task);
}

void finalise(std::byte* context, Site site) {
    ExchangeServer& at = server("Hccl::Finalize", site);
    for (std::uint32_t task = at.first_task(context); const KernelExchange* what = at.task(context, task);
         ++task) {
        if (const std::uint32_t rounds = at.committed(context, task); rounds < what->rounds) {
            fail("Hccl::Finalize",
                 fmt::format(
                     "{} of {} rounds of a task were never committed", what->rounds - rounds, what->rounds),
                 site);
        }
        wait(context, task, what->rounds - 1, site);
    }
    at.finalise(context);
}

}  // namespace exchange
}  // namespace ascendsim::isa
