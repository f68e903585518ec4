// SPDX-License-Identifier: Apache-2.0
#include "models/timeline/called_places.hpp"

#include <string_view>

namespace ascendsim {

const char* CalledPlaces::file(Site site, Site caller) {
    if (last_file_ != nullptr && last_.file == site.file && last_caller_.file == caller.file &&
        last_caller_.line == caller.line) {
        return last_file_;
    }
    last_ = site;
    last_caller_ = caller;
    last_file_ = site.file;
    if (std::string_view{site.file} != caller.file) {
        Kept& kept = kept_[{site.file, caller.file, caller.line}];
        if (kept.text.empty()) {
            kept = {.text = site.file, .place = {.file = site.file, .caller = caller}};
            places_[kept.text.c_str()] = &kept.place;
        }
        last_file_ = kept.text.c_str();
    }
    return last_file_;
}

const CalledPlaces::Place* CalledPlaces::find(const char* file) const {
    if (places_.empty()) {
        return nullptr;
    }
    const auto found = places_.find(file);
    return found == places_.end() ? nullptr : found->second;
}

}  // namespace ascendsim
