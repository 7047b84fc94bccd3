#!/bin/sh
# Gets what the tests need and the machine lacks: the system's own, else by apt (with sudo where needed).
# usage: get_tools.sh TOOL…   with TOOL one of: python3-venv, chromium, libatomic1, systemd-analyze, strace
# Where apt cannot be used, Chromium comes by playwright's own download; PLAYWRIGHT names the Python that has it.
set -u

by_apt() {
    command -v apt-get >/dev/null 2>&1 || return 1
    sudo=""
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null 2>&1 || return 1
        sudo="sudo"
    fi
    echo "Getting $1 by apt."
    $sudo apt-get update -qq >/dev/null
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq "$1" >/dev/null
}

has_chromium() {
    for name in chromium chromium-browser google-chrome google-chrome-stable; do
        command -v "$name" >/dev/null 2>&1 && return 0
    done
    for path in "$HOME"/.cache/ms-playwright/chromium-*/chrome-linux*/chrome; do
        [ -x "$path" ] && return 0
    done
    return 1
}

# The Node.js in playwright's wheel needs it, and a small Debian is without it.
has_libatomic() {
    for path in /lib/*/libatomic.so.1 /usr/lib/*/libatomic.so.1 /usr/lib/libatomic.so.1 /usr/lib64/libatomic.so.1; do
        [ -e "$path" ] && return 0
    done
    return 1
}

get() {
    case $1 in
    python3-venv)
        by_apt python3-venv ;;
    chromium)
        has_chromium || by_apt chromium || { [ -n "${PLAYWRIGHT:-}" ] && "$PLAYWRIGHT" -m playwright install chromium; } ;;
    libatomic1)
        has_libatomic || by_apt libatomic1 ;;
    strace)
        command -v strace >/dev/null 2>&1 || by_apt strace ;;
    systemd-analyze)
        command -v systemd-analyze >/dev/null 2>&1 || by_apt systemd ;;
    *)
        echo "get_tools.sh: '$1' is not known: python3-venv, chromium, libatomic1, systemd-analyze or strace is expected" >&2
        return 2 ;;
    esac
}

for tool in "$@"; do
    if ! get "$tool"; then
        echo "The tests need $tool, and it could not be got here." >&2
        echo "Install it by hand (Debian: sudo apt install ${tool%-analyze}), then run 'make test' again." >&2
        exit 1
    fi
done
