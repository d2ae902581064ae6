// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// Services of the host's loopback in a sandbox, on this machine's kernel: nothing is conditioned here.
@Suite(.enabled(if: Kernel.hasNamespaces, "needs the right to make namespaces"))
struct RunHostPortTests {
    @Test func reachesPostgreSQL() throws {
        let database = try PostgreSQL()
        let query = "psql -h 127.0.0.1 -p \(database.port) -U tester -d postgres -Atc 'select 6 * 7'"
        let outcome = try Program.shell("$LINKCOND run --offline --host-port \(database.port) -- \(query)")
        #expect(outcome.output == "42\n", "\(outcome.errors)")
        #expect(outcome.status == 0)
        let without = try Program.shell("$LINKCOND run --offline -- \(query)")
        #expect(without.status == 2)
        #expect(without.errors.contains("Connection refused"))
        let port = database.port
        let words = "port \(port) refused a connection in the sandbox, and has a listener outside"
        #expect(without.errors.contains("note: \(words): type --host-port \(port)\n"), "\(without.errors)")
    }

    /// Many rows fill every buffer on the way.
    @Test func carriesALargeAnswer() throws {
        let database = try PostgreSQL()
        let query = "select repeat('x', 1000) from generate_series(1, 20000)"
        let outcome = try Program.shell(
            """
            $LINKCOND run --offline --host-port auto -- \
            psql -h 127.0.0.1 -p \(database.port) -U tester -d postgres -Atc "\(query)" | wc -c
            """
        )
        #expect(outcome.output == "20020000\n", "\(outcome.errors)")
    }

    @Test func refusesAPortWithoutListener() throws {
        let outcome = try Program.run("run", "--offline", "--host-port", "9", "--", "true")
        #expect(outcome.status == 125)
        #expect(outcome.errors.contains("nothing listens on port 9 of this machine's loopback"))
    }

    @Test(arguments: ["0", "65536", "http", "53/sctp", "", "+80", "80 "])
    func refusesWhatIsNoPort(_ text: String) throws {
        let outcome = try Program.run("run", "--offline", "--host-port", text, "--", "true")
        #expect(outcome.status == 125)
        #expect(outcome.errors.contains("--host-port"))
    }

    /// A service for any address has no ::1 if this machine's loopback has none.
    @Test func bringsInWhatIsThereWithoutIPv6() throws {
        let server = Script("host-port-without-ipv6.py").line()
        let outcome = try Program.isolatedShell(
            "ip link set lo up; sysctl -qw net.ipv6.conf.all.disable_ipv6=1; \(server)"
        )
        #expect(outcome.output == "True\n", "\(outcome.errors)")
    }

    @Test func bringsDatagramsAndTheirAnswers() throws {
        let server = try EchoServer()
        let client = Script("datagram-client.py").line(["\(server.port)"])
        let outcome = try Program.shell(
            "$LINKCOND run --offline --host-port \(server.port)/udp -- \(client)"
        )
        #expect(outcome.output == "hello\n", "\(outcome.errors)")
    }
}

/// A database server of the test's own, on a port of 127.0.0.1 only. Ends with its user.
private final class PostgreSQL {
    let port: Int
    private let files: TemporaryDirectory
    private let server = Process()

    init() throws {
        files = try TemporaryDirectory()
        port = try EchoServer.freePort()
        // It refuses to run as root.
        let unprivileged = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : ""
        let programs = try Program.shell("ls -d /usr/lib/postgresql/*/bin | tail -n 1").output.dropLast()
        let made = try Program.shell(
            """
            cd \(files.path) && chmod 0777 . &&
            \(unprivileged) \(programs)/initdb -D data -U tester --auth=trust --no-sync
            """
        )
        try #require(made.status == 0, "\(made.errors)")

        server.executableURL = URL(fileURLWithPath: "/bin/sh")
        server.currentDirectoryURL = files.url
        server.arguments = [
            "-c",
            "exec \(unprivileged) \(programs)/postgres -D data -p \(port) -k . -c listen_addresses=127.0.0.1 -c fsync=off",
        ]
        server.standardError = try FileHandle(forWritingTo: files.write("log", ""))
        try server.run()
        let ready = try Program.shell(
            "for i in $(seq 2000); do \(programs)/pg_isready -q -h 127.0.0.1 -p \(port) && exit; sleep 0.1; done; exit 1"
        )
        let log = try files.read("log")
        try #require(ready.status == 0, "\(log)")
    }

    deinit {
        kill(server.processIdentifier, SIGQUIT)
        server.waitUntilExit()
    }
}

/// Echoes every datagram to a port of 127.0.0.1.
private final class EchoServer {
    let port: Int
    private let descriptor: CInt

    init() throws {
        (descriptor, port) = try Self.bound()
        let descriptor = descriptor
        Thread.detachNewThread {
            // The reader closes: a number closed under it may be another descriptor's at its next turn.
            defer { close(descriptor) }
            var buffer = [UInt8](repeating: 0, count: 2048)
            while true {
                var sender = sockaddr_storage()
                var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
                let capacity = buffer.count
                let done = withUnsafeMutablePointer(to: &sender) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                        let count = recvfrom(descriptor, &buffer, capacity, 0, address, &size)
                        return count <= 0 || sendto(descriptor, buffer, count, 0, address, size) < 0
                    }
                }
                if done { return }
            }
        }
    }

    deinit { shutdown(descriptor, CInt(SHUT_RDWR)) }

    /// A port that is not in use now.
    static func freePort() throws -> Int {
        let (descriptor, port) = try bound()
        close(descriptor)
        return port
    }

    private static func bound() throws -> (CInt, Int) {
        let descriptor = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 ? getsockname(descriptor, address, &size) : -1
            }
        }
        try #require(result == 0)
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }
}
