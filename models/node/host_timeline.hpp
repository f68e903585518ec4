// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/node/collectives.hpp"
#include "models/node/fabric.hpp"
#include "models/node/host_calls.hpp"
#include "models/node/host_trials.hpp"
#include "models/node/jitter.hpp"
#include "models/node/live_schedule.hpp"
#include "models/node/node_spec.hpp"
#include "models/node/schedule.hpp"
#include "models/node/task_graph.hpp"
#include "models/node/transfers.hpp"

namespace ascendsim::node {

enum class StreamId : std::uint32_t {};

[[nodiscard]] constexpr std::size_t index(StreamId id) {
    return static_cast<std::size_t>(id);
}

/// A thread of the host; that of main is 0.
enum class ThreadId : std::uint32_t {};

[[nodiscard]] constexpr std::size_t index(ThreadId id) {
    return static_cast<std::size_t>(id);
}

/// How a host program's calls come to the device. By IssueMode::launch they are what they are, calls of the
/// ACL; the others tell what the same program would take if a framework made them.
struct HostIssue {
    IssueMode mode = IssueMode::launch;
    Jitter jitter{};
    std::uint64_t seed = 1;
};

/// What a call puts on a stream: a framework's operator is a kernel, and copies and events are calls of the
/// ACL.
enum class IssuedWork : std::uint8_t { kernel, other };

/// A call of a host program: what it is about, and its place in the source. Calls of one name and place count
/// as one in figures.
struct HostCall {
    std::string name;
    std::string where;

    friend bool operator==(const HostCall&, const HostCall&) = default;
};

/// A kernel that takes `us` on the device alone, on these shares of its cores.
struct KernelLoad {
    double us = 0;
    double cube_share = 0;
    double vector_share = 0;
};

/// Finds what kernels take while the timeline goes on: the chips. Kernels that are under way at the same time
/// are in each other's way.
class KernelRunner {
public:
    virtual ~KernelRunner() = default;

    struct Ended {
        std::optional<std::uint64_t> kernel{};  // nothing: a kernel has asked for an exchange, which is on
                                                // the timeline now
        Picoseconds at = 0;
        bool beside = false;  // another one of its device was under way
    };

    virtual void start(std::uint64_t kernel, Picoseconds now) = 0;
    [[nodiscard]] virtual bool busy() const = 0;
    /// Lets kernels go on until some end, or to `until` if none does before. Returns those that ended, all at
    /// the same time.
    virtual std::vector<Ended> go_on(std::optional<Picoseconds> until) = 0;
};

/// Where a copy goes. Nothing stands for the host.
struct CopyLoad {
    std::optional<std::uint32_t> from;  // devices
    std::optional<std::uint32_t> to;
    std::uint64_t bytes = 0;
    bool pinned = true;       // the host's memory
    double in_device_us = 0;  // time of a copy within one device, or of filling memory
};

/// The way of a copy, which has an engine of its own.
enum class CopyWay : std::uint8_t { to_device, to_host, between, within };

/// What a span of a program's time belongs to.
enum class SpanKind : std::uint8_t { call, synchronise, launch, compute, copy, communicate };

[[nodiscard]] const char* name(SpanKind kind);

/// A task that has run, on the time axis of the whole program.
struct ProgramSpan {
    std::uint32_t call = 0;          // of HostTimeline::calls()
    std::optional<StreamId> stream;  // nothing: on a host thread
    ThreadId thread{};               // that made the call
    bool launcher = false;           // on the second thread of IssueMode::queue
    SpanKind kind = SpanKind::call;
    bool critical = false;  // on the critical path
    Picoseconds start = 0;
    Picoseconds end = 0;
    Picoseconds alone = 0;   // of work: its time with nothing beside it
    Picoseconds issued = 0;  // of work: the start of the host's call
    bool on_host = false;    // a copy that the host waits for, in no stream
    bool beside = false;     // a kernel of which the chip found the time beside others: not `alone`
    std::optional<std::uint32_t> meeting = {};  // of a collective: the same of all its ranks
    CopyWay way = CopyWay::within;              // of a copy
    std::optional<std::uint32_t> gate = {};     // of HostTimeline::spans(): whose end let it start
    Picoseconds arrived = 0;                    // of work: when the host's call had come to the stream
};

/// Bytes that crossed a link.
struct ProgramFlow {
    std::uint32_t link = 0;  // of HostTimeline::links()
    Picoseconds start = 0;
    Picoseconds end = 0;
    std::uint64_t bytes = 0;
};

/// The time axis of a host program: its threads, the streams of its devices, and the links between them, as a
/// graph of tasks that grows while the program runs. Work of one stream runs in order. Kernels of one device
/// share its cores, copies share links. The program's own computing between its calls takes no time.
///
/// Calls are made by the current thread. With one thread, waiting for work goes on to the work's end. With
/// several, whoever uses the timeline decides which thread goes on: step() lets time pass, not beyond the
/// clocks of threads that can go on, and a thread that has waited says behind what it goes on.
///
/// With a KernelRunner the timeline runs: it goes as far as the host has come or waits, kernels start on the
/// chip when their turn has come, and data move when their copies end. Without, times of kernels are known
/// beforehand.
class HostTimeline : private Executor {
public:
    HostTimeline(NodeSpec node, HostSpec host, const HostIssue& how = {});
    HostTimeline(const HostTimeline&) = delete;
    HostTimeline& operator=(const HostTimeline&) = delete;
    ~HostTimeline() override = default;

