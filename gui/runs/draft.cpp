// SPDX-License-Identifier: Apache-2.0
#include "gui/runs/draft.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "sim/base/json_text.hpp"

namespace ascendsim::gui {
namespace {

constexpr std::string_view chip_path = "scenario.chip";
constexpr std::size_t most_answer = 4'000'000;  // B

/// A TOML value as `--set` takes it.
std::string toml_text(const Node& node) {
    struct Show {
        std::string operator()(const TomlTable& /*table*/) const { return {}; }

        std::string operator()(const TomlArray& array) const {
            std::string text = "[";
            for (const TomlValue& item : array.items) {
                text += (text.size() > 1 ? ", " : "") + std::visit(*this, item.data);
            }
            return text + "]";
        }

        std::string operator()(const TomlDate& /*date*/) const { return {}; }

        std::string operator()(const std::string& words) const { return words; }

        std::string operator()(bool flag) const { return flag ? "true" : "false"; }

        std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }

        std::string operator()(double number) const { return nlohmann::json(number).dump(); }
    };

    return std::visit(Show{}, node.value().data);
}

/// Adds every value below a table by its path.
void collect(const Node& table, const std::string& prefix, std::map<std::string, std::string>& values) {
    for (const Node& member : table.members()) {
        if (member.is_table()) {
            collect(member, prefix + member.key() + ".", values);
        } else {
            values[prefix + member.key()] = toml_text(member);
        }
    }
}

Knob chip_choice(const std::string& listing, const std::string& base) {
    Knob knob{.path = std::string{chip_path},
              .group = "chip",
              .label = "chip",
              .kind = KnobKind::word,
              .base = base,
              .unit = {},
              .meaning = "the machine that the kernel runs on",
              .tag = {},
              .source = {},
              .allowed = {},
              .min = {},
              .max = {}};
    std::istringstream lines{listing};
    for (std::string line; std::getline(lines, line);) {
        knob.allowed.push_back(line.substr(0, line.find(' ')));
    }
    if (std::ranges::find(knob.allowed, base) == knob.allowed.end()) {
        knob.allowed.push_back(base);
    }
    return knob;
}

Knob own_knob(const std::string& path,
              const std::string& label,
              const std::string& value,
              std::string meaning) {
    const bool integer = !value.empty() && value.find_first_not_of("-0123456789") == std::string::npos;
    return {.path = path,
            .group = "kernel",
            .label = label,
            .kind = integer ? KnobKind::integer : KnobKind::word,
            .base = value,
            .unit = {},
            .meaning = std::move(meaning),
            .tag = {},
            .source = {},
            .allowed = {},
            .min = {},
            .max = {}};
}

/// The member of a table as text; empty if there is none.
std::string member_text(const Node& table, std::string_view key) {
    for (const Node& member : table.members()) {
        if (member.key() == key && !member.is_table()) {
            return toml_text(member);
        }
    }
    return {};
}

/// The knobs of a user's own kernel, as the file beside it has them: blocks, and arguments that are plain
/// values.
std::vector<Knob> own_knobs(TableReader& root) {
    std::vector<Knob> knobs;
    if (const std::optional<Node> launch = root.find("launch")) {
        if (const std::string blocks = member_text(*launch, "blocks"); !blocks.empty()) {
            knobs.push_back(
                own_knob("launch.blocks", "blocks", blocks, "cores that the kernel is launched on"));
        }
    }
    if (const std::optional<Node> list = root.find("args")) {
        for (const Node& argument : list->items()) {
            const std::string name = member_text(argument, "name");
            const std::string value = member_text(argument, "value");
            if (!name.empty() && !value.empty()) {
                knobs.push_back(own_knob(fmt::format("args.{}.value", name),
                                         name,
                                         value,
                                         fmt::format("argument '{}' of the kernel", name)));
            }
        }
    }
    return knobs;
}

/// The value at a path such as "parameters.rows", or "task.batch 2.stream" of the entry of that name; empty
/// if the file does not give it.
std::string step_value(TableReader& root, const std::string& path) {
    const std::size_t first = path.find('.');
    const std::size_t last = path.rfind('.');
    const std::optional<Node> place =
        first == std::string::npos ? std::nullopt : root.find(path.substr(0, first));
    if (!place) {
        return {};
    }
    const std::string key = path.substr(last + 1);
    if (place->is_table()) {
        return first == last ? member_text(*place, key) : std::string{};
    }
    if (!place->is_array() || first == last) {
        return {};
    }
    const std::string name = path.substr(first + 1, last - first - 1);
    for (const Node& item : place->items()) {
        if (item.is_table() && member_text(item, "name") == name) {
            return member_text(item, key);
        }
    }
    return {};
}

/// Kernel first, then the choice of the chip, then its parameters.
int rank(const Knob& knob) {
    return knob.group == "kernel" ? 0 : knob.path == chip_path ? 1 : 2;
}

}  // namespace

