// SPDX-License-Identifier: Apache-2.0
// A parameter that no run reads misleads whoever sets it. So each is changed, and a run of a few programs
// must come to something else: other clocks, or an error.
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "models/isa/sync/synchronise.hpp"
#include "models/spec/chip_file.hpp"
#include "sim/config/fields.hpp"
#include "tests/parameters/programs.hpp"

extern "C" void queue_operations();

namespace ascendsim::testing {
namespace {

/// Parameters that these programs do not read, and why.
const std::map<std::string, std::string, std::less<>> unread{
    {"vector.cast_b64.repeat_b16", "one side of the conversion has 64 bits"},
    {"fixpipe.start_cycles",
     "the host side of matmul reads it to choose tiles; runs time an output as a transfer"},
    {"vector.merge_sort.repeat_b16", "a sorted element has 8 bytes, its score and its index"},
    {"vector.mask_register.repeat_b16", "the compare mask is moved in one repeat of any width"},
};

/// The chip with less of what makes runs long, cores and an L2 to fill, and of what so few cores would not
/// use up: bandwidth and requests.
ChipFile small_chip(const std::string& name) {
    ChipFile chip = open_chip(name, ASCENDSIM_CHIPS);
    override_field(chip, "cores.aic", "4");
    override_field(chip, "l2.bytes", "8388608");
    override_field(chip, "l2.write_back_bytes", "1048576");
    override_field(chip, "l2.requests_per_ns", "2");
    override_field(chip, "hbm.gb_per_s", "300");
    settle_chip(chip);
    return chip;
}

struct Run {
    const ChipSpec& chip;
    Machine& machine;
    std::byte* gm;  // gm_bytes for each core, and as many that they share
    Readings readings{};

    [[nodiscard]] std::byte* own() const {
        return gm + (isa::CorePort::current().identity().core + 1) * gm_bytes;
    }

    void launch(CoreUse cores, std::uint32_t blocks, const Program& vector, const Program& cube = {}) {
        const LaunchOutcome outcome = machine.launch({.name = "test",
                                                      .kind = cores,
                                                      .blocks = blocks,
                                                      .vector_program = vector,
                                                      .cube_program = cube,
                                                      .argument_bytes = 64});
        readings.insert(readings.end(), {outcome.start, outcome.first_core, outcome.cores_end, outcome.end});
    }

    void vector_cores() {
        launch(CoreUse::aiv, 1, [this] { every_vector_instruction(readings); });
        launch(CoreUse::aiv, 1, [this] { scalar_unit(own(), readings); });
        launch(CoreUse::aiv, 1, [this] { vector_copies(own(), readings); });
        launch(CoreUse::aiv, 1, [] { queue_operations(); });
        launch(CoreUse::aiv, 3 * chip.cores.aiv, [this] { settle(readings); });
        for (const bool past_l2 : {false, true}) {
            launch(CoreUse::aiv, chip.cores.aiv, [this, past_l2] { stream(own(), past_l2, readings); });
            launch(CoreUse::aiv, chip.cores.aiv, [this, past_l2] {
                shared_lines(past_l2 ? gm + gm_bytes / 2 : gm, past_l2, readings);
            });
        }
    }

