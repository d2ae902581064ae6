// SPDX-License-Identifier: Apache-2.0

/// Trying doors: which ports let somebody in, and whom a port has seen.
enum Knocking {
    /// How a port answered.
    struct Answer: Decodable {
        /// "connected", the error's name, or "silence" when a second has passed.
        let tcp: String
        /// "answered", the error's name, or "silence".
        let udp: String
    }

    /// The line of shell that knocks at all of `doors` at once, each an address and a port as "127.0.0.1/80".
    static func line(_ doors: [String]) -> String {
        Python.line(visitor, doors)
    }

    /// The line of shell for somebody who prints "ready", listens at a port of every address, TCP and UDP, IPv4 and
    /// IPv6, and prints "tcp" or "udp" for each who comes.
    static func listening(at port: Int) -> String {
        Python.line(listener, [String(port)])
    }

    private static let visitor = """
        import errno, json, os, select, socket, sys, time

        start = time.monotonic()
        waiting, answers = {}, {}
        for door in sys.argv[1:]:
            host, port = door.split("/")
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            answers[door] = {"tcp": "silence", "udp": "silence"}
            for kind, number in ("tcp", socket.SOCK_STREAM), ("udp", socket.SOCK_DGRAM):
                end = socket.socket(family, number)
                end.setblocking(False)
                code = end.connect_ex((host, int(port)))
                if code not in (0, errno.EINPROGRESS):
                    answers[door][kind] = errno.errorcode[code]
                    continue
                if kind == "udp":
                    end.send(b"knock")
                waiting[end] = door, kind
        while waiting and (left := start + 1 - time.monotonic()) > 0:
            tcp = [end for end in waiting if waiting[end][1] == "tcp"]
            for end in set().union(*select.select(waiting, tcp, [], left)):
                door, kind = waiting.pop(end)
                code = end.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                answers[door][kind] = errno.errorcode.get(code, "connected" if kind == "tcp" else "answered")
        print(json.dumps([answers[door] for door in sys.argv[1:]]))
        """

    private static let listener = """
        import select, socket, sys

        ends = []
        for family, address in (socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::"):
            for kind in socket.SOCK_STREAM, socket.SOCK_DGRAM:
                end = socket.socket(family, kind)
                if family == socket.AF_INET6:
                    end.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                end.bind((address, int(sys.argv[1])))
                if kind == socket.SOCK_STREAM:
                    end.listen()
                ends.append(end)
        print("ready", flush=True)
        while True:
            for end in select.select(ends, [], [])[0]:
                if end.type == socket.SOCK_STREAM:
                    end.accept()
                    print("tcp", flush=True)
                else:
                    data, peer = end.recvfrom(100)
                    end.sendto(data, peer)
                    print("udp", flush=True)
        """
}
