#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes what the servers of scripts/check/clients serve: an order to post, a git repository, databases, packages; and
# compiles the clients in Java and Go.
#
#   prepare.sh DIRECTORY
set -euo pipefail
here=$(realpath "$(dirname "$0")")
cd "$1"

bytes() { head -c "$1" /dev/zero | openssl enc -aes-128-ctr -pass pass:"$2" -nosalt -pbkdf2 2>/dev/null | base64 -w 0; }
bytes 4500 order >order
bytes 4500 page >page
printf 'Subject: order\n\n%s\n' "$(fold -w 70 order)" >mail
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 \
    -keyout key.pem -out cert.pem 2>/dev/null

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

# A project of one file for pip, and a repository of none for apt.
mkdir -p www/simple/parcel www/repository www/ftp
python3 - <<'PYTHON'
import zipfile

name = "parcel-1.0-py3-none-any.whl"
with zipfile.ZipFile(f"www/simple/parcel/{name}", "w") as wheel, open("page", "rb") as page:
    wheel.writestr("parcel/page", page.read())
    wheel.writestr("parcel-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: parcel\nVersion: 1.0\n")
    wheel.writestr("parcel-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr("parcel-1.0.dist-info/RECORD", "")
with open("www/simple/parcel/index.html", "w") as page:
    page.write(f'<!DOCTYPE html><a href="{name}">{name}</a>')
PYTHON
printf 'Package: parcel\nVersion: 1.0\nArchitecture: all\nDescription: %s\nFilename: parcel.deb\nSize: 0\n\n' "$(cat page)" \
    >www/repository/Packages
{
    echo 'Suite: shop'
    echo 'SHA256:'
    printf ' %s %s Packages\n' "$(sha256sum <www/repository/Packages | cut -d ' ' -f 1)" "$(stat -c %s www/repository/Packages)"
} >www/repository/Release
cp page www/ftp

as_postgres=()
if [ "$(id -u)" -eq 0 ] && id -u postgres >/dev/null 2>&1; then
    as_postgres=(setpriv --reuid postgres --regid postgres --clear-groups)
    install --directory --owner postgres cluster
fi
if ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then
    "${as_postgres[@]}" "$(printf '%s\n' /usr/lib/postgresql/*/bin | tail -1)/initdb" --pgdata cluster --username shop \
        --auth trust --no-sync --locale C
    printf "listen_addresses = '127.0.0.1'\nfsync = off\n" >>cluster/postgresql.conf
fi
! command -v mariadb-install-db ||
    mariadb-install-db --no-defaults --datadir="$PWD/mariadb" --user=root --auth-root-authentication-method=normal \
        --skip-test-db
{
    echo 'SELECT length(page), page FROM pages;'
    echo "INSERT INTO orders VALUES ('$(cat order)');"
} >queries.sql
{
    echo 'GET page'
    echo "SET order $(cat order)"
} >commands.redis
chmod 644 queries.sql commands.redis page order

# ssh refuses keys that others can read.
mkdir -m 700 ssh
ssh-keygen -q -t ed25519 -N '' -f ssh/host
ssh-keygen -q -t ed25519 -N '' -f ssh/user
cp ssh/user.pub ssh/authorized_keys
cat >ssh/config <<CONFIG
Host shop
    HostName 127.0.0.1
    Port 2222
    User $(id -un)
    IdentityFile $PWD/ssh/user
    StrictHostKeyChecking no
    UserKnownHostsFile /dev/null
    LogLevel ERROR
CONFIG
cat >ssh/sshd_config <<CONFIG
ListenAddress 127.0.0.1:2222
HostKey $PWD/ssh/host
AuthorizedKeysFile $PWD/ssh/authorized_keys
StrictModes no
UsePAM no
PidFile none
CONFIG
cat >rsyncd.conf <<CONFIG
address = 127.0.0.1
port = 8730
use chroot = no
[shop]
path = $PWD/www/ftp
read only = no
uid = $(id -u)
gid = $(id -g)
CONFIG
cat >slapd.conf <<CONFIG
include /etc/ldap/schema/core.schema
modulepath /usr/lib/ldap
moduleload back_ldif
database ldif
suffix dc=shop,dc=test
directory $PWD/ldap
CONFIG
mkdir ldap
cat >shop.ldif <<LDIF
dn: dc=shop,dc=test
objectClass: dcObject
objectClass: organization
dc: shop
o: shop
description: $(cat page)
LDIF
! command -v slapadd || slapadd -f slapd.conf -l shop.ldif

! command -v javac || javac -d java "$here/java/Clients.java"
! command -v go || GOCACHE=$PWD/go-cache GO111MODULE=off go build -o go-client "$here/go/client.go"
