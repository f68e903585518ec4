// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/port/pipe.hpp"
#include "runtime/acl/meetings.hpp"

namespace ascendsim::program {

/// Numbers of streams and events, which handles of a host program stand for.
enum class StreamNumber : std::uint32_t {};
enum class EventNumber : std::uint32_t {};

/// Work of streams that was captured, to be done again and again.
enum class GraphNumber : std::uint32_t {};

/// How a capture stands. An invalid one has failed, and ends as an error.
enum class CaptureState : std::uint8_t { active, invalid, ended };

/// Kernels of a graph that may be exchanged for others.
enum class TaskGroup : std::uint32_t {};

/// What a task of a graph is. Records of, waits for and resets of a flag are those of an event that is not
/// the graph's own.
enum class GraphTaskKind : std::uint8_t {
    kernel,
    copy,
    record,
    wait,
    callback,
    collective,
    flag_record,
    flag_wait,
    flag_reset
};

/// A task of a graph, for people.
struct GraphTaskInfo {
    GraphTaskKind kind = GraphTaskKind::kernel;
    std::string name;         // of the kernel, or of the call
    std::uint32_t lane = 0;   // 0: of the stream on which the capture began
    std::int32_t stream = 0;  // that was captured
    std::string place;
};

/// Callbacks that one thread processes.
enum class ReportQueue : std::uint64_t {};

/// A call of the host program, for messages and figures.
struct CallPlace {
    const char* name = nullptr;
    Site site;
};

/// What a stream waits for in device memory: that `holds` says so of what is there.
struct ValueWait {
    std::function<bool()> holds;
    std::string words;  // "the 8 bytes at … of device memory to be 1"
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
enum class WaitResult : std::uint8_t { ended, timed_out, aborted };

/// Streams and events of a host program. Work takes effect in an order that streams and events allow, and as
/// early as they do; its time is simulated behind. Waiting for what can never come throws a deadlock that
/// names the calls.
class Streams {
public:
    virtual ~Streams() = default;

    [[nodiscard]] virtual std::uint32_t device_count() const = 0;

    /// True once work takes effect when its turn comes in time, not where it is submitted.
    [[nodiscard]] virtual bool defers() const = 0;

    /// Of kernels that wait for cores, those of the stream with the lowest priority number come first.
    virtual StreamNumber create_stream(std::uint32_t device, std::uint32_t priority) = 0;
    [[nodiscard]] virtual std::uint32_t priority_of(StreamNumber stream) const = 0;
    virtual void set_priority(StreamNumber stream, std::uint32_t priority) = 0;
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
    /// An event that a record sets and a reset takes back, each when its stream comes to it. Waiting for it
    /// waits until it is set. Captured calls stay calls for this event, and capture no other stream.
    virtual EventNumber create_flag() = 0;
    virtual void record(EventNumber event, StreamNumber stream, const CallPlace& call) = 0;
    virtual void wait(StreamNumber stream, EventNumber event, const CallPlace& call) = 0;
    /// Waits for a flag and takes it back, in one call.
    virtual void wait_and_reset(StreamNumber stream, EventNumber flag, const CallPlace& call) = 0;
    /// Forgets the records of an event; of a flag when `stream` comes to it.
    virtual void reset(EventNumber event, StreamNumber stream, const CallPlace& call) = 0;
    [[nodiscard]] virtual bool is_flag(EventNumber event) const = 0;

    /// The stream waits until a value is there. Kernels' writes count at the kernel's end.
    virtual void wait_for_value(StreamNumber stream, const CallPlace& call, ValueWait what) = 0;

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

