// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "models/port/core_port.hpp"

namespace ascendsim::isa {

/// Stands before another observer and passes on what it sees.
class PassingObserver : public AccessObserver {
public:
    /// `next` sees what happens, or is null.
    explicit PassingObserver(AccessObserver* next) : next_{next} {}

    void on_issue(const TimedOp& op, const Accesses& accesses) override {
        if (next_ != nullptr) {
            next_->on_issue(op, accesses);
        }
    }

    void on_launch(std::span<const LaunchCore> cores) override {
        if (next_ != nullptr) {
            next_->on_launch(cores);
        }
    }

    void on_begin() override {
        if (next_ != nullptr) {
            next_->on_begin();
        }
    }

    void on_end() override {
        if (next_ != nullptr) {
            next_->on_end();
        }
    }

    void on_buffer(BufferNotice notice, const Access& range, Site site) override {
        if (next_ != nullptr) {
            next_->on_buffer(notice, range, site);
        }
    }

    void on_clean(std::uint64_t offset, bool whole) override {
        if (next_ != nullptr) {
            next_->on_clean(offset, whole);
        }
    }

    void on_fault(const OpInfo& info, Site site, std::string_view message, Pipe pipe) override {
        if (next_ != nullptr) {
            next_->on_fault(info, site, message, pipe);
        }
    }

    void on_late_fault(
        const CorePort& core, const OpInfo& info, Site site, std::string_view message, Pipe pipe) override {
        if (next_ != nullptr) {
            next_->on_late_fault(core, info, site, message, pipe);
        }
    }

    void on_beyond(const OpInfo& info, Site site, std::string_view message, Pipe pipe) override {
        if (next_ != nullptr) {
            next_->on_beyond(info, site, message, pipe);
        }
    }

    void on_rounded(Site site, Pipe pipe, std::uint64_t asked, std::uint64_t moved) override {
        if (next_ != nullptr) {
            next_->on_rounded(site, pipe, asked, moved);
        }
    }

    PlainRange plain_range(const OpInfo& info,
                           const Access& access,
                           std::optional<std::uint64_t> root,
                           Site site) override {
        return next_ != nullptr ? next_->plain_range(info, access, root, site)
                                : AccessObserver::plain_range(info, access, root, site);
    }

    void on_plain(const OpInfo& info, const Access& access, Site site) override {
        if (next_ != nullptr) {
            next_->on_plain(info, access, site);
        }
    }

private:
    AccessObserver* next_;
};

}  // namespace ascendsim::isa
