// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "models/node/host_timeline.hpp"
#include "runtime/acl/streams.hpp"
#include "runtime/ranks/kernel_exchanges.hpp"
#include "runtime/session/program/program_devices.hpp"
#include "runtime/session/program/program_meetings.hpp"
#include "runtime/session/program/program_threads.hpp"
#include "sim/record/recorder.hpp"

namespace ascendsim::runtime {

/// The streams of a host program. While there is one, work takes effect where the program submits it, as
/// nothing else can see when it does; a kernel has the chip to itself. From the second stream on work takes
/// effect when its turn comes in time: the simulation goes as far as the host waits, and kernels of several
/// streams run at the same time. Times come from the timeline.
class ProgramStreams final : public program::Streams {
public:
    using Point = node::HostTimeline::Point;
    /// Takes effect on a stream, and puts its time on the timeline, behind the host's call at `issued`.
    using Work = std::function<Point(program::StreamNumber stream, const Point& issued)>;

    /// `devices` must outlive the streams.
    ProgramStreams(const node::NodeSpec& node,
                   const node::HostSpec& host,
                   const node::HostIssue& how,
                   ProgramDevices& devices)
        : timeline_{node, host, how},
          devices_{devices},
          threads_{timeline_, [this] { timeline_.run_by(devices_); }},
          exchanges_{timeline_, devices} {}

    [[nodiscard]] ProgramThreads& threads() { return threads_; }

    [[nodiscard]] const ProgramThreads& threads() const { return threads_; }

    /// From now on kernels of the devices may communicate; see KernelExchanges.
    void serve_kernels(bool functional, KernelExchanges::Written written) {
        exchanges_.serve(functional, std::move(written));
    }

    /// Puts work behind what a stream has.
    void put(program::StreamNumber stream,
             const program::CallPlace& call,
             Work work,
             program::GraphTaskKind kind,
             const std::string& name = {});

    /// The same of a kernel.
    void launch(program::StreamNumber stream, const program::CallPlace& call, Launch launch);

    /// The program has ended: runs what is left, without what goes to the host's memory, which may be gone.
    /// Returns what never could run, as a sentence; empty if nothing.
    [[nodiscard]] std::string finish();

    /// After finish(): true if a device had something to do, be it a copy.
    [[nodiscard]] bool worked() const;

    /// After finish(): where the time went, as `program.timeline` of a recording's totals.
    [[nodiscard]] nlohmann::json figures() const;

    /// The same for readers of recordings: `machine` and `step` of its metadata.
    [[nodiscard]] nlohmann::json recorded_metadata() const;

    /// Writes host threads, streams, copies, collectives and links as tracks on the program's own axis, in
    /// cycles of the chips. `files` are the program's.
    void record(record::Recorder& to,
                double clock_ghz,
                const std::vector<std::filesystem::path>& files) const;

    /// Where the chips' cycles lie on that axis, as `program.axis` of a recording's totals: from which cycle
    /// on they come by how many later, and how long the program is.
    [[nodiscard]] nlohmann::json axis(double clock_ghz) const;

    [[nodiscard]] std::uint32_t device_count() const override { return timeline_.node().size(); }

    [[nodiscard]] bool defers() const override { return timeline_.runs(); }

