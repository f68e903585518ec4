// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "runtime/acl/host_threads.hpp"
#include "runtime/acl/streams.hpp"

namespace ascendsim::front {

/// Streams of a program that runs beside the simulator: whatever is put on one is done at once. The clock is
/// the device's: only kernels take time.
class FrontStreams final : public program::Streams {
public:
    /// Lets the device's clock go on.
    void pass(double us) { now_us_ += us; }

    [[nodiscard]] double now_us() const { return now_us_; }

    [[nodiscard]] std::uint32_t device_count() const override { return devices; }

    [[nodiscard]] bool defers() const override { return false; }

    program::StreamNumber create_stream(std::uint32_t device, std::uint32_t priority) override;
    [[nodiscard]] std::uint32_t priority_of(program::StreamNumber stream) const override;
    void set_priority(program::StreamNumber stream, std::uint32_t priority) override;
    program::StreamNumber default_stream(std::uint32_t device) override;
    [[nodiscard]] std::uint32_t device_of(program::StreamNumber stream) const override;
    void copy(program::StreamNumber,
              const program::CallPlace&,
              const program::CopyRequest&,
              std::function<void()> effect) override;
    void copy_now(std::uint32_t,
                  const program::CallPlace&,
                  const program::CopyRequest&,
                  const std::function<void()>& effect) override;
    program::EventNumber create_event(bool captures) override;
    program::EventNumber create_flag() override;
    void record(program::EventNumber event, program::StreamNumber, const program::CallPlace&) override;

    void wait(program::StreamNumber, program::EventNumber, const program::CallPlace&) override {}

    void wait_and_reset(program::StreamNumber stream,
                        program::EventNumber flag,
                        const program::CallPlace& call) override {
        reset(flag, stream, call);
    }

    void reset(program::EventNumber event, program::StreamNumber, const program::CallPlace&) override;
    [[nodiscard]] bool is_flag(program::EventNumber event) const override;

    void wait_for_value(program::StreamNumber, const program::CallPlace&, program::ValueWait) override {}

    program::WaitResult synchronise(program::StreamNumber,
                                    const program::CallPlace&,
                                    std::optional<double>) override;
    program::WaitResult synchronise_device(std::uint32_t,
                                           const program::CallPlace&,
                                           std::optional<double>) override;
    program::WaitResult synchronise(program::EventNumber,
                                    const program::CallPlace&,
                                    std::optional<double>) override;
    program::GroupNumber create_group(std::uint32_t size) override;
    void join_group(program::GroupNumber, std::uint32_t, std::uint32_t) override;
    void meet(program::GroupNumber,
              std::uint32_t,
              program::StreamNumber,
              const program::CallPlace&,
              program::ExchangeCall) override;
    void call_back(program::StreamNumber,
                   const program::CallPlace&,
                   program::ReportQueue,
                   std::function<void()> function,
                   bool) override;
    bool process_report(program::ReportQueue, const program::CallPlace&, std::optional<double>) override;
    program::GraphNumber begin_capture(program::StreamNumber) override;
    std::string end_capture(program::GraphNumber) override;

    void invalidate(program::GraphNumber) override {}

    [[nodiscard]] program::CaptureState state_of(program::GraphNumber) const override;
    [[nodiscard]] std::optional<program::GraphNumber> capture_of(program::StreamNumber) const override;
    [[nodiscard]] std::optional<program::GraphNumber> capture_of(program::EventNumber) const override;
    [[nodiscard]] program::StreamNumber origin_of(program::GraphNumber) const override;
    [[nodiscard]] std::vector<program::GraphTaskInfo> tasks_of(program::GraphNumber) const override;

    [[nodiscard]] std::vector<program::StreamNumber> streams_of(program::GraphNumber) const override {
        return {};
    }

    void leave_out(program::GraphNumber, std::size_t) override;
    program::TaskGroup begin_group(program::StreamNumber) override;
    void end_group(program::TaskGroup) override;

    [[nodiscard]] std::optional<program::TaskGroup> open_group(program::GraphNumber) const override {
        return std::nullopt;
    }

    [[nodiscard]] program::StreamNumber stream_of(program::TaskGroup) const override { return {}; }

    [[nodiscard]] program::GraphNumber graph_of(program::TaskGroup) const override { return {}; }

    void begin_update(program::TaskGroup, program::StreamNumber) override;
    std::string end_update(program::StreamNumber, const program::CallPlace&) override;

    [[nodiscard]] std::optional<program::TaskGroup> update_of(program::StreamNumber) const override {
        return std::nullopt;
    }

    [[nodiscard]] bool updating(program::TaskGroup) const override { return false; }

    void execute(program::GraphNumber, program::StreamNumber, const program::CallPlace&) override;

    [[nodiscard]] bool running(program::GraphNumber) override { return false; }

    void retire(program::StreamNumber, const program::CallPlace&) override {}

    void abort(program::StreamNumber, const program::CallPlace&) override {}

    void expose(program::GroupNumber, std::uint32_t, std::uint32_t, std::byte*) override {}

    [[nodiscard]] std::byte* context_of(program::GroupNumber, std::uint32_t) const override {
        return nullptr;
    }

    void await_idle(const program::CallPlace&) override {}

    void free_memory(const program::CallPlace&, std::uint64_t, std::uint64_t) override {}

    [[nodiscard]] bool done(program::StreamNumber, const program::CallPlace&) override { return true; }

    [[nodiscard]] bool done(program::EventNumber, const program::CallPlace&) override { return true; }

    [[nodiscard]] bool recorded(program::EventNumber event) const override;
    [[nodiscard]] std::optional<double> time_us(program::EventNumber event) override;

private:
    static constexpr std::uint32_t devices = 8;  // names for one: all share the simulated chip

    struct Stream {
        std::uint32_t device = 0;
        std::uint32_t priority = 0;
    };

    std::vector<Stream> streams_;
    std::map<std::uint32_t, program::StreamNumber> usual_;  // default stream of a device
    std::vector<std::optional<double>> events_;
    std::set<program::EventNumber> flags_;
    double now_us_ = 0;
};

/// Every thread of such a program may make calls; one at a time does.
class FrontThreads final : public program::HostThreads {
public:
    [[nodiscard]] bool several() const override { return false; }

    [[nodiscard]] std::optional<program::ThreadNumber> current() const override {
        return program::ThreadNumber{};
    }

    program::ThreadNumber create(bool) override { return {}; }

    void enter(program::ThreadNumber) override {}

    void leave() override {}

    bool join(program::ThreadNumber, std::optional<double>) override { return true; }

    void settle() override {}

    std::int64_t read_clock() override;

    std::int64_t now_ns() override { return read_clock(); }

    void look_at(const void*, std::uint32_t, bool) override {}

    void changed(const void*) override {}

    bool wait_at(const void*, const char*, std::optional<double>) override { return true; }

    void wake_at(const void*, bool) override {}

    void sleep(double) override {}

    void yield() override {}

    void stir() override {}

    [[noreturn]] void fail(std::exception_ptr error) override;
    [[noreturn]] void exit(int code) override;
};

}  // namespace ascendsim::front
