// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/advice/setting_advice.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>

namespace ascendsim::analysis {

namespace {

bool turns(const Advice& advice, const std::string& parameter) {
    return std::ranges::any_of(
        advice.tries, [&](const std::string& setting) { return parameter_of(setting) == parameter; });
}

/// The value of a knob as advice names it: "2048" of "kernel.tile = 2048".
std::string value_of(const std::string& knob) {
    const std::size_t sign = knob.find(" = ");
    return sign == std::string::npos ? std::string{} : knob.substr(sign + 3);
}

std::string sentence_of(const Advice& advice, const std::string& parameter) {
    const std::string now = value_of(advice.knob);
    const AdviceTrial* const best = advice.best_trial();
    if (best == nullptr || best->gain < worth_telling) {
        return now.empty() ? fmt::format("Another value of {}", parameter)
                           : fmt::format("Another value of {} than {}", parameter, now);
    }
    const std::string to = best->setting.substr(best->setting.find('=') + 1);
    return now.empty() ? fmt::format("Set {} to {}", parameter, to)
                       : fmt::format("Change {} from {} to {}", parameter, now, to);
}

/// What advice says of a parameter: the largest of the causes it serves speaks for it.
Advice advice_of(const std::string& parameter,
                 const std::vector<Advice>& causes,
                 const std::vector<Advice>& offered) {
    Advice result{.sentence = {}, .evidence = {}, .root = {}};
    for (const std::vector<Advice>* list : {&causes, &offered}) {
        for (const Advice& each : *list) {
            if (!turns(each, parameter)) {
                continue;
            }
            const bool of_cause = list == &causes;
            if (result.knob.empty() || each.cause_cycles > result.cause_cycles) {
                result.evidence = each.evidence;
                result.cause_cycles = each.cause_cycles;
                result.knob = each.knob;
                result.knob_meaning = each.knob_meaning;
                result.root = each.root;
            }
            result.gain_cycles = std::max(result.gain_cycles, each.gain_cycles);
            if (of_cause) {
                result.serves.push_back(each.sentence);
            }
        }
    }
    result.resource = no_resource;
    return result;
}

/// The setting to run next behind `first`, nothing if the last step was no gain or there is none left.
std::optional<std::string> next_step(const std::string& first,
                                     const std::vector<std::string>& further,
                                     const std::vector<AdviceTrial>& trials) {
    double before = 0;
    const auto gained_more = [&](const std::string& setting) {
        const auto trial = std::ranges::find(trials, setting, &AdviceTrial::setting);
        const bool more = trial != trials.end() && trial->problem.empty() && trial->gain > before;
        before = more ? trial->gain : before;
        return more;
    };
    if (!gained_more(first)) {
        return std::nullopt;
    }
    for (const std::string& setting : further) {
        if (std::ranges::find(trials, setting, &AdviceTrial::setting) == trials.end()) {
            return setting;
        }
        if (!gained_more(setting)) {
            return std::nullopt;
        }
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::string> next_steps(const std::vector<Advice>& advice,
                                    const std::vector<AdviceTrial>& trials) {
    std::vector<std::string> steps;
    for (const Advice& each : advice) {
        for (const auto& [first, further] : each.further) {
            const std::optional<std::string> step = next_step(first, further, trials);
            if (step && std::ranges::find(steps, *step) == steps.end()) {
                steps.push_back(*step);
            }
        }
    }
    return steps;
}

std::string parameter_of(const std::string& setting) {
    return setting.substr(0, setting.find('='));
}

void tell_settings(std::vector<Advice>& advice,
                   const std::vector<Advice>& offered,
                   const std::vector<AdviceTrial>& trials) {
    std::vector<std::string> parameters;  // in the order tried
    std::vector<Advice> settings;
    for (const AdviceTrial& trial : trials) {
        const std::string parameter = parameter_of(trial.setting);
        const auto place = std::ranges::find(parameters, parameter) - parameters.begin();
        if (place == std::ssize(parameters)) {
            parameters.push_back(parameter);
            settings.push_back(advice_of(parameter, advice, offered));
        }
        settings[static_cast<std::size_t>(place)].trials.push_back(trial);
    }
    for (std::size_t i = 0; i < settings.size(); ++i) {
        settings[i].sentence = sentence_of(settings[i], parameters[i]);
        const AdviceTrial* const best = settings[i].best_trial();
        for (Advice& cause : advice) {
            if (best != nullptr && turns(cause, parameters[i])) {
                cause.by_setting = std::max(cause.by_setting.value_or(best->gain), best->gain);
            }
        }
    }
    std::ranges::move(settings, std::back_inserter(advice));
}

}  // namespace ascendsim::analysis
