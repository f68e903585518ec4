// SPDX-License-Identifier: Apache-2.0
#include "app/report/program/program_times.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/report/program/program_trace.hpp"

namespace ascendsim::report {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

json totals() {
    return json::parse(R"({
        "launches": [{"start": 100, "end": 300}],
        "program": {
            "operators": [{"call": "aclnnAdd", "calls": 2, "kernel": "add", "origin": "shipped"}],
            "timeline": {
                "total_us": 50.0, "node": "a2", "mode": "graph", "jitter": "5 %",
                "device_clock": {"offset_us": -3.0, "drift_ppm": 10.0},
                "devices": [{"device": 0, "computing_us": 20.0, "host_us": 30.0,
                             "bubbles": [{"us": 30.0, "cause": "waiting on the host", "place": "main.cpp:7"}]}],
                "calls": [{"name": "a_kernel_with_a_name_that_is_long_and_ends_in_one", "count": 1,
                           "device_us": 20.0, "critical_us": 20.0, "device_waited_us": 30.0, "place": "main.cpp:7"}],
                "spans": [{"kind": "compute", "start_us": 10.0, "us": 20.0, "call": 0, "stream": 0, "device": 0},
                          {"kind": "call", "start_us": 0.0, "us": 9.0, "call": 0, "thread": 1, "launcher": true}],
                "collectives": [{"name": "HcclAllReduce", "place": "main.cpp:9", "count": 1,
                                 "ranks": [{"device": 0, "waited_us": 1.0, "last": 1}]}],
                "advice": [{"text": "wait later", "place": "main.cpp:8", "gain": 0.2, "change": "overlap"}]
            }
        }
    })");
}

std::string printed(const json& totals) {
    std::ostringstream out;
    print_program_times(out, totals, {});
    return out.str();
}

TEST(ProgramTimes, TellWhereAProgramsTimeWent) {
    const std::string text = printed(totals());
    EXPECT_THAT(text, HasSubstr("50.00 us on a2"));
    EXPECT_THAT(text, HasSubstr("computing 20.00 us (40.0 %), waiting on the host 30.00 us (60.0 %)"));
    EXPECT_THAT(text, HasSubstr("3.00 us behind the host's"));
    // Names differ at their ends, so that their middle is left out.
    EXPECT_THAT(text, HasSubstr("ends_in_one"));
    EXPECT_THAT(text, HasSubstr("aclnnAdd (calls: 2): add, shipped"));
}

TEST(ProgramTimes, DamageNeverThrows) {
    const json whole = totals();
    const json flat = whole.flatten();
    std::vector<std::string> places;
    for (const auto& [place, value] : flat.items()) {
        for (std::string at = place; !at.empty(); at.resize(at.rfind('/'))) {
            places.push_back(at);
        }
    }
    for (const std::string& place : places) {
        for (const json& other :
             {json{}, json{"text"}, json("text"), json(-7), json(1e300), json::object()}) {
            json damaged = whole;
            damaged[json::json_pointer{place}] = other;
            EXPECT_NO_THROW({
                static_cast<void>(printed(damaged));
                static_cast<void>(program_events(damaged, 1));
                static_cast<void>(ProgramAxis{damaged, 1000}.us(100));
            }) << place
               << " = " << other;
        }
    }
    EXPECT_EQ(printed(json("no totals")), "");
}

}  // namespace
}  // namespace ascendsim::report