    program::StreamNumber create_stream(std::uint32_t device, std::uint32_t priority) override;
    [[nodiscard]] std::uint32_t priority_of(program::StreamNumber stream) const override;
    void set_priority(program::StreamNumber stream, std::uint32_t priority) override;
    program::StreamNumber default_stream(std::uint32_t device) override;
    [[nodiscard]] std::uint32_t device_of(program::StreamNumber stream) const override;
    void copy(program::StreamNumber stream,
              const program::CallPlace& call,
              const program::CopyRequest& request,
              std::function<void()> effect) override;
    void copy_now(std::uint32_t device,
                  const program::CallPlace& call,
                  const program::CopyRequest& request,
                  const std::function<void()>& effect) override;
    program::EventNumber create_event(bool captures) override;
    program::EventNumber create_flag() override;
    void record(program::EventNumber event,
                program::StreamNumber stream,
                const program::CallPlace& call) override;
    void wait(program::StreamNumber stream,
              program::EventNumber event,
              const program::CallPlace& call) override;
    void wait_and_reset(program::StreamNumber stream,
                        program::EventNumber flag,
                        const program::CallPlace& call) override;
    void reset(program::EventNumber event,
               program::StreamNumber stream,
               const program::CallPlace& call) override;
    [[nodiscard]] bool is_flag(program::EventNumber event) const override;
    void wait_for_value(program::StreamNumber stream,
                        const program::CallPlace& call,
                        program::ValueWait what) override;
    program::WaitResult synchronise(program::StreamNumber stream,
                                    const program::CallPlace& call,
                                    std::optional<double> timeout_us) override;
    program::WaitResult synchronise_device(std::uint32_t device,
                                           const program::CallPlace& call,
                                           std::optional<double> timeout_us) override;
    program::WaitResult synchronise(program::EventNumber event,
                                    const program::CallPlace& call,
                                    std::optional<double> timeout_us) override;
    program::GroupNumber create_group(std::uint32_t size) override;
    void join_group(program::GroupNumber group, std::uint32_t rank, std::uint32_t device) override;
    void meet(program::GroupNumber group,
              std::uint32_t rank,
              program::StreamNumber stream,
              const program::CallPlace& call,
              program::ExchangeCall what) override;
    void call_back(program::StreamNumber stream,
                   const program::CallPlace& call,
                   program::ReportQueue queue,
                   std::function<void()> function,
                   bool blocks) override;
    bool process_report(program::ReportQueue queue,
                        const program::CallPlace& call,
                        std::optional<double> timeout_us) override;
    program::GraphNumber begin_capture(program::StreamNumber stream) override;
    std::string end_capture(program::GraphNumber graph) override;
    void invalidate(program::GraphNumber graph) override;
    [[nodiscard]] program::CaptureState state_of(program::GraphNumber graph) const override;
    [[nodiscard]] std::optional<program::GraphNumber> capture_of(program::StreamNumber stream) const override;
    [[nodiscard]] std::optional<program::GraphNumber> capture_of(program::EventNumber event) const override;
    [[nodiscard]] program::StreamNumber origin_of(program::GraphNumber graph) const override;
    [[nodiscard]] std::vector<program::GraphTaskInfo> tasks_of(program::GraphNumber graph) const override;
    void execute(program::GraphNumber graph,
                 program::StreamNumber stream,
                 const program::CallPlace& call) override;
    [[nodiscard]] bool running(program::GraphNumber graph) override;
    [[nodiscard]] std::vector<program::StreamNumber> streams_of(program::GraphNumber graph) const override;
    void leave_out(program::GraphNumber graph, std::size_t task) override;
    program::TaskGroup begin_group(program::StreamNumber stream) override;
    void end_group(program::TaskGroup group) override;
    [[nodiscard]] std::optional<program::TaskGroup> open_group(program::GraphNumber graph) const override;
    [[nodiscard]] program::StreamNumber stream_of(program::TaskGroup group) const override;
    [[nodiscard]] program::GraphNumber graph_of(program::TaskGroup group) const override;
    void begin_update(program::TaskGroup group, program::StreamNumber stream) override;
    std::string end_update(program::StreamNumber stream, const program::CallPlace& call) override;
    [[nodiscard]] std::optional<program::TaskGroup> update_of(program::StreamNumber stream) const override;
    [[nodiscard]] bool updating(program::TaskGroup group) const override;
    void retire(program::StreamNumber stream, const program::CallPlace& call) override;
    void abort(program::StreamNumber stream, const program::CallPlace& call) override;
    void expose(program::GroupNumber group,
                std::uint32_t rank,
                std::uint32_t size,
                std::byte* context) override;

    [[nodiscard]] std::byte* context_of(program::GroupNumber group, std::uint32_t rank) const override {
        return exchanges_.context_of(group, rank);
    }

    void await_idle(const program::CallPlace& call) override;
    /// Waits for all work, and has the host know of no more than before.
    void await_work(const program::CallPlace& call);
    void free_memory(const program::CallPlace& call, std::uint64_t offset, std::uint64_t bytes) override;
    [[nodiscard]] bool done(program::StreamNumber stream, const program::CallPlace& call) override;
    [[nodiscard]] bool done(program::EventNumber event, const program::CallPlace& call) override;
    [[nodiscard]] bool recorded(program::EventNumber event) const override;
    [[nodiscard]] std::optional<double> time_us(program::EventNumber event) override;

    /// Rate of a device's own memory, for copies within it; GB/s.
    void set_memory_rate(double gb_per_s) { memory_gb_per_s_ = gb_per_s; }

private:
    /// One call of aclrtRecordEvent.
    struct Record {
        program::StreamNumber stream{};
        std::string place;
        std::optional<Point> point;   // once its stream has come to it
        sanitize::StreamClock clock;  // of that
    };

    struct Event {
        bool captures = false;
        bool visible = false;  // a wait takes the latest record
        std::vector<Record> records;
        std::optional<program::GraphNumber> graph = {};  // that the latest record is of
        std::uint32_t slot = 0;                          // its place there
        bool flag = false;
        bool up = false;  // of a flag: a record has set it, and nothing has taken it back
        sanitize::StreamClock up_clock = {};
    };

