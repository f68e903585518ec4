// SPDX-License-Identifier: Apache-2.0
#include "runtime/front/front_streams.hpp"

#include <chrono>
#include <cstdlib>

#include "sim/base/error.hpp"

namespace ascendsim::front {

using program::EventNumber;
using program::StreamNumber;
using program::WaitResult;

namespace {

[[noreturn]] void refuse(const char* what) {
    throw UserError{
        "{} of a program that runs beside the simulator is not there; run its source with 'ascendsim run "
        "main.cpp', "
        "which has it",
        what};
}

std::size_t index(StreamNumber stream) {
    return static_cast<std::size_t>(stream);
}

std::size_t index(EventNumber event) {
    return static_cast<std::size_t>(event);
}

}  // namespace

StreamNumber FrontStreams::create_stream(std::uint32_t device, std::uint32_t priority) {
    streams_.push_back({device, priority});
    return StreamNumber{static_cast<std::uint32_t>(streams_.size() - 1)};
}

std::uint32_t FrontStreams::priority_of(StreamNumber stream) const {
    return streams_[index(stream)].priority;
}

void FrontStreams::set_priority(StreamNumber stream, std::uint32_t priority) {
    streams_[index(stream)].priority = priority;
}

StreamNumber FrontStreams::default_stream(std::uint32_t device) {
    const auto known = usual_.find(device);
    return known != usual_.end() ? known->second
                                 : usual_.emplace(device, create_stream(device, 0)).first->second;
}

std::uint32_t FrontStreams::device_of(StreamNumber stream) const {
    return streams_[index(stream)].device;
}

void FrontStreams::copy(StreamNumber /*stream*/,
                        const program::CallPlace& /*call*/,
                        const program::CopyRequest& /*request*/,
                        std::function<void()> effect) {
    effect();
}

void FrontStreams::copy_now(std::uint32_t /*device*/,
                            const program::CallPlace& /*call*/,
                            const program::CopyRequest& /*request*/,
                            const std::function<void()>& effect) {
    effect();
}

EventNumber FrontStreams::create_event(bool /*captures*/) {
    events_.emplace_back();
    return EventNumber{static_cast<std::uint32_t>(events_.size() - 1)};
}

void FrontStreams::record(EventNumber event, StreamNumber /*stream*/, const program::CallPlace& /*call*/) {
    events_[index(event)] = now_us_;
}

EventNumber FrontStreams::create_flag() {
    return *flags_.insert(create_event(false)).first;
}

void FrontStreams::reset(EventNumber event, StreamNumber /*stream*/, const program::CallPlace& /*call*/) {
    events_[index(event)].reset();
}

bool FrontStreams::is_flag(EventNumber event) const {
    return flags_.contains(event);
}

WaitResult FrontStreams::synchronise(StreamNumber /*stream*/,
                                     const program::CallPlace& /*call*/,
                                     std::optional<double> /*timeout_us*/) {
    return WaitResult::ended;
}

WaitResult FrontStreams::synchronise_device(std::uint32_t /*device*/,
                                            const program::CallPlace& /*call*/,
                                            std::optional<double> /*timeout_us*/) {
    return WaitResult::ended;
}

WaitResult FrontStreams::synchronise(EventNumber /*event*/,
                                     const program::CallPlace& /*call*/,
                                     std::optional<double> /*timeout_us*/) {
    return WaitResult::ended;
}

program::GroupNumber FrontStreams::create_group(std::uint32_t /*size*/) {
    refuse("a communicator (HCCL)");
}

void FrontStreams::join_group(program::GroupNumber /*group*/,
                              std::uint32_t /*rank*/,
                              std::uint32_t /*device*/) {
    refuse("a communicator (HCCL)");
}

void FrontStreams::meet(program::GroupNumber /*group*/,
                        std::uint32_t /*rank*/,
                        StreamNumber /*stream*/,
                        const program::CallPlace& /*call*/,
                        program::ExchangeCall /*what*/) {
    refuse("a collective (HCCL)");
}

void FrontStreams::call_back(StreamNumber /*stream*/,
                             const program::CallPlace& /*call*/,
                             program::ReportQueue /*queue*/,
                             std::function<void()> function,
                             bool /*blocks*/) {
    function();
}

bool FrontStreams::process_report(program::ReportQueue /*queue*/,
                                  const program::CallPlace& /*call*/,
                                  std::optional<double> /*timeout_us*/) {
    return false;
}

program::GraphNumber FrontStreams::begin_capture(StreamNumber /*stream*/) {
    refuse("a captured graph (aclmdlRICapture…)");
}

std::string FrontStreams::end_capture(program::GraphNumber /*graph*/) {
    refuse("a captured graph (aclmdlRICapture…)");
}

program::CaptureState FrontStreams::state_of(program::GraphNumber /*graph*/) const {
    return program::CaptureState::ended;
}

std::optional<program::GraphNumber> FrontStreams::capture_of(StreamNumber /*stream*/) const {
    return std::nullopt;
}

std::optional<program::GraphNumber> FrontStreams::capture_of(EventNumber /*event*/) const {
    return std::nullopt;
}

StreamNumber FrontStreams::origin_of(program::GraphNumber /*graph*/) const {
    return {};
}

std::vector<program::GraphTaskInfo> FrontStreams::tasks_of(program::GraphNumber /*graph*/) const {
    return {};
}

void FrontStreams::leave_out(program::GraphNumber /*graph*/, std::size_t /*task*/) {
    refuse("a captured graph (aclmdlRI…)");
}

program::TaskGroup FrontStreams::begin_group(StreamNumber /*stream*/) {
    refuse("a captured graph (aclmdlRICaptureTaskGrpBegin)");
}

void FrontStreams::end_group(program::TaskGroup /*group*/) {
    refuse("a captured graph (aclmdlRICaptureTaskGrpEnd)");
}

void FrontStreams::begin_update(program::TaskGroup /*group*/, StreamNumber /*stream*/) {
    refuse("a captured graph (aclmdlRICaptureTaskUpdateBegin)");
}

std::string FrontStreams::end_update(StreamNumber /*stream*/, const program::CallPlace& /*call*/) {
    refuse("a captured graph (aclmdlRICaptureTaskUpdateEnd)");
}

void FrontStreams::execute(program::GraphNumber /*graph*/,
                           StreamNumber /*stream*/,
                           const program::CallPlace& /*call*/) {
    refuse("a captured graph (aclmdlRIExecute…)");
}

bool FrontStreams::recorded(EventNumber event) const {
    return events_[index(event)].has_value();
}

std::optional<double> FrontStreams::time_us(EventNumber event) {
    return events_[index(event)];
}

std::int64_t FrontThreads::read_clock() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

void FrontThreads::fail(std::exception_ptr error) {
    std::rethrow_exception(error);
}

void FrontThreads::exit(int code) {
    std::exit(code);
}

}  // namespace ascendsim::front
