# SPDX-License-Identifier: Apache-2.0
# Servers for TLS and HTTP, good and bad; see Servers.swift. Prints their ports as JSON, and ends with its input.
#
#   web-servers.py CERTIFICATES last|"" IPV4-ADDRESS IPV6-ADDRESS
import json, os, shutil, socket, ssl, struct, sys, threading, time
directory, four, six = sys.argv[1], sys.argv[3], sys.argv[4]
ports = {}

def reset(c):
    c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    c.close()

def serve(kind, handle):
    while True:
        one = socket.create_server((four, 0), backlog=1024)
        try:
            two = socket.create_server((six, one.getsockname()[1]), family=socket.AF_INET6, backlog=1024)
            break
        except OSError:
            one.close()
    ports[kind] = one.getsockname()[1]
    def run(c):
        try:
            handle(c)
        except Exception:
            pass
        finally:
            c.close()
    def accept(s):
        while True:
            c, _ = s.accept()
            threading.Thread(target=run, args=(c,), daemon=True).start()
    for s in (one, two):
        threading.Thread(target=accept, args=(s,), daemon=True).start()

def context(name, **options):
    c = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if options.get('old'):
        c.set_ciphers('DEFAULT:@SECLEVEL=0')
        c.minimum_version = c.maximum_version = ssl.TLSVersion.TLSv1
    if 'version' in options:
        c.minimum_version = c.maximum_version = options['version']
    if 'tickets' in options:
        c.num_tickets = options['tickets']
    c.load_cert_chain(f'{directory}/{name}.pem')
    if options.get('client'):
        c.verify_mode = ssl.CERT_REQUIRED
        c.load_verify_locations(f'{directory}/root.pem')
    return c

def secured(context, inner):
    def handle(c):
        with context.wrap_socket(c, server_side=True) as s:
            inner(s)
    return handle

def head(c):
    data = b''
    while b'\r\n\r\n' not in data:
        more = c.recv(65536)
        if not more:
            return data
        data += more
    return data

def answering(*parts):
    def handle(c):
        head(c)
        for part in parts:
            if isinstance(part, float):
                time.sleep(part)
            else:
                c.sendall(part)
    return handle

def page(status, body=b'', more=b''):
    return b'HTTP/1.1 %s\r\nContent-Length: %d\r\n%s\r\n%s' % (status, len(body), more, body)

def wait(c):
    while c.recv(65536):
        pass

ok = answering(page(b'200 OK', b'all is well'))
for name in ('good', 'expired', 'early', 'unknown', 'strangerExpired', 'other', 'chained', 'underOld', 'self'):
    serve('tls-' + name, secured(context(name), ok))
serve('tls-1.2', secured(context('good', version=ssl.TLSVersion.TLSv1_2), ok))
serve('tls-no-tickets', secured(context('good', tickets=0), wait))
serve('tls-old', secured(context('good', old=True), ok))
serve('tls-client', secured(context('good', client=True), ok))
serve('tls-client-1.2', secured(context('good', client=True, version=ssl.TLSVersion.TLSv1_2), ok))
hello = b'\x03\x01' + bytes(32) + b'\x00\x00\x2f\x00'
body = b'\x02\x00' + struct.pack('>H', len(hello)) + hello
serve('tls-1.0-hello', lambda c: (c.recv(65536), c.sendall(b'\x16\x03\x01' + struct.pack('>H', len(body)) + body), wait(c)))
serve('alert', lambda c: (c.recv(65536), c.sendall(b'\x15\x03\x01\x00\x02\x02\x70'), wait(c)))
serve('greeting', lambda c: (c.sendall(b'220 mail.test ESMTP\r\n'), wait(c)))
serve('plain', lambda c: (c.recv(65536), c.sendall(page(b'400 Bad Request')), wait(c)))
serve('silent', lambda c: time.sleep(60))
serve('reset', lambda c: reset(c))
serve('reset-later', lambda c: (c.recv(65536), reset(c)))
serve('close', lambda c: c.recv(65536))
serve('tls-silent', secured(context('good'), lambda c: time.sleep(60)))

for status in ('200 OK', '301 Moved', '401 Unauthorized', '404 Not Found', '407 Proxy', '500 Oops', '511 Portal'):
    where = b'Location: http://portal.test/login\r\n' if status[0] == '3' else b''
    serve(status[:3], answering(page(status.encode(), b'all is well', where)))
serve('204', answering(b'HTTP/1.1 204 No Content\r\n\r\n'))
serve('200-empty', answering(page(b'200 OK')))
serve('echo', lambda c: c.sendall(page(b'200 OK', head(c))))
serve('slow-first', answering(60.0))
serve('slow-body', answering(b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nall', 60.0))
serve('short-body', answering(b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nall'))
serve('until-close', answering(b'HTTP/1.1 200 OK\r\n\r\nall ', 0.05, b'is well'))
serve('late-words', answering(b'HTTP/1.1 200 OK\r\n\r\n' + b'x' * 65535, b'all is well', 60.0))
def huge(c):
    head(c)
    c.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n')
    while True:
        c.sendall(b'x' * 1000000)
serve('huge', huge)
serve('garbage', answering(b'\x00\xffwhat is this\r\n\r\n', 60.0))
serve('half-head', answering(b'HTTP/1.1 200 O'))
serve('continue', answering(b'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n', page(b'200 OK', b'all is well')))

s = socket.create_server((four, 0))
ports['closed'] = s.getsockname()[1]
s.close()
# A full queue: further handshakes get no answer.
full = socket.create_server((four, 0), backlog=0)
ports['black-hole'] = full.getsockname()[1]
waiting = []
for _ in range(4):
    c = socket.socket()
    c.setblocking(False)
    c.connect_ex(full.getsockname())
    waiting.append(c)
# Of a listener, the kernel tells how many connections wait and how many may (net/ipv4/tcp.c, tcp_get_info).
while struct.unpack_from('II', full.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104), 24)[0] == 0:
    time.sleep(0.01)
print(json.dumps(ports), flush=True)
sys.stdin.read()
if sys.argv[2]:
    shutil.rmtree(directory)
os._exit(0)
