# SPDX-License-Identifier: Apache-2.0
# Prints whether a service of the host is in a sandbox; see RunHostPortTests.swift.
import os, socket, subprocess, sys
service = socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)
port = str(service.getsockname()[1])
words = [os.environ["LINKCOND"], "run", "--offline", "--host-port", port, "--", "cat", "/proc/net/tcp"]
listeners = subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True).stdout
print(":%04X 00000000:0000 0A" % int(port) in listeners)
