// SPDX-License-Identifier: Apache-2.0

import ProfileFormats
import Testing

@testable import ProfileFitting

/// Parts of logs, and several logs in one: a part invents no outage, and what is lost is what ping says is lost.
@Suite struct PingPartTests {
    private static func lines(_ numbers: some Sequence<Int>) -> String {
        numbers.map { "64 bytes from 192.0.2.7: icmp_seq=\($0) ttl=57 time=\(40 + $0 % 7).5 ms\n" }.joined()
    }

    private static let header = "PING 192.0.2.7 (192.0.2.7) 56(84) bytes of data.\n"
    private static func sums(_ sent: Int, _ received: Int) -> String {
        "\n\(sent) packets transmitted, \(received) received, 0% packet loss, time \(sent - 1)000ms\n"
    }

    @Test(arguments: [
        (lines(244...283), 40, "begins with number 244"), (lines(4...63), 60, "begins with number 4"),
        (lines([250] + Array(252...283)), 34, "begins with number 250"),
        // As "tail" leaves the sums.
        (lines(244...283) + sums(283, 282), 40, "begins with number 244"),
        ((7...30).map { "a : [\($0)], 64 bytes, 1.50 ms (1.50 avg, 0% loss)\n" }.joined(), 24, "begins with number 7"),
    ])
    func countFromTheirFirstNumber(text: String, count: Int, remark: String) throws {
        let samples = try PingLog.read(text)
        #expect(samples.probes.count == count)
        #expect(samples.remarks.contains { $0.contains(remark) }, "\(samples.remarks)")
        let link = try FittedLink(samples, name: "a")
        #expect(link.outage == nil)
    }

    /// What the header of the log tells was sent.
    @Test func tellWhatIsLostBeforeTheFirstAnswer() throws {
        let samples = try PingLog.read(Self.header + Self.lines(4...30) + Self.sums(30, 27))
        #expect(samples.probes.count == 30 && samples.probes.prefix(3).allSatisfy { $0.trip == nil })
        #expect(samples.remarks.contains { $0.contains("the first 3 requests count as lost") }, "\(samples.remarks)")
        #expect(try PingLog.read(Self.header + Self.lines(1...30)).remarks.isEmpty)
    }

    /// As of a loop that writes to one file, or of two parts in one.
    @Test(arguments: [
        (lines(1...20) + lines(1...20), 40), (lines(244...283) + lines(5...30), 66),
        (lines(1...10) + lines(2...10), 19),
        (String(repeating: lines([1]), count: 30), 30), (lines(40_000...40_020) + lines(1...20), 41),
        (header + lines(1...20) + sums(20, 20) + header + lines(1...20) + sums(20, 20), 40),
    ])
    func aNumberThatFallsBackBeginsANewRun(text: String, count: Int) throws {
        let samples = try PingLog.read(text)
        #expect(samples.probes.count == count && samples.probes.allSatisfy { $0.trip != nil })
    }

    /// An answer that is late by as much as its time says is no new run.
    @Test func aLateAnswerBelongsToItsRun() throws {
        let late = "64 bytes from 192.0.2.7: icmp_seq=5 ttl=57 time=4200 ms\n"
        let samples = try PingLog.read(Self.lines([1, 2, 3, 4, 6, 7, 8, 9]) + late + Self.lines(10...20))
        #expect(samples.probes.count == 20 && samples.isReordered && samples.probes.allSatisfy { $0.trip != nil })
    }

    /// The log is still being written.
    @Test(arguments: [" ttl=57 time=40", "", " ttl=57 time=40 m", " ttl=57 ti"])
    func aLastLineThatIsCutIsNotUsed(end: String) throws {
        let samples = try PingLog.read(Self.lines(1...20) + "64 bytes from 192.0.2.7: icmp_seq=21" + end)
        #expect(samples.probes.count == 20 && samples.remarks == ["the last line is cut, and not used"])
    }

    /// As of `grep -v`, or of a unit that is not read.
    @Test(arguments: [
        header + lines(1...20) + sums(20, 19), header + lines([1, 2, 3]) + sums(20, 20), header + sums(20, 20),
        lines(10...20) + sums(40, 40), "a : 1.5 2.5\na : xmt/rcv/%loss = 3/3/0%, min/avg/max = 1/1/1\n",
        "Reply from 192.0.2.7: bytes=32 time=46ms TTL=57\n\n    Packets: Sent = 3, Received = 3, Lost = 0 (0% loss),\n",
    ])
    func sumsThatDoNotAgreeAreRefused(text: String) {
        #expect { try PingLog.read(text) } throws: { "\($0)".contains("lines are missing or not understood") }
    }
}
