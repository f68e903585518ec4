// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "models/port/pipe.hpp"

namespace ascendsim {

/// Places in the kernel framework, once more for each line of a kernel that called it: a copy of the file's
/// name stands for both, so that an operation carries the pair where it carries a place.
class CalledPlaces {
public:
    struct Place {
        const char* file = "";  // as the operation had it
        Site caller;
    };

    /// The name that stands for `site` called from `caller`; the site's own where that is the caller's file.
    [[nodiscard]] const char* file(Site site, Site caller);

    /// What a name stands for; null for one that stands for itself.
    [[nodiscard]] const Place* find(const char* file) const;

private:
    struct Kept {
        std::string text;
        Place place;
    };

    std::map<std::tuple<const char*, const char*, std::uint32_t>, Kept> kept_;  // by file and caller
    std::map<const char*, const Place*> places_;
    Site last_;  // of file(), and its answer
    Site last_caller_;
    const char* last_file_ = nullptr;
};

}  // namespace ascendsim
