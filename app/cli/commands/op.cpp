// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/cli/command.hpp"
#include "app/cli/limits.hpp"
#include "app/cli/operator_list.hpp"
#include "app/cli/text_output.hpp"
#include "sim/base/error.hpp"
#include "sim/process/digest.hpp"
#include "sim/process/whole_file.hpp"
#include "toolchain/installation/cache_files.hpp"
#include "toolchain/project/operator_library.hpp"

namespace ascendsim::cli {

std::unique_ptr<Command> make_run();

namespace {

namespace fs = std::filesystem;

std::string toml_text(const std::string& text) {
    return nlohmann::json(text).dump();
}

/// `name=value` of an option.
std::pair<std::string, std::string> split(const std::string& word, const char* option) {
    const std::size_t at = word.find('=');
    if (at == std::string::npos || at == 0) {
        throw UserError{"op: {} {}: must be NAME=VALUE", option, word};
    }
    return {word.substr(0, at), word.substr(at + 1)};
}

/// 64,512 or [64, 512] or 64x512 as a list of TOML.
std::string shape_text(std::string value) {
    std::ranges::replace(value, 'x', ',');
    std::erase(value, ' ');
    if (value.starts_with('[') && value.ends_with(']')) {
        value = value.substr(1, value.size() - 2);
    }
    const bool plain = std::ranges::all_of(
        value, [](unsigned char letter) { return std::isdigit(letter) != 0 || letter == ','; });
    if (!plain) {
        throw UserError{"op: --shape …={}: must be extents, as in 64,512", value};
    }
    return "[" + value + "]";
}

/// A value as TOML: numbers, truths and lists as they are, words quoted.
std::string value_text(const std::string& value) {
    const bool word = value.empty() || (value != "true" && value != "false" && value.front() != '[' &&
                                        value.front() != '"' && value.front() != '\'' &&
                                        value.find_first_not_of("0123456789+-.eE_") != std::string::npos);
    const bool number = !value.empty() && value.find_first_of("0123456789") != std::string::npos;
    return word || (!number && value.front() != '[' && value != "true" && value != "false" &&
                    value.front() != '"' && value.front() != '\'')
               ? toml_text(value)
               : value;
}

/// What is said of one tensor, as lines of TOML.
struct TensorLines {
    std::string name;
    std::vector<std::string> lines;
};

/// A flag of `run`, and whether it was given.
struct Handed {
    const char* name;
    const char* meaning;
    bool given = false;
};

class OpCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Run an operator of a library by its name, tiled by its own host code";
    }

