#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: install.sh [first|programs|all]    Installs what AscendSim is built from and with: Debian packages, and only those
# that are missing. first: for the simulator's program; programs: and for networks and the dashboard; all (the default): and for the tests.
# Works as root or through sudo; says what it installs; done at once when nothing is missing.
set -euo pipefail
what=${1:-all}

packages=(
    # tools
    g++ clang llvm-dev lld cmake ninja-build pkg-config
    # the simulator
    libsystemc-dev libtomlplusplus-dev nlohmann-json3-dev libfmt-dev libspdlog-dev libcli11-dev libzstd-dev libxxhash-dev libpugixml-dev
)
networks=(libonnx-dev libprotobuf-dev graphviz)
dashboard=(libimgui-dev libsdl2-dev libgl-dev libpng-dev libfreetype-dev fonts-dejavu-core fonts-noto-cjk)
tests=(ccache python3-dev python3-numpy python3-pytest pybind11-dev clang-format libgtest-dev libgmock-dev libbenchmark-dev
    libclang-rt-dev qemu-user)
case $what in
    first) ;;
    programs) packages+=("${networks[@]}" "${dashboard[@]}") ;;
    all) packages+=("${networks[@]}" "${dashboard[@]}" "${tests[@]}") ;;
    *) echo "install.sh: '$what' is no set of packages: first, programs or all" >&2 && exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null; then
    echo "install.sh knows Debian and its relatives; elsewhere install the like of: ${packages[*]}" >&2
    exit 1
fi

installed=" $(dpkg-query -W -f='${db:Status-Status}:${Package} ' "${packages[@]}" 2>/dev/null || true) "
missing=()
for package in "${packages[@]}"; do
    [[ $installed == *" installed:$package "* ]] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
    exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "Neither root nor sudo here. As root, run: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
quietly() {
    if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1; then
        tail -n 30 "$log" >&2
        echo "failed: $*" >&2
        exit 1
    fi
}

echo "Installing ${#missing[@]} Debian packages: ${missing[*]}"
quietly apt-get update -q
quietly apt-get install -q -y --no-install-recommends "${missing[@]}"
echo "Installed."
