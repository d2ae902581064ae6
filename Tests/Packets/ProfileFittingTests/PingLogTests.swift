// SPDX-License-Identifier: Apache-2.0

import ProfileFormats
import Testing

@testable import ProfileFitting

@Suite struct PingLogTests {
    private func trips(_ text: String, name: String? = nil) throws -> [Double?] {
        #expect(PingLog.isRecognized(text))
        return try PingLog.read(text, name: name).probes.map { $0.trip.map { ($0 * 1e6).rounded() / 1000 } }
    }

    @Test func readsIPUtils() throws {
        let text = """
            PING a.test (192.0.2.1) 56(84) bytes of data.
            64 bytes from a.test (192.0.2.1): icmp_seq=1 ttl=64 time=0.045 ms
            64 bytes from a.test (192.0.2.1): icmp_seq=3 ttl=64 time=249 ms
            no answer yet for icmp_seq=4

            --- a.test ping statistics ---
            5 packets transmitted, 2 received, 60% packet loss, time 4000ms
            rtt min/avg/max/mdev = 0.045/1.000/249.000/0.482 ms
            """
        #expect(try trips(text) == [0.045, nil, 249, nil, nil])
        let samples = try PingLog.read(text)
        #expect(samples.peer == "a.test" && samples.probes[0].bytes == 98)
        #expect(samples.probes.map { ($0.time * 10).rounded() } == [0, 10, 20, 30, 40])
    }

    /// The times are those of the answers.
    @Test func readsStamps() throws {
        let text = """
            PING ::1(::1) 56 data bytes
            [1700000000.500000] 64 bytes from ::1: icmp_seq=1 ttl=64 time=500 ms
            [1700000002.250000] 64 bytes from ::1: icmp_seq=2 ttl=64 time=250 ms
            """
        let probes = try PingLog.read(text).probes
        #expect(probes.map(\.time) == [0, 2] && probes[0].bytes == 118)
    }

    @Test(arguments: [
        "PING 192.0.2.1 (192.0.2.1): 56 data bytes\n64 bytes from 192.0.2.1: seq=0 ttl=64 time=1.5 ms\n"
            + "64 bytes from 192.0.2.1: seq=2 ttl=64 time=2.5 ms\n",
        "PING 192.0.2.1 (192.0.2.1): 56 data bytes\n64 bytes from 192.0.2.1: icmp_seq=0 ttl=64 time=1.500 ms\n"
            + "Request timeout for icmp_seq 1\n64 bytes from 192.0.2.1: icmp_seq=2 ttl=64 time=2.500 ms\n",
        "PING 192.0.2.1 (192.0.2.1) 56(84) Bytes Daten.\r\n64 Bytes von 192.0.2.1: icmp_seq=1 ttl=64 Zeit=1.5 ms\r\n"
            + "64 Bytes von 192.0.2.1: icmp_seq=3 ttl=64 Zeit=2.5 ms\r\n",
        "192.0.2.1 : [0], 64 bytes, 1.50 ms (1.50 avg, 0% loss)\n192.0.2.1 : [1], timed out (1.50 avg, 50% loss)\n"
            + "192.0.2.1 : [2], 64 bytes, 2.50 ms (2.00 avg, 33% loss)\n",
        "64 bytes from 192.0.2.1: icmp_seq=1 ttl=64 time=1.5 ms\n64 bytes from 192.0.2.1: icmp_seq=3 ttl=64 time=2.5 ms\n",
    ])
    func readsOtherPings(text: String) throws {
        #expect(try trips(text) == [1.5, nil, 2.5])
    }

    @Test func countsOnWhereNumbersBeginAnew() throws {
        let lines = (65_530...65_550).map { "64 bytes from a: icmp_seq=\($0 & 0xFFFF) ttl=64 time=5.00 ms" }
        #expect(try trips(lines.joined(separator: "\n")).suffix(21) == Array(repeating: 5, count: 21)[...])
    }

    @Test func leavesOutDuplicatesAndRefusals() throws {
        let text = """
            64 bytes from a: icmp_seq=1 ttl=64 time=5.00 ms
            64 bytes from a: icmp_seq=1 ttl=64 time=6.00 ms (DUP!)
            From 192.0.2.9 icmp_seq=2 Destination Host Unreachable
            64 bytes from a: icmp_seq=3 ttl=64 time=5.00 ms
            """
        #expect(try trips(text) == [5, 5])
        #expect(try PingLog.read(text).remarks.count == 2)
    }

    @Test func tellsWhetherAnswersOvertook() throws {
        let line = { (number: Int) in "64 bytes from a: icmp_seq=\(number) ttl=64 time=5.00 ms\n" }
        #expect(try PingLog.read(line(1) + line(3) + line(2)).isReordered)
        #expect(try !PingLog.read(line(1) + line(2) + line(3)).isReordered)
    }

    /// Ping was interrupted before an answer could come, or the link was cut.
    @Test(arguments: [(1, 2), (8, 10)])
    func countsTheLastRequestsIfTheyAreLost(missing: Int, expected: Int) throws {
        let text = """
            64 bytes from a: icmp_seq=1 ttl=64 time=800 ms
            64 bytes from a: icmp_seq=2 ttl=64 time=800 ms
            \(2 + missing) packets transmitted, 2 received, 10% packet loss, time \((1 + missing) * 1000)ms
            """
        #expect(try trips(text).count == expected)
    }

    @Test func choosesAmongTargets() throws {
        let text =
            "PING a (192.0.2.1) 56(84) bytes of data.\n64 bytes from a: icmp_seq=1 ttl=64 time=5.00 ms\n"
            + "PING b (192.0.2.2) 56(84) bytes of data.\n64 bytes from b: icmp_seq=1 ttl=64 time=7.00 ms\n"
        #expect(throws: ImportError.several(["a", "b"])) { try PingLog.read(text) }
        #expect(try trips(text, name: "b") == [7])
    }

    @Test(arguments: [
        ("64 bytes from a: icmp_seq=x ttl=64 time=5.00 ms", 1), ("64 bytes from a: icmp_seq=1 ttl=64 time=-5 ms", 1),
        ("64 bytes from a: icmp_seq=1 ttl=64 time=nan ms", 1), ("64 bytes from a: icmp_seq=70000 ttl=64 time=5 ms", 1),
        ("PING a (192.0.2.1)\nx bytes from a: icmp_seq=1 ttl=64 time=5 ms", 2),
        ("64 bytes from a: icmp_seq=1 ttl=64 time=5 ms\n9999999999 packets transmitted, 1 received", 2),
        ("9223372036854775807 bytes from a: icmp_seq=1 ttl=64 time=5 ms", 1),
        ("a : [0], 9223372036854775807 bytes, 1.50 ms (1.50 avg, 0% loss)", 1),
        ("64 bytes from a: icmp_seq=1 ttl=64 time=5 ms\n-9223372036854775808 packets transmitted, 1 received", 2),
        ("a : [99999999], 64 bytes, 1.50 ms (1.50 avg, 0% loss)", 1),
    ])
    func refusesWhatMakesNoSense(text: String, line: Int) {
        #expect { try PingLog.read(text) } throws: { error in
            if case .invalid(location: "line \(line)", _) = error as? ImportError { true } else { false }
        }
    }

    @Test func refusesALogWithoutAnswers() {
        #expect(throws: ImportError.self) { try PingLog.read("PING a (192.0.2.1) 56(84) bytes of data.\n") }
        #expect(!PingLog.isRecognized("hello\n1\n2\n3\n"))
    }
}