    void declare(Options& options) override {
        options.positional(
            "OPERATOR", name_, "the operator in any spelling: RmsNorm, rms_norm, aclnnRmsNorm", false);
        options.option("--library", library_, "DIR", "folder of the library, a checkout of its sources");
        options.list("--shape",
                     shapes_,
                     "NAME=EXTENTS",
                     "shape of an input or output, as in x=64,512; again for "
                     "each tensor of a list");
        options.list("--dtype", types_, "NAME=TYPE", "its element type, as in x=bfloat16");
        options.list("--format", formats_, "NAME=FORMAT", "its layout, as in weight=NZ");
        options.list("--attr", attributes_, "NAME=VALUE", "an attribute, as in epsilon=1e-6 or axes=[0,1]");
        options.list("--value",
                     values_,
                     "NAME=[…]",
                     "data of an input that its tiling reads, or what an output begins with");
        options.list(
            "--fill", fills_, "NAME=FILL", "data of an input, or what an output begins with, as in x=ones");
        options.list(
            "--input", inputs_, "NAME=FILE", "data of an input, or what an output begins with, a .npy file");
        options.list("--save", saves_, "NAME=FILE", "write an output as .npy file");
        options.list("--expect", expects_, "NAME=FILE", "compare an output with a .npy file");
        options.option("--tolerance", tolerance_, "R", "relative tolerance of --expect (default 1e-3)");
        options.flag("--deterministic", deterministic_, "ask for a deterministic tiling");
        options.option("--chip", chip_, "CHIP", "simulate CHIP (default 910b3)");
        options.list("--set", sets_, "PATH=VALUE", "set a value of the scenario, as in run.sanitize=false");
        declare_run(options);
        options.option("--list",
                       list_,
                       "DIR",
                       "tell for each operator of a library for this chip whether it can be called, or what "
                       "stands in the way");
        options.flag("--examples",
                     examples_,
                     "with --list: run each operator's own example, a host program that calls it, too");
        options.output("--document",
                       document_,
                       Output::file,
                       "FILE",
                       "with --list: write the library's section of this page anew");
        options.option("--scenario",
                       scenario_,
                       "FILE",
                       "write the scenario that this comes to to FILE, and run nothing");
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        if (!list_.empty()) {
            list_operators({.folder = list_,
                            .name = name_,
                            .chip = chip_,
                            .json = json_,
                            .document = document_,
                            .examples = examples_},
                           installation);
            return exit_good;
        }
        if (name_.empty() || library_.empty()) {
            throw UserError{
                "op: needs an operator and its library, as in 'ascendsim op RmsNorm --library ops-nn --shape "
                "x=64,512 --shape gamma=512'"};
        }
        const std::string text = scenario_text();
        if (!scenario_.empty()) {
            process::write_whole(scenario_, text);
            return exit_good;
        }
        const std::string type = toolchain::operator_named(name_, library_).type;
        // In a folder of its own, beside which the same operator may run with other words at the same time.
        process::Digest digest;
        digest.add(text);
        const fs::path folder = toolchain::made_cache_folder("operators") / digest.hex();
        toolchain::make_cache_folder(folder);
        process::write_whole(folder / (type + ".toml"), text);
        return run_scenario(folder / (type + ".toml"), installation);
    }

private:
    /// Options of `run` that hold for an operator; they are handed on to it.
    void declare_run(Options& options) {
        for (Handed& one : flags_) {
            options.flag(one.name, one.given, one.meaning);
        }
        options.option("--perturb",
                       perturb_,
                       "N",
                       "run N more times with other legal timings: results that differ are a race");
        options.output("--out", out_, Output::folder, "DIR", "write all files of the run to DIR");
        options.output("--json", json_, Output::file, "FILE", "write the figures as JSON");
        options.output("--trace", trace_, Output::file, "FILE", "write a Chrome trace");
        options.output("--record", record_, Output::recording, "FILE", "write the recording to FILE");
        options.output("--html", html_, Output::file, "FILE", "write the report as an HTML page");
        options.output(
            "--csv", csv_, Output::folder, "DIR", "write tables with the columns of the vendor's profiler");
        limits_.declare(options);
    }

    TensorLines& tensor(const std::string& name, std::size_t number) {
        for (TensorLines& one : tensors_) {
            if (one.name == name && number-- == 0) {
                return one;
            }
        }
        return tensors_.emplace_back(TensorLines{name, {}});
    }

    /// Gives the words of an option to the tensors they name, the first to the first of that name.
    template <class Text>
    void give(const std::vector<std::string>& words, const char* option, const char* key, Text&& text) {
        std::map<std::string, std::size_t> seen;
        for (const std::string& word : words) {
            const auto [name, value] = split(word, option);
            tensor(name, seen[name]++).lines.push_back(fmt::format("{} = {}\n", key, text(value)));
        }
    }

    std::string scenario_text() {
        const auto path = [](const std::string& file) { return toml_text(fs::absolute(file).string()); };
        give(shapes_, "--shape", "shape", shape_text);
        give(types_, "--dtype", "type", toml_text);
        give(formats_, "--format", "format", toml_text);
        give(values_, "--value", "values", [](const std::string& value) {
            return value.starts_with('[') ? value : "[" + value + "]";
        });
        give(fills_, "--fill", "fill", [](const std::string& value) {
            return value.starts_with('{') ? value : toml_text(value);
        });
        give(inputs_, "--input", "file", path);
        give(saves_, "--save", "save", path);
        give(expects_, "--expect", "expect", path);
        give(expects_, "--expect", "tolerance", [this](const std::string&) {
            return fmt::format("{{ relative = {0}, absolute = {0} }}", tolerance_);
        });
        std::string text =
            fmt::format("[scenario]\ntitle = {}\nchip = {}\n\n[operator]\nname = {}\nlibrary = {}\n",
                        toml_text(name_),
                        toml_text(chip_),
                        toml_text(name_),
                        path(library_));
        text += deterministic_ ? "deterministic = true\n" : "";
        std::vector<std::string> attributes;
        for (const std::string& word : attributes_) {
            const auto [name, value] = split(word, "--attr");
            attributes.push_back(fmt::format("{} = {}", name, value_text(value)));
        }
        text += attributes.empty() ? "" : fmt::format("attributes = {{ {} }}\n", fmt::join(attributes, ", "));
        for (const TensorLines& one : tensors_) {
            text += fmt::format(
                "\n[[operator.tensors]]\nname = {}\n{}", toml_text(one.name), fmt::join(one.lines, ""));
        }
        return text;
    }