    void both_kinds() {
        launch(CoreUse::aic, 1, {}, [this] { cube_instructions(own(), readings); });
        launch(CoreUse::aic, chip.cores.aic, {}, [this] { cube_instructions(own(), readings); });
        launch(
            CoreUse::mix_1_2,
            1,
            [this] {
                isa::scalar_work(50000, here);  // meanwhile the flag counts up
                for (int i = 0; i < 15; ++i) {
                    isa::cross_core_wait(Pipe::scalar, 15, here);
                }
                isa::cross_core_wait(Pipe::scalar, 14, here);
                settle(readings);
                isa::sync_all(true, here);
                settle(readings);
            },
            [this] {
                for (int i = 0; i < 15; ++i) {
                    isa::cross_core_set(Pipe::scalar, 2, 15, here);
                }
                isa::scalar_work(100000, here);
                isa::cross_core_set(Pipe::scalar, 2, 14, here);
                isa::sync_all(true, here);
                settle(readings);
            });
        launch(CoreUse::aiv, 1, [] { ends_of_memories(false); });
        launch(CoreUse::aic, 1, {}, [] { ends_of_memories(true); });
    }
};

/// What all programs come to on the chip, as text: clocks, and the error that ended them if one did.
std::string outcome_on(const ChipSpec& chip) {
    Run* current = nullptr;
    std::string error;
    Readings readings;
    try {
        record::Recorder recorder{""};
        Machine machine{chip, recorder, {.functional = false, .from_idle = true}};
        std::byte* gm = machine.memory().allocate("gm", 9 * gm_bytes);
        machine.memory().allocate("a large part of the memory", 1ULL << 34U);
        Run run{chip, machine, gm};
        current = &run;
        try {
            machine.run([&run, &chip](Machine&) {
                if (chip.cores.split) {
                    run.vector_cores();
                    run.both_kinds();
                } else {
                    run.launch(CoreUse::aiv, 1, [&run] { coupled_paths(run.readings); });
                }
            });
        } catch (const std::exception& failure) {
            error = failure.what();
        }
        readings = current->readings;
    } catch (const std::exception& failure) {
        error += failure.what();
    }
    return fmt::format("{} {}", fmt::join(readings, " "), error);
}

/// The same in a process of its own: SystemC elaborates once.
std::string outcome_in_child(const ChipSpec& chip) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe(ends.data()), 0);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        const std::string text = outcome_on(chip);
        for (std::size_t sent = 0; sent < text.size();) {
            const ssize_t n = write(ends[1], text.data() + sent, text.size() - sent);
            sent = n <= 0 ? text.size() : sent + static_cast<std::size_t>(n);
        }
        _exit(0);
    }
    close(ends[1]);
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t n = 0; (n = read(ends[0], part.data(), part.size())) > 0;) {
        text.append(part.data(), static_cast<std::size_t>(n));
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? text : text + fmt::format("ended by signal {}", WTERMSIG(status));
}

/// Other values of a parameter, within its range, as texts.
std::vector<std::string> other_values(const FieldRef& field) {
    const std::string text = field.text();
    if (text == "true" || text == "false") {
        return {text == "true" ? "false" : "true"};
    }
    const double now = std::stod(text);
    std::vector<std::string> values;
    for (const double value : {now / 2, 2 * now + 8, 16 * now + 8, now / 16}) {
        const bool whole = !std::holds_alternative<double*>(field.value);
        const double rounded = whole ? std::floor(value) : value;
        if (rounded != now && rounded >= field.min && rounded <= field.max) {
            values.push_back(whole ? fmt::format("{:.0f}", rounded) : fmt::format("{}", rounded));
        }
    }
    return values;
}

/// True if some other value of the parameter changes what the programs come to, or cannot stand beside the
/// other parameters.
bool is_read(const ChipFile& chip, const std::string& path, const std::string& before) {
    ChipFile copy = chip;
    for (const FieldRef& field : fields_of(copy.spec)) {
        if (field.path != path) {
            continue;
        }
        for (const std::string& value : other_values(field)) {
            ChipFile changed = chip;
            override_field(changed, path, value);
            try {
                settle_chip(changed);
            } catch (const UserError&) {
                return true;
            }
            if (outcome_in_child(changed.spec) != before) {
                return true;
            }
        }
    }
    return false;
}

TEST(Parameters, EachOneChangesSomeRun) {
    const ChipFile split = small_chip("910b1");
    const ChipFile coupled = small_chip("910a");
    const std::string of_split = outcome_in_child(split.spec);
    const std::string of_coupled = outcome_in_child(coupled.spec);
    ASSERT_EQ(of_split.find_first_not_of("0123456789 "), std::string::npos) << of_split;
    ASSERT_EQ(of_coupled.find_first_not_of("0123456789 "), std::string::npos) << of_coupled;
    ChipFile listed = split;
    std::size_t fields = 0;
    for (const FieldRef& field : fields_of(listed.spec)) {
        ++fields;
        const std::string path{field.path};
        const bool read = path.starts_with("coupled.") ? is_read(coupled, path, of_coupled)
                                                       : is_read(split, path, of_split);
        EXPECT_NE(read, unread.contains(path))
            << path << (read ? " is read after all" : " is read by none of these runs");
    }
    EXPECT_GT(fields, 150U);
}

TEST(Parameters, TheSameChipComesToTheSame) {
    const ChipFile chip = small_chip("910b1");
    EXPECT_EQ(outcome_in_child(chip.spec), outcome_in_child(chip.spec));
}

}  // namespace
}  // namespace ascendsim::testing