Draft::Draft(std::filesystem::path program,
             std::filesystem::path scenario,
             std::filesystem::path scratch,
             const std::vector<lessons::Setting>& given)
    : program_{std::move(program)}, scenario_{std::move(scenario)}, scratch_{std::move(scratch)} {
    read_scenario();
    take_given(given);
    if (!kernel_.empty()) {
        ask("kernel", {"describe", "kernel", kernel_, "--json", "-"});
    }
    if (!step_) {
        ask("chips", {"list", "chips"});
        ask_chip();
    }
}

void Draft::read_scenario() {
    if (!scenario_.has_extension()) {
        title_ = kernel_ = scenario_.string();
        return;
    }
    std::filesystem::path file = scenario_;
    if (file.extension() == ".cpp") {
        file.replace_extension(".toml");
    }
    title_ = file.stem().string();
    if (scenario_.extension() == ".cpp" && !std::filesystem::exists(file)) {
        return;  // a host program needs no file beside it: only the chip has knobs
    }
    TableReader root = TomlFile::open(file).reader();
    if (root.find("step")) {
        lesson_ = lessons::read_lesson(file);
        read_step(root);
        return;
    }
    if (std::optional<TableReader> head = root.find_table("scenario")) {
        title_ = head->get_or<std::string>("title", title_);
        kernel_ = head->get_or<std::string>("kernel", {});
        chip_ = head->get_or<std::string>("chip", chip_);
    }
    if (kernel_.empty()) {
        knobs_ = own_knobs(root);
    }
    for (const char* group : {"kernel", "chip"}) {
        if (const std::optional<Node> table = root.find(group)) {
            collect(*table, std::string{group} + ".", scenario_values_);
        }
    }
    if (const std::optional<Node> table = root.find("variants")) {
        for (const Node& member : table->members()) {
            const std::vector<Node> values = member.items();
            if (!values.empty()) {
                set_[member.key()] = toml_text(values.front());
                scenario_values_[member.key()] = toml_text(values.front());
            }
        }
    }
    lesson_ = lessons::read_lesson(file);
}

/// A step's knobs are what its lesson or its parameters name: the machine's are in files of their own.
void Draft::read_step(TableReader& root) {
    step_ = true;
    if (std::optional<TableReader> head = root.find_table("step")) {
        title_ = head->get_or<std::string>("title", title_);
    }
    std::vector<std::string> paths;
    if (lesson_) {
        paths = lesson_->knobs;
    } else if (const std::optional<Node> parameters = root.find("parameters")) {
        for (const Node& member : parameters->members()) {
            paths.push_back("parameters." + member.key());
        }
    }
    for (const std::string& path : paths) {
        Knob knob = own_knob(path,
                             path.substr(path.find('.') + 1),
                             step_value(root, path),
                             fmt::format("'{}' of the step", path));
        knob.group = "step";
        knobs_.push_back(std::move(knob));
    }
}

