// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/collector.hpp"

#include <utility>

namespace ascendsim::sanitize {

Collector::Key Collector::key(Kind kind, const Touch& later, const Touch* earlier) {
    const auto place = [](const Touch& touch) {
        return Place{touch.info->name, touch.site.file, touch.site.line, touch.strand};
    };
    return {kind, place(later), earlier == nullptr ? Place{} : place(*earlier)};
}

Finding* Collector::again(Kind kind, const Touch& later, const Touch* earlier) {
    const auto found = known_.find(key(kind, later, earlier));
    if (found == known_.end()) {
        return nullptr;
    }
    Finding& finding = findings_[found->second];
    ++finding.count;
    return &finding;
}

Finding& Collector::add(Finding finding, const Touch& later, const Touch* earlier) {
    known_[key(finding.kind, later, earlier)] = findings_.size();
    findings_.push_back(std::move(finding));
    return findings_.back();
}

}  // namespace ascendsim::sanitize
