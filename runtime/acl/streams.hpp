// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "models/port/pipe.hpp"
#include "runtime/acl/meetings.hpp"

namespace ascendsim::program {

/// Numbers of streams and events, which handles of a host program stand for.
enum class StreamNumber : std::uint32_t {};
enum class EventNumber : std::uint32_t {};

/// A call of the host program, for messages and figures.
struct CallPlace {
    const char* name = nullptr;
    Site site;
};

/// Bytes that a copy moves, and where: on a device, or on the host.
struct CopyRequest {
    std::optional<std::uint32_t> from;  // device
    std::optional<std::uint32_t> to;
    std::uint64_t bytes = 0;
    bool pinned = true;                         // the host's memory
    std::optional<std::uint64_t> read_at = {};  // in global memory, where all bytes lie in a row
    std::optional<std::uint64_t> written_at = {};
    std::uint64_t length = 0;  // of what is read and written there
};

/// What waiting came to.
enum class WaitResult : std::uint8_t { ended, timed_out };

/// Streams and events of a host program. Work takes effect in an order that streams and events allow, and as
/// early as they do; its time is simulated behind. Waiting for what can never come throws a deadlock that
/// names the calls.
class Streams {
public:
    virtual ~Streams() = default;

    [[nodiscard]] virtual std::uint32_t device_count() const = 0;

    /// True once work takes effect when its turn comes in time, not where it is submitted.
    [[nodiscard]] virtual bool defers() const = 0;

    virtual StreamNumber create_stream(std::uint32_t device) = 0;
    /// The stream of launches that name none.
    virtual StreamNumber default_stream(std::uint32_t device) = 0;
    [[nodiscard]] virtual std::uint32_t device_of(StreamNumber stream) const = 0;

    /// Puts a copy on a stream, or memory to be filled (`from` and `to` are the same device). `effect`
    /// changes the data when the copy's turn has come.
    virtual void copy(StreamNumber stream,
                      const CallPlace& call,
                      const CopyRequest& request,
                      std::function<void()> effect) = 0;
    /// The same at once, in no stream, while the host waits.
    virtual void copy_now(std::uint32_t device,
                          const CallPlace& call,
                          const CopyRequest& request,
                          const std::function<void()>& effect) = 0;

    /// An event that `captures` is complete until it is recorded first; waiting for another one before that
    /// waits for the record to come.
    virtual EventNumber create_event(bool captures) = 0;
    virtual void record(EventNumber event, StreamNumber stream, const CallPlace& call) = 0;
    virtual void wait(StreamNumber stream, EventNumber event, const CallPlace& call) = 0;
    /// Forgets the records of an event.
    virtual void reset(EventNumber event) = 0;

    /// The host waits, at most `timeout_us` of simulated time.
    virtual WaitResult synchronise(StreamNumber stream,
                                   const CallPlace& call,
                                   std::optional<double> timeout_us) = 0;
    virtual WaitResult synchronise_device(std::uint32_t device,
                                          const CallPlace& call,
                                          std::optional<double> timeout_us) = 0;
    virtual WaitResult synchronise(EventNumber event,
                                   const CallPlace& call,
                                   std::optional<double> timeout_us) = 0;

    /// A communicator of so many ranks; each joins with its device.
    virtual GroupNumber create_group(std::uint32_t size) = 0;
    virtual void join_group(GroupNumber group, std::uint32_t rank, std::uint32_t device) = 0;
    /// Puts a rank's part of a collective on a stream of its device: it begins when the streams of all ranks
    /// have come to it. Throws ProgramError if other ranks have called another collective.
    virtual void meet(GroupNumber group,
                      std::uint32_t rank,
                      StreamNumber stream,
                      const CallPlace& call,
                      ExchangeCall what) = 0;

    /// The host waits for all that could end, before it takes away what work under way may use.
    virtual void await_idle(const CallPlace& call) = 0;

    /// Whether all is done by now, which is the host's time. Asking again and again takes the host longer
    /// each time, so that polling comes to an end.
    [[nodiscard]] virtual bool done(StreamNumber stream, const CallPlace& call) = 0;
    [[nodiscard]] virtual bool done(EventNumber event, const CallPlace& call) = 0;

    /// True once the program has recorded it.
    [[nodiscard]] virtual bool recorded(EventNumber event) const = 0;
    /// Simulated time of an event's latest record, in us; nothing before its stream has come to it.
    [[nodiscard]] virtual std::optional<double> time_us(EventNumber event) = 0;
};

}  // namespace ascendsim::program