/// Shows what the run had got as the values to start from.
void Draft::take_given(const std::vector<lessons::Setting>& given) {
    for (const auto& [path, text] : given) {
        set_[path] = text;
        const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
        scenario_values_[path] = quoted ? text.substr(1, text.size() - 2) : text;
    }
    if (const auto chip = scenario_values_.find(std::string{chip_path}); chip != scenario_values_.end()) {
        chip_ = chip->second;
    }
    for (Knob& knob : knobs_) {
        if (const auto value = scenario_values_.find(knob.path); value != scenario_values_.end()) {
            knob.base = value->second;
        }
    }
}

void Draft::ask(const std::string& what, const std::vector<std::string>& arguments) {
    std::erase_if(questions_, [&](const Question& question) { return question.what == what; });
    std::vector<std::string> command{program_.string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const std::filesystem::path answer = scratch_ / fmt::format(".{}.{}.answer", what, getpid());
    questions_.push_back(
        {what, answer, std::make_unique<ChildProcess>(command, answer, answer.string() + ".err")});
}

void Draft::ask_chip() {
    const auto chosen = changes_.find(std::string{chip_path});
    ask("chip", {"describe", "chip", chosen == changes_.end() ? chip_ : chosen->second, "--json", "-"});
}

void Draft::poll() {
    for (std::size_t n = 0; n < questions_.size();) {
        if (questions_[n].process->poll()) {
            const Question question = std::move(questions_[n]);
            questions_.erase(questions_.begin() + static_cast<std::ptrdiff_t>(n));
            take(question);
        } else {
            ++n;
        }
    }
}

void Draft::take(const Question& question) {
    const std::string text = read_tail(question.answer, most_answer);
    std::error_code ignored;
    std::filesystem::remove(question.answer, ignored);
    std::filesystem::remove(question.answer.string() + ".err", ignored);
    if (question.what == "chips") {
        replace_group(chip_path, {chip_choice(text, chip_)});
        return;
    }
    const nlohmann::json description = json_of(text);
    if (description.is_object()) {
        const bool kernel = question.what == "kernel";
        replace_group(kernel ? "kernel." : "chip.",
                      kernel ? kernel_knobs(description) : chip_knobs(description));
    }
}

void Draft::replace_group(std::string_view prefix, std::vector<Knob> knobs) {
    std::erase_if(knobs_, [&](const Knob& knob) { return knob.path.starts_with(prefix); });
    for (Knob& knob : knobs) {
        if (const auto value = scenario_values_.find(knob.path); value != scenario_values_.end()) {
            knob.base = value->second;
        }
        knobs_.push_back(std::move(knob));
    }
    std::ranges::stable_sort(knobs_, {}, rank);
}

const Knob* Draft::find(std::string_view path) const {
    const auto found = std::ranges::find(knobs_, path, &Knob::path);
    return found == knobs_.end() ? nullptr : &*found;
}

const std::string& Draft::value(const Knob& knob) const {
    const auto change = changes_.find(knob.path);
    return change == changes_.end() ? knob.base : change->second;
}

std::optional<std::string> Draft::problem() const {
    for (const auto& [path, text] : changes_) {
        const Knob* knob = find(path);
        if (knob != nullptr) {
            if (const std::optional<std::string> problem = problem_with(*knob, text)) {
                return fmt::format("{} = {}: {}", path, text, *problem);
            }
        }
    }
    return std::nullopt;
}

void Draft::set(const std::string& path, std::string text) {
    const Knob* knob = find(path);
    if (knob != nullptr && knob->base == text) {
        reset(path);
        return;
    }
    changes_[path] = std::move(text);
    if (path == chip_path) {
        ask_chip();
    }
}

void Draft::reset(const std::string& path) {
    if (changes_.erase(path) != 0 && path == chip_path) {
        ask_chip();
    }
}

void Draft::reset_all() {
    const bool chip = changes_.contains(std::string{chip_path});
    changes_.clear();
    if (chip) {
        ask_chip();
    }
}

std::vector<lessons::Setting> Draft::settings() const {
    std::map<std::string, std::string> all = set_;
    for (const auto& [path, text] : changes_) {
        all[path] = text;
    }
    return {all.begin(), all.end()};
}

}  // namespace ascendsim::gui
