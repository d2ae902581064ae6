#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The clients of scripts/check/observation, all on loopback: curl, Python and the resolver of glibc. Runs in a sandbox.
set -u
here=$(dirname "$0")
coproc python3 "$here/servers.py" "$1/server.pem"
read -r -t 10 _ <&"${COPROC[0]}" || { echo "the servers do not start" >&2; exit 1; }
get() { curl --silent --show-error --output /dev/null --max-time 40 --insecure "$@" 2>&1; }

get http://127.0.0.1:8080/10
get http://127.0.0.1:8080/300000 &
get http://127.0.0.1:8080/1000 http://127.0.0.1:8080/missing http://127.0.0.1:8080/5
get --head http://127.0.0.1:8080/77 &
head -c 70000 /dev/zero | get --data-binary @- http://127.0.0.1:8080/
head -c 9000 /dev/zero | get --header 'Transfer-Encoding: chunked' --data-binary @- http://127.0.0.1:8080/ http://127.0.0.1:8080/
get 'http://[::1]:8080/50000' &
get http://127.0.0.1:8088/ &
get http://127.0.0.1:8099/ &
get --max-time 0.05 http://127.0.0.1:8080/300000 &
get --resolve secure.test:8443:127.0.0.1 https://secure.test:8443/1000 https://secure.test:8443/20000
get --resolve old.test:8443:127.0.0.1 --tls-max 1.2 https://old.test:8443/1000
python3 - <<'PYTHON'
import urllib.request

for size in 1, 2000, 40000:
    try:
        urllib.request.urlopen(f"http://127.0.0.1:8080/{size}", timeout=20).read()
    except OSError as error:
        print("urllib:", error)
PYTHON
# The resolver asks over UDP, and then over TCP.
for option in attempts:2 use-vc; do
    printf 'nameserver 127.0.0.1\noptions timeout:1 %s\n' $option >"$1/resolv.conf"
    unshare --mount bash -c '
        mount --bind "$1/resolv.conf" /etc/resolv.conf
        for name in one.test two.test no-name.test; do getent ahosts $name; done
        curl --silent --max-time 20 http://three.test:8080/123' clients "$1" >/dev/null
done
wait $(jobs -p | grep -v "^$COPROC_PID\$")
sleep 0.5
