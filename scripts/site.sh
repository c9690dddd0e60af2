#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Builds the site of the documentation into build/site/html. Installs what it needs first, on Debian.
#   site.sh             builds the site
#   site.sh --serve     builds it, then serves it at http://localhost:8000
set -euo pipefail
cd "$(dirname "$0")/.."

if command -v apt-get >/dev/null; then scripts/install-dependencies.sh site; fi
python3 scripts/documentation/site_builder.py .
if [[ ${1:-} == --serve ]]; then exec python3 -m http.server --bind 127.0.0.1 --directory build/site/html 8000; fi
