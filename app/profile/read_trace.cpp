// SPDX-License-Identifier: Apache-2.0
// trace_view.json: what the host did, what the device did, and which call started which task.
#include <algorithm>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/profile/profile_table.hpp"
#include "app/profile/vendor_profile.hpp"
#include "sim/base/error.hpp"
#include "sim/base/json_text.hpp"
#include "sim/base/lower_case.hpp"

namespace ascendsim::profile {
namespace {

using nlohmann::json;

/// A member as a number: the profiler writes times as texts, too.
std::optional<double> number_at(const json& event, const char* key) {
    const auto found = event.find(key);
    if (found == event.end()) {
        return std::nullopt;
    }
    if (found->is_number()) {
        return found->get<double>();
    }
    return found->is_string() ? number_of(found->get_ref<const std::string&>()) : std::nullopt;
}

std::string text_at(const json& event, const char* key) {
    const auto found = event.find(key);
    return found == event.end() ? std::string{}
           : found->is_string() ? found->get<std::string>()
                                : found->dump();
}

/// One end of an arrow between a call and a task.
struct FlowEnd {
    std::optional<double> host_us;
    std::optional<double> device_us;
};

class TraceReader {
public:
    TraceReader(const std::string& name, Profile& profile) : name_{name}, profile_{profile} {}

    void read(const json& events) {
        for (const json& event : events) {
            if (event.is_object() && text_at(event, "ph") == "M" &&
                text_at(event, "name") == "process_name") {
                const auto arguments = event.find("args");
                if (arguments != event.end() && arguments->is_object()) {
                    processes_[text_at(event, "pid")] = lower(text_at(*arguments, "name"));
                }
            }
        }
        const bool has_operators = !profile_.operators.empty();
        for (const json& event : events) {
            if (event.is_object()) {
                take(event, has_operators);
            }
        }
        for (const auto& [key, flow] : flows_) {
            if (flow.host_us && flow.device_us) {
                profile_.flows.push_back({*flow.host_us, *flow.device_us});
            }
        }
        std::ranges::sort(profile_.flows, {}, &LaunchFlow::device_us);
        std::ranges::stable_sort(profile_.calls, {}, &HostCall::start_us);
    }

private:
    void take(const json& event, bool has_operators) {
        const std::string phase = text_at(event, "ph");
        const std::optional<double> at = number_at(event, "ts");
        if (!at) {
            return;
        }
        if (phase == "s" || phase == "f") {
            FlowEnd& flow = flows_[{text_at(event, "cat"), text_at(event, "id")}];
            (phase == "s" ? flow.host_us : flow.device_us) = at;
            return;
        }
        const std::optional<double> us = number_at(event, "dur");
        if (phase != "X" || !us || *us < 0) {
            return;
        }
        const auto process = processes_.find(text_at(event, "pid"));
        const std::string kind = process == processes_.end() ? std::string{} : process->second;
        if (kind.find("hardware") != std::string::npos) {
            if (!has_operators) {
                take_task(event, *at, *us);
            }
        } else if (kind.find("overlap") == std::string::npos && kind.find("hccl") == std::string::npos &&
                   kind.find("communication") == std::string::npos) {
            profile_.calls.push_back({text_at(event, "name"), *at, *at + *us});
        }
    }

    void take_task(const json& event, double at, double us) {
        ProfiledOperator one;
        one.name = text_at(event, "name");
        one.type = one.name;
        const auto arguments = event.find("args");
        if (arguments != event.end() && arguments->is_object()) {
            one.core = text_at(*arguments, "Task Type");
            one.stream = text_at(*arguments, "Stream Id");
        }
        if (one.core.starts_with("EVENT") || one.core.starts_with("NOTIFY")) {
            return;  // waiting and signals between streams
        }
        one.start_us = at;
        one.us = us;
        one.unread = "a trace does not state shapes and types; kernel_details.csv does";
        one.place = name_;
        if (profile_.ranks.empty()) {
            profile_.ranks.push_back(name_);
        }
        profile_.operators.push_back(std::move(one));
    }

    const std::string& name_;
    Profile& profile_;
    std::map<std::string, std::string> processes_;  // by pid: their names in lower case
    std::map<std::pair<std::string, std::string>, FlowEnd> flows_;
};

}  // namespace

void read_trace(const std::string& text, const std::string& name, Profile& profile) {
    const auto parsed = json_of<json>(text);
    const json* events = &parsed;
    if (parsed.is_object()) {
        const auto found = parsed.find("traceEvents");
        events = found == parsed.end() ? &parsed : &*found;
    }
    if (!events->is_array()) {
        throw UserError{"{}: is no Chrome trace: neither a list of events nor an object with traceEvents",
                        name};
    }
    TraceReader{name, profile}.read(*events);
}

}  // namespace ascendsim::profile
