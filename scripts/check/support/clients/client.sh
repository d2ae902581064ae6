#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs in the sandbox: starts the server that a client of scripts/check/clients needs, and then the client, whose row in
# clients.txt says what it does. Servers say by other means than the network that they are ready. The exit status is the
# client's. FILE gets what this script itself sees: when it and the client began and ended, the client's status, and the
# sockets that are open at the end.
#
#   client.sh CLIENT FILE
set -u
here=$(realpath "$(dirname "$0")")
witness=$2
echo "begin $EPOCHREALTIME" >"$witness"
cd "$(mktemp -d "$WORK/run-XXXXXX")" || exit 99
chmod 711 .
cp "$WORK/order" "$WORK/mail" .
# shellcheck disable=SC2034 # the rows of clients.txt use these
url=http://127.0.0.1:8080 tls=https://127.0.0.1:8443 quiet=--no-progress-meter python=$WORK/venv/bin/python3 \
    retry='--max-time 5 --retry 5 --retry-all-errors'
# /root may be what the caller has; what clients keep there is not theirs.
export HOME=$PWD

await() { # COMMAND...: until it succeeds
    for _ in {1..400}; do
        "$@" >/dev/null 2>&1 && return
        sleep 0.05
    done
    echo "the server does not start" >&2
    exit 99
}
listens() { # PORT [udp]
    [ -n "$(ss -Hnl"$([ "${2:-}" ] && echo u || echo t)" "sport = :$1")" ]
}
with_resolver() { # COMMAND...: with the resolver on loopback
    printf 'nameserver 127.0.0.1\noptions timeout:2 attempts:3\n' >resolv.conf
    unshare --mount bash -c 'mount --bind resolv.conf /etc/resolv.conf && exec "$@"' with "$@"
}
message_server() { # SERVER PORT
    "$python" "$here/message_servers.py" "$1" "$WORK/www/ftp" >server.log 2>&1 &
    await listens "$2"
}

IFS='|' read -r _ server _ _ line < <(grep "^$1 |" "$here/clients.txt")
case ${server// /} in
    shop)
        python3 "$here/shop_server.py" "$WORK" >server.log 2>&1 &
        await listens 8080
        ;;
    asgi)
        PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 "$WORK/venv/bin/hypercorn" --insecure-bind 127.0.0.1:8080 \
            --bind 127.0.0.1:8443 --quic-bind 127.0.0.1:8443 --certfile "$WORK/cert.pem" --keyfile "$WORK/key.pem" --workers 0 --log-level error shop_asgi:app \
            >server.log 2>&1 &
        await listens 8443 udp
        await listens 8443
        await listens 8080
        ;;
    files)
        python3 -m http.server --bind 127.0.0.1 --protocol HTTP/1.1 --directory "$WORK/www" 8080 >server.log 2>&1 &
        await listens 8080
        mkdir -p apt/{etc/apt,var/lib/apt/lists/partial,var/cache/apt/archives/partial}
        echo "deb [trusted=yes] $url/repository ./" >apt/etc/apt/sources.list
        ;;
    redis)
        redis-server --bind 127.0.0.1 --port 6379 --unixsocket "$PWD/redis" --save '' >server.log &
        await redis-cli -s redis ping
        redis-cli -s redis -x set page <"$WORK/page" >/dev/null
        ;;
    postgres)
        as_postgres=()
        [ "$(id -u)" -ne 0 ] || as_postgres=(setpriv --reuid postgres --regid postgres --clear-groups)
        cp -a "$WORK/cluster" cluster
        "${as_postgres[@]}" "$(printf '%s\n' /usr/lib/postgresql/*/bin | tail -1)/postgres" -D cluster -k "$PWD/cluster" \
            2>server.log &
        await psql -h "$PWD/cluster" -U shop -c '\q' postgres
        psql -h "$PWD/cluster" -U shop -q -c 'CREATE TABLE pages (page text); CREATE TABLE orders (content text)' \
            -c "INSERT INTO pages VALUES ('$(cat "$WORK/page")')" postgres
        ;;
    mariadb)
        cp -a "$WORK/mariadb" mariadb
        mariadbd --no-defaults --user="$(id -un)" --datadir="$PWD/mariadb" --bind-address=127.0.0.1 --port=3306 \
            --socket="$PWD/mariadb.socket" --skip-name-resolve >server.log 2>&1 &
        await mariadb --no-defaults -S mariadb.socket -u root -e 'SELECT 1'
        mariadb --no-defaults -S mariadb.socket -u root -e "CREATE DATABASE shop; USE shop; CREATE TABLE pages (page text);
            CREATE TABLE orders (content text); INSERT INTO pages VALUES ('$(cat "$WORK/page")')"
        ;;
    mosquitto)
        mosquitto -p 1883 >server.log 2>&1 &
        await listens 1883
        ;;
    memcached)
        memcached -u "$(id -un)" -l 127.0.0.1 -U 0 >server.log 2>&1 &
        await listens 11211
        ;;
    etcd)
        etcd --data-dir etcd --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
            --listen-peer-urls http://127.0.0.1:2380 --enable-grpc-gateway=false >server.log 2>&1 &
        await grep -q 'ready to serve\|serving insecure client requests' server.log
        await listens 2379
        ;;
    ldap)
        slapd -d 0 -f "$WORK/slapd.conf" -h ldap://127.0.0.1:3890 >server.log 2>&1 &
        await listens 3890
        ;;
    ssh)
        # sshd wants a directory of its own in /run; this one is gone with it.
        unshare --mount bash -c 'mount -t tmpfs tmpfs /run && mkdir /run/sshd && exec /usr/sbin/sshd -D -e -f "$1"' \
            sshd "$WORK/ssh/sshd_config" >server.log 2>&1 &
        await listens 2222
        ;;
    rsync)
        rsync --daemon --no-detach --config "$WORK/rsyncd.conf" >server.log 2>&1 &
        await listens 8730
        ;;
    grpc) message_server grpc_server 50051 ;;
    zeromq) message_server zeromq 5555 ;;
    websocket) message_server websocket 8765 ;;
    smtp) message_server smtp 2525 ;;
    ftp) message_server ftp 2121 ;;
    dns) message_server dns 53 ;;
    *)
        echo "no such client: $1" >&2
        exit 99
        ;;
esac

end() { # STATUS
    echo "end $EPOCHREALTIME $1"
    ss -Htnp state connected | sed 's/^/socket /'
} >>"$witness"
trap 'end timeout; exit 143' TERM
echo "start $EPOCHREALTIME" >>"$witness"
# A trap runs while the shell waits, but not while a command is in its foreground.
(eval "$line") </dev/stdin &
wait $!
status=$?
end $status
exit $status
