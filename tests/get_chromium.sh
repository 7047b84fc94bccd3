#!/bin/sh
# A Chromium for the tests of the virtual table: the system's, else by apt, else by playwright's own download.
# usage: get_chromium.sh BIN   (BIN: the folder of the virtual environment's commands)
set -u
bin=$1

for name in chromium chromium-browser google-chrome google-chrome-stable; do
    command -v "$name" >/dev/null 2>&1 && exit 0
done
[ -n "$("$bin/python" -c '
from playwright.sync_api import sync_playwright
import os
with sync_playwright() as p:
    print(p.chromium.executable_path if os.path.exists(p.chromium.executable_path) else "")
' 2>/dev/null)" ] && exit 0

echo "No Chromium here: getting one for the tests of the virtual table."
if command -v apt-get >/dev/null 2>&1; then
    sudo=""
    if [ "$(id -u)" -ne 0 ]; then sudo="sudo"; fi
    if [ -z "$sudo" ] || command -v sudo >/dev/null 2>&1; then
        $sudo apt-get update -qq
        DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq chromium && exit 0
    fi
fi
"$bin/playwright" install chromium && exit 0

echo "The tests of the virtual table need Chromium, and neither apt nor playwright could get it." >&2
echo "Install it by hand (Debian: sudo apt install chromium), then run 'make test' again." >&2
exit 1
