#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: build.sh [target…]    Installs what is missing and builds Release into build/release; all targets by default.
set -euo pipefail
cd "$(dirname "$0")"
./install.sh

log=build/build.log
mkdir -p build
if [ ! -f build/release/build.ninja ] && ! cmake --preset release >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    exit 1
fi

# On a terminal ninja keeps one line of progress; elsewhere a log is kept and shown if something fails.
export NINJA_STATUS='building %f of %t  '
if [ -t 1 ]; then
    ninja -C build/release "$@"
elif ! ninja -C build/release "$@" >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    exit 1
fi