    /// A rank's part of a collective.
    struct Part {
        program::GroupNumber group{};
        std::uint32_t rank = 0;
        program::ExchangeCall what;
    };

    /// A callback of a graph's task.
    struct Callback {
        program::ReportQueue queue{};
        std::function<void()> function;
        bool blocks = false;
    };

    /// What was put on a captured stream.
    struct GraphTask {
        program::GraphTaskKind kind{};
        program::CallPlace call;
        std::string name;
        std::uint32_t lane = 0;
        Work work = {};
        std::uint32_t slot = 0;  // of a record, or of a wait for one
        Callback callback = {};
        std::optional<Part> part = {};
        program::EventNumber flag = {};
        bool resets = false;  // of a wait for a flag: takes it back, too
        bool left_out = false;
    };

    struct Graph {
        program::CaptureState state = program::CaptureState::active;
        std::vector<program::StreamNumber> captured;  // the first is the origin
        std::vector<program::StreamNumber> lanes;     // that do it; the origin's is the one it is executed on
        std::vector<GraphTask> tasks;
        std::vector<program::EventNumber> slots;  // an event for each record
        program::EventNumber done{};              // of the latest execution
        std::optional<program::TaskGroup> open = {};
    };

    /// Tasks of a graph that others may come in place of.
    struct Group {
        program::GraphNumber graph{};
        program::StreamNumber stream{};
        std::vector<std::size_t> tasks;  // of the graph
        bool updating = false;
        std::vector<GraphTask> others = {};  // that come in their place
    };

    /// A stream's or a host thread's place among the works of all.
    struct Order {
        std::uint32_t lane = 0;
        std::uint64_t count = 0;  // of its works
        sanitize::StreamClock clock;
    };

    /// A function of the host that a stream has come to.
    struct Report {
        std::function<void()> function;
        program::CallPlace call;
        Point reached;
        sanitize::StreamClock clock;  // of that
        std::optional<Point> done;    // once it has returned
    };

    /// A value in device memory, or a flag, that a stream has come to, or will.
    struct Look {
        program::ValueWait what = {};
        std::optional<program::EventNumber> flag = {};
        bool resets = false;               // the flag: takes it back, too
        bool dropped = false;              // the stream was aborted
        std::optional<Point> done = {};    // what ended when it was found
        sanitize::StreamClock clock = {};  // of who brought it
    };

    /// Where a host thread waits in a stream.
    struct Fence {
        std::optional<Point> point;
        bool dropped = false;  // the stream was aborted
    };

    /// Work, or a wait for a record, for other ranks, or for a function of the host.
    struct Item {
        std::string place;
        Point issued;
        sanitize::StreamClock host;  // where the host stood
        Work work;
        std::optional<program::EventNumber> event;
        std::size_t record = 0;
        std::shared_ptr<Meeting> meeting = nullptr;  // with other ranks
        std::size_t seat = 0;                        // in it
        std::shared_ptr<Report> report = nullptr;
        std::shared_ptr<Fence> fence = nullptr;
        std::shared_ptr<Look> look = nullptr;
    };

    struct Stream {
        program::StreamNumber number{};
        node::StreamId id{};
        std::deque<Item> items;
        Order order;
        std::uint32_t priority = 0;
        std::optional<program::GraphNumber> graph = {};  // that it is captured into
        std::uint32_t lane = 0;                          // there
        std::optional<program::TaskGroup> update = {};   // that its kernels are for
        bool counted = false;                            // created by the program, or given work
    };

