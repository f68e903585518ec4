// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "models/node/host_timeline.hpp"
#include "runtime/acl/streams.hpp"
#include "runtime/session/program_devices.hpp"
#include "runtime/session/program_meetings.hpp"

namespace ascendsim::runtime {

/// The streams of a host program. While there is one, work takes effect where the program submits it, as
/// nothing else can see when it does; a kernel has the chip to itself. From the second stream on work takes
/// effect when its turn comes in time: the simulation goes as far as the host waits, and kernels of several
/// streams run at the same time. Times come from the timeline.
class ProgramStreams final : public program::Streams {
public:
    using Point = node::HostTimeline::Point;
    /// Takes effect, and puts its time on the timeline, behind the host's call at `issued`.
    using Work = std::function<Point(const Point& issued)>;

    /// `devices` must outlive the streams.
    ProgramStreams(const node::NodeSpec& node, const node::HostSpec& host, ProgramDevices& devices)
        : timeline_{node, host}, devices_{devices} {}

    /// Puts work behind what a stream has.
    void put(program::StreamNumber stream, const program::CallPlace& call, Work work);

    /// The same of a kernel.
    void launch(program::StreamNumber stream, const program::CallPlace& call, Launch launch);

    /// The program has ended: runs what is left, without what goes to the host's memory, which may be gone.
    /// Returns what never could run, as a sentence; empty if nothing.
    [[nodiscard]] std::string finish();

    /// After finish(): where the time went, as `program.timeline` of a recording's totals.
    [[nodiscard]] nlohmann::json figures() const;

    [[nodiscard]] std::uint32_t device_count() const override { return timeline_.node().size(); }

    [[nodiscard]] bool defers() const override { return timeline_.runs(); }

    program::StreamNumber create_stream(std::uint32_t device) override;
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
    void record(program::EventNumber event,
                program::StreamNumber stream,
                const program::CallPlace& call) override;
    void wait(program::StreamNumber stream,
              program::EventNumber event,
              const program::CallPlace& call) override;
    void reset(program::EventNumber event) override;
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
    void await_idle(const program::CallPlace& call) override;
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
    };

    /// A stream's or a host thread's place among the works of all.
    struct Order {
        std::uint32_t lane = 0;
        std::uint64_t count = 0;  // of its works
        sanitize::StreamClock clock;
    };

    /// Work, or a wait for a record.
    struct Item {
        std::string place;
        Point issued;
        sanitize::StreamClock host;  // where the host stood
        Work work;
        std::optional<program::EventNumber> event;
        std::size_t record = 0;
        std::shared_ptr<Meeting> meeting = nullptr;  // with other ranks
        std::size_t seat = 0;                        // in it
    };

    struct Stream {
        node::StreamId id{};
        std::deque<Item> items;
        Order order;
        bool counted = false;  // created by the program, or given work
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
    [[nodiscard]] bool advance_meeting(Stream& stream, bool& any);
    void conclude(Meeting& meeting);
    [[nodiscard]] bool advance(Stream& stream);
    void advance_all();
    [[nodiscard]] std::string why_stuck(program::StreamNumber first);
    [[nodiscard]] std::string next_wait(program::StreamNumber& stream, bool& ends);
    program::WaitResult wait_for(std::span<const program::StreamNumber> streams,
                                 const program::CallPlace& call,
                                 std::optional<double> timeout_us);
    [[nodiscard]] node::CopyLoad load_of(const program::CopyRequest& request) const;
    [[nodiscard]] bool asked(bool done, const program::CallPlace& call);

    node::HostTimeline timeline_;
    ProgramDevices& devices_;
    std::deque<Stream> streams_;
    std::vector<Event> events_;
    ProgramMeetings meetings_;
    std::map<std::uint32_t, program::StreamNumber> defaults_;  // by device
    double memory_gb_per_s_ = 1000;
    double next_poll_us_ = 0;
    Order host_;
    std::uint32_t counted_ = 0;  // streams
    bool host_gone_ = false;
};

}  // namespace ascendsim::runtime
