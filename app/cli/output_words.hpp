// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ascendsim::cli {

/// The kind of output whose place an option names.
enum class Output {
    file,       // "-", or nothing, is standard output
    recording,  // a file that is read back
    folder,     // made if it is not there
};

/// An option that says where something is to be written.
struct OutputOption {
    std::string name;        // with its dashes
    std::string value_name;  // as in the help
    Output kind = Output::file;
    const std::string* place = nullptr;  // where the option's value goes
};

/// The words of a command line up to "--" with each output joined to its place, as in --json=FILE, and "-"
/// where a file's is left out. Throws UserError if what follows is plainly meant for the command (a scenario,
/// a source, a recording, a number), or if a folder or a recording is left out.
[[nodiscard]] std::vector<std::string> join_outputs(const std::vector<std::string>& words,
                                                    const std::vector<OutputOption>& outputs);

/// Throws UserError if more than one of the outputs is standard output.
void check_standard_output(const std::vector<OutputOption>& outputs);

/// A hint for a command line that lacks a word: an output may have taken it. Empty if none has one.
[[nodiscard]] std::string taken_hint(const std::vector<OutputOption>& outputs);

}  // namespace ascendsim::cli
