// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/port/pipe.hpp"
#include "models/port/timed_op.hpp"

namespace ascendsim::isa {

/// What a kernel asks the ranks of its communicator for. Counts are in elements.
struct KernelExchange {
    enum class Kind : std::uint8_t { all_reduce, all_gather, reduce_scatter, all_to_all, all_to_all_v };

    Kind kind = Kind::all_reduce;
    std::uint32_t type = 0;       // as HcclDataType counts them
    std::uint32_t operation = 0;  // as HcclReduceOp does
    std::uint32_t rounds = 1;     // of the same, one behind the other in both buffers
    std::uint64_t count = 0;      // of a rank, in a round: what it gives, of reduce_scatter what it gets
    std::uint64_t stride = 0;     // between the parts of two ranks; 0: they lie in a row
    std::byte* send = nullptr;
    std::byte* receive = nullptr;
    std::vector<std::uint64_t> send_counts = {};  // of all_to_all_v, for each rank
    std::vector<std::uint64_t> send_offsets = {};
    std::vector<std::uint64_t> receive_counts = {};
    std::vector<std::uint64_t> receive_offsets = {};
};

/// Tasks that a communicator takes in one launch, as the Hccl class is documented.
inline constexpr std::uint32_t most_exchange_tasks = 63;

/// Where a context says rank and number of ranks, for kernels that read it themselves.
inline constexpr std::size_t context_rank_at = 16;
inline constexpr std::size_t context_size_at = 20;
inline constexpr std::size_t context_bytes = 16384;

/// A rank of a communicator, as its device knows it.
struct ExchangeRank {
    std::uint32_t rank = 0;
    std::uint32_t size = 1;
};

/// Writes what kernels read of a context themselves; the rest of its context_bytes is left.
void fill_context(std::byte* context, const ExchangeRank& rank);

/// Serves the kernels of one device that communicate: takes what they prepare, and does it with those of
/// other devices. A context is an address that the host has got for a communicator. What a kernel asks for
/// wrongly comes back as a sentence.
class ExchangeServer {
public:
    virtual ~ExchangeServer() = default;

    /// The context of communicator `index` of a kernel that was given none as an argument; null: none.
    [[nodiscard]] virtual std::byte* context(std::uint32_t index) const = 0;
    /// Nothing if the address is no context of this device.
    [[nodiscard]] virtual std::optional<ExchangeRank> rank_of(const std::byte* context) const = 0;
    /// Tasks of earlier launches: the handles of this one count from there.
    [[nodiscard]] virtual std::uint32_t first_task(const std::byte* context) const = 0;
    /// Takes a task behind those that it has. Returns what is wrong; empty if nothing.
    virtual std::string prepare(const std::byte* context,
                                const char* call,
                                const KernelExchange& what,
                                Site site) = 0;
    /// A task that was prepared, and how many of its rounds may begin; null if there is none.
    [[nodiscard]] virtual const KernelExchange* task(const std::byte* context, std::uint32_t task) const = 0;
    [[nodiscard]] virtual std::uint32_t committed(const std::byte* context, std::uint32_t task) const = 0;
    /// The next round of a task may begin, from `cycle` on.
    virtual void commit(const std::byte* context, std::uint32_t task, std::uint64_t cycle) = 0;
    /// Rounds of a task that are over.
    [[nodiscard]] virtual std::uint32_t finished(const std::byte* context, std::uint32_t task) const = 0;
    /// When a round was over, in cycles; nothing if it is not.
    [[nodiscard]] virtual std::optional<std::uint64_t> end_of(const std::byte* context,
                                                              std::uint32_t task,
                                                              std::uint32_t round) const = 0;
    /// Who waits for whom before a round can end: "rank 2, which has not prepared it".
    [[nodiscard]] virtual std::string why_not(const std::byte* context,
                                              std::uint32_t task,
                                              std::uint32_t round) const = 0;
    /// The launch prepares nothing more. Its cores may still wait for what it has prepared.
    virtual void finalise(const std::byte* context) = 0;
    /// A launch begins on the device: handles count from its tasks on where the one before has ended.
    virtual void launch_begins() = 0;
};

/// What a core has for communication besides its CorePort.
class ExchangePort {
public:
    virtual ~ExchangePort() = default;

    /// That of the device; null where there are no other devices.
    [[nodiscard]] virtual ExchangeServer* exchange_server() const = 0;
    /// The cycle at which the scalar unit stands, once everything issued so far has been timed.
    [[nodiscard]] virtual std::uint64_t settled_cycle() = 0;
    /// Suspends the program until `end` has a cycle, and its scalar unit until that. `why` tells a deadlock
    /// what it waits for.
    virtual void await_exchange(const OpInfo& info,
                                Site site,
                                const std::function<std::optional<std::uint64_t>()>& end,
                                const std::function<std::string()>& why) = 0;
    /// Contexts that the kernel has set itself, by number of the communicator.
    [[nodiscard]] virtual std::byte*& own_context(std::uint32_t index) = 0;

    static constexpr std::uint32_t contexts = 2;  // of one kernel
};

/// A kernel's calls of the Hccl class, on the running core. All fail the kernel with a sentence.
namespace exchange {

[[nodiscard]] std::byte* context(std::uint32_t index, Site site);
void set_context(std::uint32_t index, std::byte* context, Site site);
/// The rank of a context.
[[nodiscard]] ExchangeRank init(std::byte* context, Site site);
/// The first task of this launch: handles count from it.
[[nodiscard]] std::uint32_t first_task(std::byte* context);
/// Hands a task to the server.
void prepare(std::byte* context, const char* call, const KernelExchange& what, Site site);
/// Lets the next round of a task begin.
void commit(std::byte* context, std::uint32_t task, Site site);
/// Waits for the end of a round.
void wait(std::byte* context, std::uint32_t task, std::uint32_t round, Site site);
[[nodiscard]] std::uint32_t finished(std::byte* context, std::uint32_t task, Site site);
/// Waits for the end of all that was prepared; nothing more will be.
void finalise(std::byte* context, Site site);
/// Stops the kernel.
[[noreturn]] void fail(const char* call, const std::string& message, Site site);

}  // namespace exchange

/// Bytes of an element of HcclDataType; 0 for a type that does not exist.
[[nodiscard]] std::uint32_t exchange_type_bytes(std::uint32_t type);
/// Bytes of the buffers that a round of `what` touches, from its first byte to behind its last, among `size`
/// ranks.
[[nodiscard]] std::uint64_t send_bytes(const KernelExchange& what, std::uint32_t size);
[[nodiscard]] std::uint64_t receive_bytes(const KernelExchange& what, std::uint32_t size);
/// From a round's bytes to those of the next, in both buffers.
[[nodiscard]] std::uint64_t round_pitch(const KernelExchange& what);

}  // namespace ascendsim::isa