    /// Puts a function of the host on a stream. When the stream has come to it, the function waits in a queue
    /// until a thread processes it; if it `blocks`, the stream goes on when it has returned.
    virtual void call_back(StreamNumber stream,
                           const CallPlace& call,
                           ReportQueue queue,
                           std::function<void()> function,
                           bool blocks) = 0;
    /// The current thread waits for a function in its queue and runs it. False if none has come in time.
    virtual bool process_report(ReportQueue queue,
                                const CallPlace& call,
                                std::optional<double> timeout_us) = 0;
    /// What is put on `stream` from here on goes into a new graph, and is not done. So is what is put on
    /// streams that wait for an event which a captured stream records.
    virtual GraphNumber begin_capture(StreamNumber stream) = 0;
    /// Ends it. Empty if the graph can be executed, else why it cannot: a stream that was captured with the
    /// first one has not come back to it by an event.
    virtual std::string end_capture(GraphNumber graph) = 0;
    virtual void invalidate(GraphNumber graph) = 0;
    [[nodiscard]] virtual CaptureState state_of(GraphNumber graph) const = 0;
    /// The graph that a stream's work goes into, or that an event's latest record is of.
    [[nodiscard]] virtual std::optional<GraphNumber> capture_of(StreamNumber stream) const = 0;
    [[nodiscard]] virtual std::optional<GraphNumber> capture_of(EventNumber event) const = 0;
    [[nodiscard]] virtual StreamNumber origin_of(GraphNumber graph) const = 0;
    [[nodiscard]] virtual std::vector<GraphTaskInfo> tasks_of(GraphNumber graph) const = 0;
    /// Puts all tasks of a graph behind what `stream` has, by one call. Executions of one graph follow each
    /// other.
    virtual void execute(GraphNumber graph, StreamNumber stream, const CallPlace& call) = 0;
    [[nodiscard]] virtual bool running(GraphNumber graph) = 0;
    /// The streams that were captured, the first one first.
    [[nodiscard]] virtual std::vector<StreamNumber> streams_of(GraphNumber graph) const = 0;
    /// Executions from here on leave a task out.
    virtual void leave_out(GraphNumber graph, std::size_t task) = 0;

    /// Kernels that are put on a captured stream until end_group() are a group. Nothing else may be put on
    /// captured streams of the graph meanwhile.
    virtual TaskGroup begin_group(StreamNumber stream) = 0;
    virtual void end_group(TaskGroup group) = 0;
    /// The group that is open in a graph, and its stream.
    [[nodiscard]] virtual std::optional<TaskGroup> open_group(GraphNumber graph) const = 0;
    [[nodiscard]] virtual StreamNumber stream_of(TaskGroup group) const = 0;
    [[nodiscard]] virtual GraphNumber graph_of(TaskGroup group) const = 0;
    /// Kernels that are put on `stream` until end_update() are not done, but come in place of those of a
    /// group when the stream has come to end_update().
    virtual void begin_update(TaskGroup group, StreamNumber stream) = 0;
    /// Empty if there are none or as many as in the group, else what is wrong.
    virtual std::string end_update(StreamNumber stream, const CallPlace& call) = 0;
    /// The group that is changed on a stream, and whether one is changed on any.
    [[nodiscard]] virtual std::optional<TaskGroup> update_of(StreamNumber stream) const = 0;
    [[nodiscard]] virtual bool updating(TaskGroup group) const = 0;

    /// The host waits for a stream that is to be destroyed, unless it is done.
    virtual void retire(StreamNumber stream, const CallPlace& call) = 0;
    /// Takes away all that a stream has not begun yet. Whoever waits for the stream goes on.
    virtual void abort(StreamNumber stream, const CallPlace& call) = 0;
    /// `context`, in global memory, stands for a rank in the kernels of its device that communicate.
    virtual void expose(GroupNumber group, std::uint32_t rank, std::uint32_t size, std::byte* context) = 0;
    /// That of a rank; null if it has none.
    [[nodiscard]] virtual std::byte* context_of(GroupNumber group, std::uint32_t rank) const = 0;

    /// The host waits for all that could end, before it takes away what work under way may use.
    virtual void await_idle(const CallPlace& call) = 0;
    /// The host frees `bytes` at `offset` of global memory. The chip does so at once, without waiting for a
    /// device or stream [documentation of aclrtFree]: work that may use them and that the host has not waited
    /// for is told of. Then it is waited for, so that the run can go on.
    virtual void free_memory(const CallPlace& call, std::uint64_t offset, std::uint64_t bytes) = 0;

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
