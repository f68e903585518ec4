// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/inputs/recordings.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "models/spec/chip_file.hpp"
#include "sim/record/format.hpp"
#include "sim/record/recorder.hpp"
#include "toolchain/installation/installation.hpp"

namespace fuzz {
namespace {

namespace fs = std::filesystem;
using namespace ascendsim;  // NOLINT(google-build-using-namespace): a test
using nlohmann::json;

json metadata() {
    const fs::path chips = toolchain::Installation::find().chips();
    return {{"scenario", "add"},
            {"title", "An addition"},
            {"file", "add.toml"},
            {"project", ".."},
            {"mode", "functional"},
            {"kernel", "add"},
            {"clock_ghz", 1.85},
            {"chip", to_json(load_chip("910b1", chips))},
            {"overrides", {{"kernel.tile", "4096"}}},
            {"knobs", {{"tile", 4096}, {"buffers", 2}, {"schedule", "by_hand"}}},
            {"knob_ranges",
             {{"tile", {{"meaning", "elements"}, {"min", 1}, {"max", 8192}}},
              {"buffers", {{"meaning", "buffers of a queue"}, {"min", 1}, {"max", 2}}},
              {"schedule", {{"meaning", "how"}, {"allowed", {"by_hand", "by_turns"}}}}}},
            {"sources", {{"add.cpp", "int a;\nint b;\n"}}},
            {"work", {{"vector_flops", 8192.0}, {"vector_type", "half"}, {"gm_bytes", 49152.0}}},
            {"launches", {{{"entry", "add"}, {"label", "add"}, {"blocks", 2}, {"cores", "aiv"}}}},
            {"auto_sync", {{"on", true}, {"stated", false}, {"origin", "default"}}}};
}

json totals() {
    return {
        {"outcome", "complete"},
        {"cycles", 900},
        {"time_us", 0.5},
        {"instructions", 12},
        {"cores_used", 2},
        {"flops", 8192.0},
        {"numerics",
         {{"checked", true},
          {"passed", false},
          {"max_abs_error", 0.5},
          {"max_rel_error", "inf"},
          {"outputs", {{{"name", "z"}, {"passed", false}, {"failures", 3}, {"elements", 64}}}}}},
        {"launches", {{{"name", "add"}, {"start", 0}, {"first_core", 10}, {"cores_end", 880}, {"end", 900}}}},
        {"executions", {{{"start", 0}, {"end", 900}, {"warm_up", false}}}},
        {"auto_sync",
         {{"barriers", 1},
          {"flags", 0},
          {"places",
           {{{"file", "add.cpp"}, {"line", 2}, {"from", "mte2"}, {"to", "vector"}, {"count", 1}}}}}},
        {"hazards",
         {{{"kind", "race"},
           {"severity", "error"},
           {"message", "two writes"},
           {"text", "race: two writes\n"},
           {"later", {{"pipe", "vector"}, {"buffer", "ub"}}},
           {"earlier", {{"pipe", "mte2"}}}}}}};
}

void fill(record::Recorder& recorder, std::uint64_t spans) {
    recorder.metadata(metadata());
    const std::uint32_t add = recorder.op("vadd");
    const std::uint32_t move = recorder.op("gm_to_ub");
    for (const char* core : {"device0/group0/aiv0", "device0/group0/aiv1"}) {
        const std::uint32_t mte2 = recorder.lane(record::TrackPath::parse(std::string{core} + "/mte2"));
        const std::uint32_t vector = recorder.lane(record::TrackPath::parse(std::string{core} + "/vector"));
        for (std::uint64_t i = 0; i < spans; ++i) {
            const std::uint64_t at = 10 + 90 * i;
            const std::uint64_t moved = recorder.span(mte2,
                                                      {.issue = at,
                                                       .start = at,
                                                       .end = at + 40,
                                                       .complete = at + 45,
                                                       .op = move,
                                                       .site = recorder.site("add.cpp", 1),
                                                       .bytes = 4096});
            recorder.span(vector,
                          {.issue = at + 5,
                           .start = at + 45,
                           .end = at + 80,
                           .complete = at + 80,
                           .op = add,
                           .site = recorder.site("add.cpp", 2),
                           .bytes = 4096,
                           .culprit = {mte2, static_cast<std::uint32_t>(moved)}});
        }
        recorder.buffer(
            {.core_index = 0, .memory = 1, .bytes = 4096, .from = 10, .to = 200, .label = "VECIN"});
    }
    recorder.event(
        {{"kind", "launch"}, {"name", "add"}, {"start", 0}, {"end", 900}, {"blocks", 2}, {"cores", 2}});
    recorder.event({{"kind", "never_set"}, {"lane", 1}, {"cycle", 45}, {"text", "flag 0 is never set"}});
    recorder.event({{"kind", "race"}, {"text", "two writers"}});
}

struct FrameAt {
    std::size_t begin = 0;  // of the header
    record::FrameHeader header;
};

std::vector<FrameAt> frames_of(const std::string& bytes) {
    std::vector<FrameAt> frames;
    for (std::size_t at = record::file_header_bytes; at + sizeof(record::FrameHeader) <= bytes.size();) {
        FrameAt frame{.begin = at, .header = {}};
        std::memcpy(&frame.header, bytes.data() + at, sizeof frame.header);
        at += sizeof frame.header;
        if (frame.header.length > bytes.size() - at) {
            break;
        }
        at += frame.header.length;
        frames.push_back(frame);
    }
    return frames;
}

/// Every value of a JSON text, however deep.
void collect(json& value, std::vector<json*>& all) {
    all.push_back(&value);
    if (value.is_structured()) {
        for (json& member : value) {
            collect(member, all);
        }
    }
}

json other_value(TextMutation& random) {
    switch (random.below(9)) {
        case 0:
            return nullptr;
        case 1:
            return -1;
        case 2:
            return 1e300;
        case 3:
            return "text";
        case 4:
            return json::array();
        case 5:
            return json::object();
        case 6:
            return ~std::uint64_t{0};
        case 7:
            return json::array({json::object(), 1, "two"});
        default:
            return true;
    }
}

std::string changed_text(const std::string& text, TextMutation& random) {
    if (random.below(8) == 0) {
        return random(text);
    }
    if (random.below(100) == 0) {
        return "{\"deep\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
    }
    json values = json::parse(text, nullptr, false);
    for (std::size_t changes = 1 + random.below(3); changes > 0 && !values.is_discarded(); --changes) {
        std::vector<json*> all;
        collect(values, all);
        json& chosen = *all[random.below(all.size())];
        if (chosen.is_object() && !chosen.empty() && random.below(2) == 0) {
            chosen.erase(std::next(chosen.begin(), static_cast<std::ptrdiff_t>(random.below(chosen.size()))));
        } else {
            chosen = other_value(random);
        }
    }
    return values.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::vector<std::string> recording_seeds() {
    std::vector<std::string> seeds;
    const fs::path file = fs::temp_directory_path() / fmt::format("fuzz_seed_{}.rec", getpid());
    for (const std::uint64_t spans : {0U, 3U, 9U}) {
        {
            record::Recorder recorder{file};
            fill(recorder, spans);
            if (spans != 0) {
                recorder.finish(totals());
            }
        }
        std::ifstream stream{file, std::ios::binary};
        seeds.emplace_back(std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{});
    }
    fs::remove(file);
    return seeds;
}

std::string with_checksums(std::string bytes) {
    for (FrameAt& frame : frames_of(bytes)) {
        const std::size_t payload = frame.begin + sizeof frame.header;
        frame.header.checksum =
            record::checksum(std::as_bytes(std::span{bytes}).subspan(payload, frame.header.length));
        std::memcpy(bytes.data() + frame.begin, &frame.header, sizeof frame.header);
    }
    return bytes;
}

std::string with_changed_json(const std::string& bytes, TextMutation& random) {
    std::vector<FrameAt> holding;
    for (const FrameAt& frame : frames_of(bytes)) {
        const auto type = static_cast<record::FrameType>(frame.header.type);
        if (type == record::FrameType::metadata || type == record::FrameType::event ||
            type == record::FrameType::totals) {
            holding.push_back(frame);
        }
    }
    if (holding.empty()) {
        return bytes;
    }
    FrameAt& frame = holding[random.below(holding.size())];
    const std::size_t payload = frame.begin + sizeof frame.header;
    const std::string text = changed_text(bytes.substr(payload, frame.header.length), random);
    std::string result = bytes.substr(0, payload) + text + bytes.substr(payload + frame.header.length);
    frame.header.length = static_cast<std::uint32_t>(text.size());
    std::memcpy(result.data() + frame.begin, &frame.header, sizeof frame.header);
    return with_checksums(result);
}

}  // namespace fuzz
