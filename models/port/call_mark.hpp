// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

#include "models/port/core_port.hpp"

namespace ascendsim::isa {

/// What tells the operations of call_begins() and call_ends() from news of buffers: their `b`.
inline constexpr std::uint8_t call_mark = 0xff;

/// From here to call_ends() what the running core issues belongs to the kernel's call at `site`, for the
/// recording alone and without cost. Calls nest; the outermost counts.
void call_begins(Site site);
void call_ends();

/// A CallScope whose instructions are recorded with the kernel's call as well as with their own line.
class CallMark {
public:
    explicit CallMark(Site site) : scope_{site} { call_begins(site); }

    CallMark(const CallMark&) = delete;
    CallMark& operator=(const CallMark&) = delete;

    ~CallMark() noexcept(false) {
        if (std::uncaught_exceptions() == exceptions_) {  // a program that is unwound issues nothing
            call_ends();
        }
    }

private:
    CallScope scope_;
    int exceptions_ = std::uncaught_exceptions();
};

}  // namespace ascendsim::isa
