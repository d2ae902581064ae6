// SPDX-License-Identifier: Apache-2.0

import ProfileFormats
import Testing

@testable import ProfileFitting

/// Logs of pings whose lines look otherwise: none makes an answer pass for a loss.
@Suite struct PingKindTests {
    private func trips(_ text: String, name: String? = nil) throws -> [Double?] {
        #expect(PingLog.isRecognized(text))
        return try PingLog.read(text, name: name).probes.map { $0.trip.map { ($0 * 1e6).rounded() / 1000 } }
    }

    private func reason(_ text: String) -> String {
        do {
            _ = try PingLog.read(text)
            return "accepted"
        } catch {
            return "\(error)"
        }
    }

    /// Of Go, with and without spaces, in other units and in other languages.
    @Test(arguments: [
        "PING a (192.0.2.7):\n64 bytes from 192.0.2.7: icmp_seq=0 time=1.5ms ttl=57\n"
            + "64 bytes from 192.0.2.7: icmp_seq=2 time=2.500000ms ttl=57\n",
        "64 bytes from 192.0.2.7: icmp_seq=1 ttl=57 time=1500us\n64 bytes from 192.0.2.7: icmp_seq=3 ttl=57 time=2500 us\n",
        "64 bytes from 192.0.2.7: icmp_seq=1 time=1500µs\n64 bytes from 192.0.2.7: icmp_seq=3 time=0.0025s\n",
        "64 bytes from 192.0.2.7: icmp_seq=1 time=1500000ns\n64 bytes from 192.0.2.7: icmp_seq=3 time=0.0025 s\n",
        "64 octets de 192.0.2.7 : icmp_seq=1 ttl=57 temps=1,5 ms\n64 octets de 192.0.2.7 : icmp_seq=3 ttl=57 temps=2,5 ms\n",
        "64 байт от 192.0.2.7: icmp_seq=1 ttl=57 время=1.5 мс\n64 байт от 192.0.2.7: icmp_seq=3 ttl=57 время=2.5 мс\n",
        "64 字节，来自 192.0.2.7: icmp_seq=1 ttl=57 时间=1.5 毫秒\n64 字节，来自 192.0.2.7: icmp_seq=3 ttl=57 时间=2.5 毫秒\n",
    ])
    func haveTimesInUnits(text: String) throws { #expect(try trips(text) == [1.5, nil, 2.5]) }

    @Test(arguments: [
        ("64 bytes from a: icmp_seq=1 ttl=57 time=40.1parsec", "is no time with a unit"),
        ("64 bytes from a: icmp_seq=1 ttl=57 time=40.1", "is no time with a unit"),
        ("64 bytes from a: icmp_seq=1 ttl=57 time=", "is no time with a unit"),
        ("64 bytes from a: icmp_seq=1 ttl=57 time=2 h", "is no time with a unit"),
        // With "-s 8" there is no room for the time of sending.
        ("16 bytes from a: icmp_seq=1 ttl=57", "the answer has no time"),
        ("Tue Nov 24 10:00:01 CET 2026: 64 bytes from a: icmp_seq=1 ttl=57 ti", "the answer has no time"),
    ])
    func anAnswerWhoseTimeCannotBeReadIsNoLoss(line: String, expected: String) {
        let answers = (2...20).map { "64 bytes from a: icmp_seq=\($0) ttl=57 time=5.00 ms\n" }.joined()
        #expect(reason(line + "\n" + answers).contains("line 1: "))
        #expect(reason(line + "\n" + answers).contains(expected), "\(reason(line + "\n" + answers))")
        #expect(PingLog.isRecognized(line))
    }

    @Test(arguments: [
        "Tue Nov 24 10:00:01 CET 2026: ", "2026-11-24T10:00:01+0100 ", "24 Nov 2026 10:00:01 - ", "10:00:01 ",
        "1700000000.125 ", "host ping[12]: ", "2026-11-24 10:00:01,500 INFO ",
    ])
    func mayHaveADateBeforeEachLine(date: String) throws {
        let text = [
            "PING 192.0.2.7 (192.0.2.7) 56(84) bytes of data.",
            "64 bytes from 192.0.2.7: icmp_seq=1 ttl=57 time=1.50 ms",
            "no answer yet for icmp_seq=2", "64 bytes from 192.0.2.7: icmp_seq=3 ttl=57 time=2.50 ms",
            "From 192.0.2.9 icmp_seq=4 Destination Host Unreachable",
            "64 bytes from 192.0.2.7: icmp_seq=5 ttl=57 time=3.50 ms",
            "8 packets transmitted, 3 received, +1 errors, 62% packet loss, time 7000ms",
        ]
        #expect(try trips(text.map { date + $0 }.joined(separator: "\n")) == [1.5, nil, 2.5, 3.5, nil, nil, nil])
        #expect(try PingLog.read(text.map { date + $0 }.joined(separator: "\n")).probes[0].bytes == 98)
    }

    private static let windows = """

        Pinging a.test [192.0.2.7] with 32 bytes of data:
        Reply from 192.0.2.7: bytes=32 time=46ms TTL=57
        Request timed out.
        Reply from 192.0.2.7: bytes=32 time<1ms TTL=57
        Reply from 192.0.2.9: Destination host unreachable.
        Reply from 192.0.2.7: bytes=32 time=53ms TTL=57

        Ping statistics for 192.0.2.7:
            Packets: Sent = 5, Received = 4, Lost = 1 (20% loss),
        Approximate round trip times in milli-seconds:
            Minimum = 0ms, Maximum = 53ms, Average = 33ms

        """

    @Test(arguments: [
        windows, windows.replacing("\n", with: "\r\n"),
        windows.replacing(
            "Pinging a.test [192.0.2.7] with 32 bytes of data",
            with: "Ping wird ausgeführt für a.test [192.0.2.7] mit 32 Bytes Daten"
        )
        .replacing("Reply from 192.0.2.7: bytes=32 time", with: "Antwort von 192.0.2.7: Bytes=32 Zeit")
        .replacing("Request timed out.", with: "Zeitüberschreitung der Anforderung.")
        .replacing(
            "Reply from 192.0.2.9: Destination host unreachable",
            with: "Antwort von 192.0.2.9: Zielhost nicht erreichbar"
        )
        .replacing("Ping statistics for 192.0.2.7", with: "Ping-Statistik für 192.0.2.7")
        .replacing(
            "Packets: Sent = 5, Received = 4, Lost = 1 (20% loss)",
            with: "Pakete: Gesendet = 5, Empfangen = 4, Verloren = 1\n    (20% Verlust)"
        ),
        windows.replacing("bytes=32 ", with: "octets=32 ").replacing("7: ", with: "7 : ").replacing(
            "time",
            with: "temps"
        )
        .replacing("Request tempsd out.", with: "Délai d’attente de la demande dépassé."),
    ])
    func areOfWindows(text: String) throws {
        #expect(try trips(text) == [46, nil, 1, 53])
        let samples = try PingLog.read(text)
        #expect(samples.peer == "192.0.2.7" && samples.probes[0].bytes == 74)
        #expect(samples.remarks.contains { $0.contains("refused") })
        #expect(samples.remarks.contains { $0.contains("whole milliseconds") })
    }

    @Test func ofWindowsInAnUnknownLanguageAreRefused() {
        let text = Self.windows.replacing("Request timed out.", with: "Upłynął limit czasu żądania.")
        #expect(reason(text).contains("line 4: ") && reason(text).contains("chcp 437"))
    }

    @Test func ofWindowsTellJitterNoFinerThanTheyPrint() throws {
        let line = { (trip: Int) in "Reply from 192.0.2.7: bytes=32 time=\(trip)ms TTL=57\n" }
        let text = (0..<100).map { line(40 + $0 % 2) }.joined()
        let link = try FittedLink(PingLog.read(text), name: "a")
        #expect(link.delay?.jitter == nil && link.contradictions.isEmpty, "\(link.contradictions)")
    }

    @Test(arguments: [
        "192.0.2.7 : 1.50 - 2.50\n", "[10:00:01]\n192.0.2.7 : 1.50 - 2.50\n",
        "192.0.2.7 : [0], 64 bytes, 1.50 ms (1.50 avg, 0% loss)\n192.0.2.7 : [1], timed out (1.50 avg, 50% loss)\n"
            + "192.0.2.7 : [2], 64 bytes, 2.50 ms (2.00 avg, 33% loss)\n\n192.0.2.7 : 1.50 - 2.50\n",
        "192.0.2.7 : [0], 64 bytes, 1.50 ms (1.50 avg, 0% loss)\n192.0.2.7 : [1], timed out (1.50 avg, 50% loss)\n"
            + "192.0.2.7 : [2], 64 bytes, 2.50 ms (2.00 avg, 33% loss)\n\n"
            + "192.0.2.7 : xmt/rcv/%loss = 3/2/33%, min/avg/max = 1.50/2.00/2.50\n",
    ])
    func areOfFping(text: String) throws { #expect(try trips(text) == [1.5, nil, 2.5]) }

    @Test func ofFpingHaveTargets() throws {
        let text = "a : 1.50 - 2.50\nb.test : 7 8 9\n"
        #expect(throws: ImportError.several(["a", "b.test"])) { try PingLog.read(text) }
        #expect(try trips(text, name: "b.test") == [7, 8, 9])
    }

    /// JSON, YAML and other tools' command lines.
    @Test(arguments: [
        "\"rate\" : 240", "rate : fast", "comcast --target-addr 192.0.2.7 --latency=250",
        "qdisc netem 1: root delay 5ms", "a\nb\n",
    ])
    func nothingElseIsTakenForOne(text: String) { #expect(!PingLog.isRecognized(text)) }
}
