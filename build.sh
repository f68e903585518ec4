#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: build.sh [TARGET…]    Installs what is missing and builds Release into build/release; all targets by default.
# `build.sh programs` builds what people run; `build.sh first` only ascendsim-run, quickly, into build/first.
set -euo pipefail
cd "$(dirname "$0")"
preset=release
targets=("$@")
case ${1:-all} in
    first) packages=first preset=first targets=(ascendsim-run) ;;
    programs) packages=programs ;;
    *) packages=all ;;
esac
./install.sh "$packages"

log=build/build.log
mkdir -p build
# Configured anew where more packages may be there than the last time.
if [ ! -f build/$preset/build.ninja ] || [ "$(cat build/$preset/packages 2>/dev/null)" != "$packages" ]; then
    if ! cmake --preset $preset >"$log" 2>&1; then
        tail -n 30 "$log" >&2
        exit 1
    fi
    echo "$packages" >build/$preset/packages
fi

# On a terminal ninja keeps one line of progress; elsewhere a log is kept and shown if something fails.
export NINJA_STATUS='building %f of %t  '
if [ -t 1 ]; then
    ninja -C build/$preset "${targets[@]}"
elif ! ninja -C build/$preset "${targets[@]}" >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    exit 1
fi
