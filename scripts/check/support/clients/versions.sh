#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Prints the versions of the clients of scripts/check/clients: versions.sh PYTHON
set -euo pipefail
{
    curl --version | head -1 | cut -d ' ' -f 1-2
    wget --version | head -1 | cut -d ' ' -f 1-3
    git --version
    redis-cli --version
    psql --version
    "$1" -c '
import importlib.metadata, platform
print("Python", platform.python_version())
for name in ("urllib3", "httpx", "aiohttp"): print(name, importlib.metadata.version(name))'
    tshark --version | head -1 | cut -d ' ' -f 1-3
} 2>/dev/null | paste -sd, | sed 's/,/, /g'
echo