    /// A point on the axis: the end of a task. It keeps its meaning as the graph grows.
    struct Point {
        std::uint32_t epoch = 0;
        std::optional<TaskId> task;  // nothing: the epoch's beginning
        std::uint32_t call = 0;
        std::optional<TaskId> made = {};  // of a call: its task on the host's thread
        bool in_graph = false;            // of a call: the device takes its work up by itself
        ThreadId thread = {};             // of a call: that made it
    };

    /// From now on `runner`, which must outlive the timeline, does kernels.
    void run_by(KernelRunner& runner) { runner_ = &runner; }

    [[nodiscard]] bool runs() const { return runner_ != nullptr; }

    /// From now on `watcher` is told of everything that ends, of which stream if it is of one, after its
    /// effect. It may put work on streams.
    void watch(std::function<void(const Point& ended, std::optional<StreamId> stream)> watcher) {
        watcher_ = std::move(watcher);
    }

    /// Throws UserError for a device that the node does not have.
    StreamId add_stream(std::uint32_t device);

    [[nodiscard]] std::uint32_t device_of(StreamId stream) const { return devices_[index(stream)]; }

    /// The host's thread makes a call that puts work on a stream.
    Point issue(const HostCall& call, IssuedWork work = IssuedWork::other);

    /// The work of an issued call, behind what the stream has.
    Point kernel(StreamId stream, const Point& issued, const KernelLoad& load);
    /// A kernel that the runner does.
    Point kernel(StreamId stream, const Point& issued, std::uint64_t number);
    /// `effect` comes with the copy's end.
    Point copy(StreamId stream, const Point& issued, const CopyLoad& load, std::function<void()> effect = {});

    /// A rank of a collective: its call, and the point of its stream from which on it takes part.
    struct Rank {
        StreamId stream{};
        Point issued;
        Point arrived;
        std::function<void(Picoseconds now)> ended = {};  // when the rank has its result
    };

    /// A point in `stream` that nobody on the host has called for: a kernel of its device has, in `call`. It
    /// takes the communication server's time for that.
    Point arrive(StreamId stream, const HostCall& call);

    /// A collective of ranks, all of which have arrived. `effect` comes with its first end. Returns the end
    /// of each rank.
    std::vector<Point> collective(const std::vector<Rank>& ranks,
                                  const Collective& what,
                                  const std::function<void()>& effect);
    /// A copy that the host waits for, in no stream. Its time holds the call and the host's going on. With
    /// several threads the caller waits for the point, and then comes to it.
    Point copy_now(StreamId device_of, const HostCall& call, const CopyLoad& load);
    /// The host is busy with a call for so long. `blocks` says that it waits or asks meanwhile, so that no
    /// captured graph goes on over the call.
    void pass(const HostCall& call, double us, bool blocks = true);
    /// An event of a stream: its end is the time of the event, and `effect` comes with it.
    Point record(StreamId stream, const Point& issued, std::function<void()> effect = {});
    /// What the stream gets from here on runs after `event`.
    void wait(StreamId stream, const Point& issued, const Point& event);

