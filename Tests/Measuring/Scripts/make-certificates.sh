# SPDX-License-Identifier: Apache-2.0
# Makes, in the current directory, the certificates that Authority.swift describes.
# Dates can only be chosen with openssl-ca(1) before OpenSSL 3.4.
set -e
cat >ca.cnf <<END
[ca]
default_ca = own
[own]
database = index
new_certs_dir = .
rand_serial = yes
default_md = sha256
policy = any
copy_extensions = copyall
unique_subject = no
[any]
commonName = optional
[req]
distinguished_name = req
END
: >index
key() { openssl ecparam -name prime256v1 -genkey -noout -out $1.key; }
root() {
    key $1
    openssl req -config ca.cnf -x509 -new -key $1.key -days 3650 -subj "/CN=$1" -out $1.crt \
        -addext basicConstraints=critical,CA:TRUE
    cp $1.crt $1.pem
}
# sign NAME ISSUER START END EXTENSION [EXTENSION]
sign() {
    key $1
    openssl req -config ca.cnf -new -key $1.key -subj "/CN=$1" -addext "$5" ${6:+-addext "$6"} -out $1.csr
    openssl ca -config ca.cnf -batch -notext -cert $2.crt -keyfile $2.key -startdate $3 -enddate $4 \
        -in $1.csr -out $1.crt
    cat $1.key $1.crt >$1.pem
}
names=subjectAltName=DNS:good.test,DNS:*.wild.test,IP:127.0.0.1,IP:::1
root root
root stranger
sign good root 20200101000000Z 20990101000000Z $names
sign expired root 20200101000000Z 20210101000000Z $names
sign early root 20980101000000Z 20990101000000Z $names
sign unknown stranger 20200101000000Z 20990101000000Z $names
sign strangerExpired stranger 20200101000000Z 20210101000000Z $names
sign other root 20200101000000Z 20990101000000Z subjectAltName=DNS:other.test,DNS:third.test
sign middle root 20200101000000Z 20990101000000Z basicConstraints=critical,CA:TRUE
sign chained middle 20200101000000Z 20990101000000Z $names
cat middle.crt >>chained.pem
sign oldMiddle root 20200101000000Z 20210101000000Z basicConstraints=critical,CA:TRUE
sign underOld oldMiddle 20200101000000Z 20990101000000Z $names
cat oldMiddle.crt >>underOld.pem
# Extensions that are no DER of theirs.
sign brokenNames root 20200101000000Z 20990101000000Z subjectAltName=DER:30:82:FF
sign brokenUsage root 20200101000000Z 20990101000000Z $names keyUsage=DER:01:02:03
sign brokenConstraints root 20200101000000Z 20990101000000Z $names basicConstraints=DER:01:02:03
key self
openssl req -config ca.cnf -x509 -new -key self.key -days 3650 -subj /CN=self -addext $names -out self.crt
cat self.key self.crt >self.pem
