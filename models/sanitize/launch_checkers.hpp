// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/port/launch_observer.hpp"
#include "models/sanitize/checker.hpp"
#include "models/sanitize/stream_races.hpp"

namespace ascendsim::sanitize {

/// The hazard checker of a run whose launches may be under way at the same time: each has a Checker of its
/// own, and all know the same of global memory.
class LaunchCheckers final : public isa::LaunchObserver {
public:
    /// `chip`, and the memory of the cores that run, must outlive the checkers.
    explicit LaunchCheckers(const ChipSpec& chip) : chip_{chip} { add(); }

    /// Alone it does for runs whose launches come one after the other.
    [[nodiscard]] Checker& first() { return *sides_.front().checker; }

    /// Fills the memories of cores with poison before each block.
    void poison_cores(const Poison& poison);

    /// As those of Checker.
    void declare_unwritten(std::uint64_t offset, std::uint64_t bytes);
    void declare_written(std::uint64_t offset, std::uint64_t bytes);
    void declare_read_only(std::uint64_t offset, std::uint64_t bytes);

    [[nodiscard]] bool unwritten(std::uint64_t offset, std::uint64_t bytes) const {
        return sides_.front().checker->unwritten(offset, bytes);
    }

    [[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint64_t>> unwritten_runs(
        std::uint64_t offset, std::uint64_t bytes) const {
        return sides_.front().checker->unwritten_runs(offset, bytes);
    }

    bool note_partly_unwritten(const std::string& name,
                               std::uint64_t bytes,
                               std::span<const std::pair<std::uint64_t, std::uint64_t>> runs,
                               std::uint64_t offset,
                               Kind kind = Kind::never_written) {
        return first().note_partly_unwritten(name, bytes, runs, offset, kind);
    }

    void note_unwritten(const std::string& name, std::uint64_t bytes, const std::string& reason = {}) {
        first().note_unwritten(name, bytes, reason);
    }

    /// Launch `number` is this work of a stream, to be held against that of others. `memory` must outlive the
    /// checkers.
    void watch(std::uint64_t number, StreamWork work, const isa::GlobalMemory& memory);
    /// A copy, or what a host thread did: the accesses of a work that is over.
    void note(StreamWork work,
              std::span<const isa::Access> accesses,
              const StreamRaces::Place& place,
              const isa::GlobalMemory& memory);

    /// Bytes of global memory are given to another buffer.
    void forget(std::uint64_t begin, std::uint64_t end) { races_.forget(begin, end); }

    void finish(Checker::Ending ending = Checker::Ending::completed);

    /// Of all launches; the same thing at the same places is counted, not told again.
    [[nodiscard]] std::vector<Finding> findings() const;
    [[nodiscard]] bool any_error() const;

    void on_start(std::uint64_t number, std::span<const isa::LaunchCore> cores, bool beside) override;
    void on_place(std::uint64_t number, std::uint32_t member, const isa::CorePort& core) override;
    void on_done(std::uint64_t number) override;

    void on_issue(const isa::TimedOp& op, const isa::Accesses& accesses) override;

    void on_launch(std::span<const isa::LaunchCore> cores) override { first().on_launch(cores); }

    void on_begin() override { current().on_begin(); }

    void on_end() override { current().on_end(); }

    void on_buffer(isa::BufferNotice notice, const isa::Access& range, Site site) override {
        current().on_buffer(notice, range, site);
    }

    void on_clean(std::uint64_t offset, bool whole) override { current().on_clean(offset, whole); }

    void on_fault(const isa::OpInfo& info, Site site, std::string_view message, Pipe pipe) override {
        current().on_fault(info, site, message, pipe);
    }

    void on_late_fault(const isa::CorePort& core,
                       const isa::OpInfo& info,
                       Site site,
                       std::string_view message,
                       Pipe pipe) override {
        const auto known = of_core_.find(&core);
        sides_[known == of_core_.end() ? 0 : known->second].checker->on_late_fault(
            core, info, site, message, pipe);
    }

    void on_beyond(const isa::OpInfo& info, Site site, std::string_view message, Pipe pipe) override {
        current().on_beyond(info, site, message, pipe);
    }

    void on_rounded(Site site, Pipe pipe, std::uint64_t asked, std::uint64_t moved) override {
        current().on_rounded(site, pipe, asked, moved);
    }

    isa::PlainRange plain_range(const isa::OpInfo& info,
                                const isa::Access& access,
                                std::optional<std::uint64_t> root,
                                Site site) override;
    void on_plain(const isa::OpInfo& info, const isa::Access& access, Site site) override;

private:
    /// A checker, and the launch that it watches.
    struct Side {
        std::unique_ptr<Checker> checker;
        std::optional<std::uint64_t> launch;
        bool placed = false;   // cores are told of as they begin
        bool watched = false;  // its accesses are held against those of other streams
    };

    void add();
    void share(const Side& mine, const isa::Accesses& accesses);
    [[nodiscard]] Side& side_of(std::uint64_t launch);

    /// What watches the core whose program runs.
    [[nodiscard]] Side& side() {
        const isa::CorePort* port = &isa::CorePort::current();
        if (port != port_) {
            const auto known = of_core_.find(port);
            running_ = known == of_core_.end() ? 0 : known->second;
            port_ = port;
        }
        return sides_[running_];
    }

    [[nodiscard]] Checker& current() { return *side().checker; }

    const ChipSpec& chip_;
    std::shared_ptr<LocalPoison> poison_;
    std::vector<Side> sides_;
    std::map<const isa::CorePort*, std::size_t> of_core_;  // places in sides_
    const isa::CorePort* port_ = nullptr;                  // of running_
    std::size_t running_ = 0;
    StreamRaces races_;
    std::set<std::uint64_t> watched_;                // launches that have not started
    const isa::GlobalMemory* memory_ = nullptr;      // of what is watched
    std::uint64_t noted_ = std::uint64_t{1} << 63U;  // ids of works that are no launches
};

}  // namespace ascendsim::sanitize