    /// "main.cpp:12", "main.cpp:12 (aclrtRecordEvent)", and for the timeline.
    [[nodiscard]] static std::string line_of(const program::CallPlace& call);
    [[nodiscard]] static std::string place_of(const program::CallPlace& call);
    [[nodiscard]] static node::HostCall host_call(const program::CallPlace& call);
    /// The next work of a stream or the host, behind all that comes before it.
    static sanitize::StreamWork work_of(Order& order,
                                        const program::CallPlace& call,
                                        std::string_view what,
                                        const std::string& whose);
    sanitize::StreamWork work_of(program::StreamNumber stream,
                                 const program::CallPlace& call,
                                 std::string_view what);
    program::StreamNumber add_stream(std::uint32_t device);
    void count(Stream& stream);
    [[nodiscard]] Stream& at(program::StreamNumber stream);
    [[nodiscard]] Event& at(program::EventNumber event);
    [[nodiscard]] const Record* record_of(const Item& item);
    [[nodiscard]] bool advance_wait(Stream& stream);
    [[nodiscard]] bool advance_report(Stream& stream);
    [[nodiscard]] bool advance_look(Stream& stream);
    void add_look(program::StreamNumber stream,
                  const program::CallPlace& call,
                  const Point& issued,
                  Look look);
    [[nodiscard]] bool finds(Look& look, std::optional<node::StreamId> stream);
    void check_looks(const Point& ended, std::optional<node::StreamId> stream);
    void await_looks(const std::function<bool()>& awaited, std::optional<node::Picoseconds> until);
    [[nodiscard]] bool advance_meeting(Stream& stream, bool& any);
    void conclude(Meeting& meeting);
    [[nodiscard]] bool advance(Stream& stream);
    void advance_all();
    [[nodiscard]] std::string why_stuck(program::StreamNumber first);
    [[nodiscard]] std::string next_wait(program::StreamNumber& stream, bool& ends);
    program::WaitResult wait_for(std::span<const program::StreamNumber> streams,
                                 const program::CallPlace& call,
                                 std::optional<double> timeout_us);
    program::WaitResult wait_among_threads(std::span<const program::StreamNumber> streams,
                                           const program::CallPlace& call,
                                           std::optional<double> timeout_us);
    program::WaitResult wait_among_threads(program::EventNumber event,
                                           const program::CallPlace& call,
                                           std::optional<double> timeout_us);
    [[nodiscard]] ProgramThreads::Come coming(std::function<const std::optional<Point>*()> what);
    [[nodiscard]] std::optional<node::Picoseconds> deadline(std::optional<double> timeout_us);

    [[nodiscard]] Graph& at(program::GraphNumber graph) {
        return graphs_.at(static_cast<std::size_t>(graph));
    }

    bool capture(program::StreamNumber stream, GraphTask task);
    void join_capture(program::StreamNumber stream, program::GraphNumber graph);
    [[nodiscard]] std::optional<std::uint32_t> lost_lane(const Graph& graph) const;
    void add_item(program::StreamNumber stream,
                  const program::CallPlace& call,
                  const Point& issued,
                  Work work);
    std::size_t add_visible(program::EventNumber event,
                            program::StreamNumber stream,
                            const program::CallPlace& call);
    void add_record(program::StreamNumber stream,
                    program::EventNumber event,
                    const program::CallPlace& call,
                    const Point& issued);
    void add_wait(program::StreamNumber stream,
                  program::EventNumber event,
                  const program::CallPlace& call,
                  const Point& issued);
    void add_flag_record(program::StreamNumber stream,
                         program::EventNumber event,
                         const program::CallPlace& call,
                         const Point& issued);
    void add_flag_wait(program::StreamNumber stream,
                       program::EventNumber event,
                       bool resets,
                       const program::CallPlace& call,
                       const Point& issued);
    void wait_for_flag(program::StreamNumber stream,
                       program::EventNumber event,
                       bool resets,
                       const program::CallPlace& call);
    void add_flag_reset(program::StreamNumber stream,
                        program::EventNumber event,
                        const program::CallPlace& call,
                        const Point& issued);
    void add_part(program::StreamNumber stream,
                  const Part& part,
                  const program::CallPlace& call,
                  const Point& issued);

    [[nodiscard]] Group& at(program::TaskGroup group) { return groups_.at(static_cast<std::size_t>(group)); }

    void add_callback(program::StreamNumber stream,
                      const Callback& callback,
                      const program::CallPlace& call,
                      const Point& issued);
    void add_task(const Graph& graph,
                  const GraphTask& task,
                  program::StreamNumber stream,
                  const Point& issued);
    [[nodiscard]] std::string no_record(program::EventNumber event);
    void run(Report& report);
    [[nodiscard]] nlohmann::json advice_json() const;
    [[nodiscard]] node::CopyLoad load_of(const program::CopyRequest& request) const;
    [[nodiscard]] bool asked(bool done, const program::CallPlace& call);

    node::HostTimeline timeline_;
    ProgramDevices& devices_;
    ProgramThreads threads_;
    KernelExchanges exchanges_;
    std::deque<Stream> streams_;
    std::vector<Event> events_;
    std::deque<Graph> graphs_;
    std::deque<Group> groups_;  // of tasks
    ProgramMeetings meetings_;
    std::map<program::ReportQueue, std::deque<std::shared_ptr<Report>>> reports_;
    std::map<std::uint32_t, program::StreamNumber> defaults_;  // by device
    double memory_gb_per_s_ = 1000;
    double next_poll_us_ = 0;
    std::vector<std::shared_ptr<Look>> looks_;  // that streams have come to
    std::uint32_t looking_ = 0;                 // of streams, come to or not
    Order host_;
    std::uint32_t counted_ = 0;  // streams
    bool host_gone_ = false;
};

}  // namespace ascendsim::runtime
