#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes what the servers of scripts/check/clients serve: an order to post, a git repository, a database cluster.
#
#   prepare.sh DIRECTORY
set -euo pipefail
cd "$1"

bytes() { head -c "$1" /dev/zero | openssl enc -aes-128-ctr -pass pass:"$2" -nosalt -pbkdf2 2>/dev/null | base64 -w 0; }
bytes 4500 order >order
bytes 4500 page >page

export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.com
export GIT_AUTHOR_DATE=2026-01-01T00:00:00Z GIT_COMMITTER_DATE=2026-01-01T00:00:00Z
git init --quiet --initial-branch main tree
for branch in main other; do
    size=10000
    [ $branch = main ] || { size=4000; git -C tree checkout --quiet -b $branch; }
    bytes $size $branch | base64 -d >tree/$branch.bin
    git -C tree add .
    git -C tree commit --quiet --message $branch
done
git clone --quiet --bare tree project.git

as_postgres=()
if [ "$(id -u)" -eq 0 ]; then
    as_postgres=(setpriv --reuid postgres --regid postgres --clear-groups)
    install --directory --owner postgres cluster
fi
"${as_postgres[@]}" "$(printf '%s\n' /usr/lib/postgresql/*/bin | tail -1)/initdb" --pgdata cluster --username shop \
    --auth trust --no-sync --locale C
cat >>cluster/postgresql.conf <<EOF
listen_addresses = '127.0.0.1'
fsync = off
EOF
{
    echo 'SELECT length(page), page FROM pages;'
    echo "INSERT INTO orders VALUES ('$(cat order)');"
} >queries.sql
{
    echo 'GET page'
    echo "SET order $(cat order)"
} >commands.redis
chmod 644 queries.sql commands.redis page order
