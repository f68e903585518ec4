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

namespace ascendsim::runtime {

/// The streams of a host program. Work of a stream that waits for nothing takes effect where the program
/// submits it, in the program's order; work behind a wait for an event takes effect once the event is
/// recorded. Times come from the timeline.
class ProgramStreams final : public program::Streams {
public:
    using Point = node::HostTimeline::Point;
    /// Takes effect, and puts its time on the timeline, behind the host's call at `issued`.
    using Work = std::function<Point(const Point& issued)>;

    ProgramStreams(const node::NodeSpec& node, const node::HostSpec& host) : timeline_{node, host} {}

    /// Puts work behind what a stream has.
    void put(program::StreamNumber stream, const program::CallPlace& call, Work work);

    /// The same of a kernel: `run` executes it and says what it takes.
    void launch(program::StreamNumber stream,
                const program::CallPlace& call,
                std::function<node::KernelLoad()> run);

    /// Runs what is left. Returns what never could, as a sentence; empty if nothing.
    [[nodiscard]] std::string finish();

    /// After finish(): where the time went, as `program.timeline` of a recording's totals.
    [[nodiscard]] nlohmann::json figures() const;

    [[nodiscard]] std::uint32_t device_count() const override { return timeline_.node().size(); }

    program::StreamNumber create_stream(std::uint32_t device) override;
    program::StreamNumber default_stream(std::uint32_t device) override;
    [[nodiscard]] std::uint32_t device_of(program::StreamNumber stream) const override;
    void copy(program::StreamNumber stream,
              const program::CallPlace& call,
              const program::CopyRequest& request,
              std::function<void()> effect) override;
    void copy_now(std::uint32_t device,
                  const program::CallPlace& call,
                  const program::CopyRequest& request) override;
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
        std::optional<Point> point;  // once its stream has come to it
    };

    struct Event {
        bool captures = false;
        bool visible = false;  // a wait takes the latest record
        std::vector<Record> records;
    };

    /// Work, or a wait for a record.
    struct Item {
        std::string place;
        Point issued;
        Work work;
        std::optional<program::EventNumber> event;
        std::size_t record = 0;
    };

    struct Stream {
        node::StreamId id{};
        std::deque<Item> items;
    };

    [[nodiscard]] Stream& at(program::StreamNumber stream);
    [[nodiscard]] Event& at(program::EventNumber event);
    [[nodiscard]] const Record* record_of(const Item& item);
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
    std::deque<Stream> streams_;
    std::vector<Event> events_;
    std::map<std::uint32_t, program::StreamNumber> defaults_;  // by device
    double memory_gb_per_s_ = 1000;
    double next_poll_us_ = 0;
};

}  // namespace ascendsim::runtime