    /// The host waits for all that these streams have, or for one event.
    void synchronise(std::span<const StreamId> streams, const HostCall& call);
    void synchronise(const Point& event, const HostCall& call);

    /// Another thread of the host, which begins where the current one has come to. The timeline must run.
    ThreadId add_thread();

    /// Calls from here on are those of `thread`.
    void run_thread(ThreadId thread) { thread_ = thread; }

    [[nodiscard]] ThreadId thread() const { return thread_; }

    [[nodiscard]] bool has_threads() const { return clocks_.size() > 1; }

    /// Where a thread of several has come to.
    [[nodiscard]] Picoseconds clock(ThreadId thread) const { return clocks_[index(thread)]; }

    /// `to` takes something up from `from`: it goes on behind all that `from` has done.
    void hand_over(ThreadId from, ThreadId to);
    /// The current thread has waited for points that have been, and goes on behind them after it woke up.
    void wake_behind(const std::vector<Point>& points, const HostCall& call);
    /// A thread's clock goes on to the end of something that its lane has, or that it waits for.
    void come_to(ThreadId thread, Picoseconds time);
    /// What the current thread has done.
    [[nodiscard]] Point done_by_thread() const;
    /// Lets one thing happen, none later than `until`; false if there is none.
    bool step(std::optional<Picoseconds> until);

    /// The time that things have happened by.
    [[nodiscard]] Picoseconds reached() const { return base_ + epoch_->live.now(); }

    /// True if nothing is under way: only the host can make something happen.
    [[nodiscard]] bool idle() const { return epoch_->live.idle(); }

    /// Simulated time of a point, of the host's thread, and of the end of a stream's work. A timeline that
    /// runs knows only what has been.
    [[nodiscard]] Picoseconds time(const Point& point);
    [[nodiscard]] Picoseconds now();
    [[nodiscard]] Picoseconds end_of(StreamId stream);
    [[nodiscard]] bool knows(const Point& point) const;
    /// True if a point, or all that a stream has, comes until `time`, which is the host's or later.
    [[nodiscard]] bool comes(const Point& point, Picoseconds time);
    [[nodiscard]] bool comes(StreamId stream, Picoseconds time);

    /// Runs what is left. The spans are complete from here on.
    void finish();

    [[nodiscard]] const std::vector<HostCall>& calls() const { return calls_; }

    /// The place of a call there.
    [[nodiscard]] std::uint32_t number_of(const HostCall& call);

    [[nodiscard]] const std::vector<ProgramSpan>& spans() const { return spans_; }

    /// Of the critical path, what lies inside of the collectives of a call and in no span.
    [[nodiscard]] Picoseconds inner_critical(std::uint32_t call) const {
        return call < inner_critical_.size() ? inner_critical_[call] : 0;
    }

    [[nodiscard]] Picoseconds length() const { return base_; }

    /// Links of the machine that something crossed, and what, the first million.
    [[nodiscard]] const std::vector<Link>& links() const { return links_; }

    [[nodiscard]] const std::vector<ProgramFlow>& flows() const { return flows_; }

    /// Bytes that crossed links, each counted once on its way.
    [[nodiscard]] std::uint64_t link_bytes() const { return link_bytes_; }

    /// What these bytes read from and write to the memory of devices.
    [[nodiscard]] std::uint64_t transfer_memory_bytes() const { return memory_bytes_; }

    /// Changes that would make the program shorter, each tried alone.
    [[nodiscard]] std::vector<HostTrial> trials() const { return trials_.result(); }

    [[nodiscard]] const NodeSpec& node() const { return node_; }

    [[nodiscard]] const HostSpec& host() const { return host_; }

private:
    using Effect = std::function<void(Picoseconds now)>;

    struct Owner {
        std::uint32_t call = 0;
        std::optional<StreamId> stream;
        SpanKind kind = SpanKind::call;
        Picoseconds alone = 0;
        Point issued;
        bool shown = false;
        bool on_host = false;  // of a copy that the host makes
        bool beside = false;
        ThreadId thread{};
        bool launcher = false;
        std::uint64_t kernel = 0;         // that the runner does
        bool inner = false;               // a step of a collective
        std::optional<TaskId> from = {};  // the span begins with this one's end
        std::optional<std::uint32_t> meeting = {};
        bool launches = false;  // the call of a kernel
        bool blocks = false;    // a call that waits for a time, or asks whether something has come
        CopyWay way = CopyWay::within;
    };