    [[nodiscard]] int run_scenario(const fs::path& file, const toolchain::Installation& installation) const {
        const std::unique_ptr<Command> command = make_run();
        CLI::App app;
        Options options{app};
        command->declare(options);
        std::vector<std::string> words{file.string()};
        std::ranges::move(run_words(), std::back_inserter(words));
        app.parse(std::vector<std::string>{words.rbegin(), words.rend()});
        try {
            return command->run(installation);
        } catch (const UserError& error) {
            throw UserError{"{}", without_place(error.what(), file.string())};
        }
    }

    /// What was given of the options of `run`, as words for it.
    [[nodiscard]] std::vector<std::string> run_words() const {
        std::vector<std::string> words = limits_.words();
        for (const auto& [name, value] : {std::pair{"--out", &out_},
                                          {"--json", &json_},
                                          {"--trace", &trace_},
                                          {"--record", &record_},
                                          {"--html", &html_},
                                          {"--csv", &csv_}}) {
            if (!value->empty()) {
                words.insert(words.end(), {name, *value});
            }
        }
        for (const std::string& set : sets_) {
            words.insert(words.end(), {"--set", set});
        }
        if (perturb_) {
            words.insert(words.end(), {"--perturb", fmt::format("{}", *perturb_)});
        }
        for (const Handed& one : flags_) {
            if (one.given) {
                words.emplace_back(one.name);
            }
        }
        if (limits_.sandboxed()) {
            for (const std::string& place : places_read()) {
                words.insert(words.end(), {"--allow-read", place});
            }
            for (const std::string& place : places_written()) {
                words.insert(words.end(), {"--allow-write", place});
            }
        }
        return words;
    }

    /// What the command names to be read, which a sandbox must let in: the library, files of data by their
    /// folders.
    [[nodiscard]] std::vector<std::string> places_read() const {
        std::vector<std::string> places{library_};
        for (const auto* words : {&inputs_, &expects_}) {
            for (const std::string& word : *words) {
                places.push_back(folder_of(split(word, "--input").second));
            }
        }
        return places;
    }

    [[nodiscard]] std::vector<std::string> places_written() const {
        std::vector<std::string> places;
        for (const std::string& word : saves_) {
            places.push_back(folder_of(split(word, "--save").second));
        }
        return places;
    }

    static std::string folder_of(const std::string& file) {
        return fs::absolute(file).parent_path().string();
    }

    /// A sentence about a line of the scenario that the words became names the command in place of it.
    [[nodiscard]] static std::string without_place(std::string text, const std::string& file) {
        for (std::size_t at = text.find(file + ":"); at != std::string::npos;
             at = text.find(file + ":", at)) {
            const std::size_t end = text.find_first_not_of("0123456789:", at + file.size());
            text.replace(at, end - at, "op:");
        }
        return text;
    }

    std::string name_;
    std::string library_;
    std::vector<std::string> shapes_;
    std::vector<std::string> types_;
    std::vector<std::string> formats_;
    std::vector<std::string> attributes_;
    std::vector<std::string> values_;
    std::vector<std::string> fills_;
    std::vector<std::string> inputs_;
    std::vector<std::string> saves_;
    std::vector<std::string> expects_;
    std::string tolerance_ = "1e-3";
    bool deterministic_ = false;
    std::string chip_ = "910b3";
    std::vector<std::string> sets_;
    std::array<Handed, 5> flags_{
        {{"--timing-only", "simulate the time without the arithmetic"},
         {"--sanitize", "check for races and for errors of memory and flags in timing-only runs too"},
         {"--strict",
          "stop at reads beyond a buffer and at buffers beyond a memory, which the chip lets pass"},
         {"--strip", "leave sources, macros and folders out of the recording, so that it can be handed on"},
         {"--quiet", "print no report"}}};
    std::optional<std::uint32_t> perturb_;
    std::string out_;
    std::string json_;
    std::string trace_;
    std::string record_;
    std::string html_;
    std::string csv_;
    Limits limits_;
    std::string scenario_;
    std::string list_;
    std::string document_;
    bool examples_ = false;
    std::vector<TensorLines> tensors_;
};

}  // namespace

std::unique_ptr<Command> make_op() {
    return std::make_unique<OpCommand>();
}

}  // namespace ascendsim::cli
