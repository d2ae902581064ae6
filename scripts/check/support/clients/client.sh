#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs in the sandbox: starts the server that a client of scripts/check/clients needs, and then the client, which
# fetches 6 kB and then sends 6 kB; git fetches 10 kB and then 4 kB. Servers say by other means than the network that
# they are ready. The exit status is the client's.
#
#   client.sh CLIENT
set -u
here=$(realpath "$(dirname "$0")")
cd "$(mktemp -d "$WORK/run-XXXXXX")" || exit 99
chmod 711 .
url=http://127.0.0.1:8080

await() { # COMMAND...: until it succeeds
    for _ in {1..200}; do
        "$@" >/dev/null 2>&1 && return
        sleep 0.05
    done
    echo "the server does not start" >&2
    exit 99
}

case $1 in
    redis-cli | redis-cli-stdin)
        redis-server --bind 127.0.0.1 --port 6379 --unixsocket "$PWD/redis" --save '' >redis.log &
        await redis-cli -s redis ping
        redis-cli -s redis -x set page <"$WORK/page" >/dev/null
        ;;
    psql)
        as_postgres=()
        [ "$(id -u)" -ne 0 ] || as_postgres=(setpriv --reuid postgres --regid postgres --clear-groups)
        cp -a "$WORK/cluster" cluster
        "${as_postgres[@]}" "$(printf '%s\n' /usr/lib/postgresql/*/bin | tail -1)/postgres" -D cluster -k "$PWD/cluster" \
            2>postgres.log &
        await psql -h "$PWD/cluster" -U shop -c '\q' postgres
        psql -h "$PWD/cluster" -U shop -q -c 'CREATE TABLE pages (page text); CREATE TABLE orders (content text)' \
            -c "INSERT INTO pages VALUES ('$(cat "$WORK/page")')" postgres
        ;;
    *)
        coproc python3 "$here/shop_server.py" "$WORK"
        read -r -t 10 _ <&"${COPROC[0]}" || exit 99
        ;;
esac

curl() {
    command curl "$@" --no-progress-meter --output page $url/page \
        --next "$@" --no-progress-meter --output answer --data-binary "@$WORK/order" $url/orders
}
wget() {
    command wget "$@" --no-verbose --output-document page $url/page &&
        command wget "$@" --no-verbose --output-document answer --post-file "$WORK/order" $url/orders
}

case $1 in
    curl) curl ;;
    curl-max-time) curl --max-time 10 ;;
    curl-retry) curl --max-time 5 --retry 5 --retry-all-errors ;;
    wget) wget ;;
    wget-timeout) wget --timeout 5 --tries 5 ;;
    git) git clone --quiet --single-branch $url/project.git tree && git -C tree fetch --quiet origin other ;;
    redis-cli)
        redis-cli -h 127.0.0.1 -e GET page >page && redis-cli -h 127.0.0.1 -e -x SET order <"$WORK/order" >answer
        ;;
    redis-cli-stdin) redis-cli -h 127.0.0.1 <"$WORK/commands.redis" >page ;;
    psql) psql -h 127.0.0.1 -U shop -v ON_ERROR_STOP=1 -q -f "$WORK/queries.sql" -o page postgres ;;
    *) "$WORK/venv/bin/python3" "$here/library_clients.py" "$1" "$url" "$WORK/order" ;;
esac