    /// A thread of the host in an epoch.
    struct Host {
        std::optional<LaneId> lane;
        std::optional<LaneId> launcher;  // of IssueMode::queue
        std::optional<TaskId> last;
        std::vector<TaskId> after;  // what its next task waits for, too
        bool in_graph = false;      // IssueMode::graph: its calls since it waited last are one graph
    };

    /// The graph since the devices were idle last.
    struct Epoch {
        Epoch(const NodeSpec& node, Executor& executor);
        TaskGraph graph;
        LiveSchedule live;
        Fabric fabric;
        std::vector<Host> hosts;  // by thread
        std::vector<std::optional<LaneId>> streams;
        std::vector<std::optional<TaskId>> last;   // of each stream
        std::vector<std::optional<LinkId>> cubes;  // of each device, as a link that kernels share
        std::vector<std::optional<LinkId>> vectors;
        std::vector<Owner> owners;                // of each task
        std::map<std::uint64_t, TaskId> kernels;  // that the runner does
        std::map<TaskId, Effect> effects;
        std::map<TaskId, Task> pinned;  // what copies from pageable memory would be from pinned memory
    };

    void start(TaskId task, Picoseconds now) override;
    [[nodiscard]] bool busy() const override;
    std::vector<Ended> go_on(std::optional<Picoseconds> until) override;
    void ended(TaskId task, Picoseconds now) override;

    [[nodiscard]] Point point(TaskId task, std::uint32_t call) const;
    Point add(LaneId lane, const Task& task, const Owner& owner, const std::vector<TaskId>& after);
    [[nodiscard]] Host& host_now();
    Point add_on_host(const Task& task, Owner owner, std::vector<TaskId> after = {});
    Point add_on_launcher(const Point& call, double us);

    /// What a call takes of its thread and of the second one.
    struct IssueTimes {
        double host_us = 0;
        std::optional<double> launcher_us;
    };

    [[nodiscard]] IssueTimes issue_times(IssuedWork work, bool in_graph);
    Point add_work(StreamId stream, const Task& task, Owner owner, bool launched);

    struct CopyTask {
        Task task;
        Picoseconds alone = 0;
    };

    [[nodiscard]] CopyTask copy_task(const CopyLoad& load);
    void note_pinned(TaskId task, const CopyLoad& load);
    Point add_on_stream(StreamId stream, const Task& task, const Owner& owner, std::vector<TaskId> after);
    void synchronise_after(const std::vector<TaskId>& after, const HostCall& call, bool idle);
    [[nodiscard]] LinkId cores(std::uint32_t device, bool cube);
    void hold_host();
    [[nodiscard]] Picoseconds ahead(TaskId task) const;
    [[nodiscard]] ProgramSpan span_of(std::size_t task) const;
    [[nodiscard]] std::optional<TaskId> gate_of(std::size_t task) const;
    void tell_gates(const std::vector<std::optional<std::uint32_t>>& span_of_task);
    void take_flows();
    void try_changes();
    void close();
    void settle_alone();

    NodeSpec node_;
    HostSpec host_;
    std::vector<std::uint32_t> devices_;  // of each stream
    std::vector<HostCall> calls_;
    std::vector<ProgramSpan> spans_;

    struct Times {
        std::vector<Picoseconds> starts;
        std::vector<Picoseconds> ends;
    };

    JitteredHost jittered_;
    IssueMode mode_;
    ThreadId thread_{};
    std::vector<Picoseconds> clocks_;  // of threads, if there are several
    std::vector<Times> past_;          // of the tasks of past epochs
    Picoseconds base_ = 0;             // start of this epoch
    KernelRunner* runner_ = nullptr;
    std::vector<Picoseconds> inner_critical_;  // by call
    std::uint32_t meetings_ = 0;               // collectives so far
    std::vector<Link> links_;
    std::vector<ProgramFlow> flows_;
    std::uint64_t link_bytes_ = 0;
    std::uint64_t memory_bytes_ = 0;  // of transfers
    std::function<void(const Point&, std::optional<StreamId>)> watcher_;
    HostTrials trials_;
    std::unique_ptr<Epoch> epoch_;
};

}  // namespace ascendsim::node
