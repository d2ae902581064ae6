// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProbes
import LinkProfiles
import LinkVerification

/// Sends two flows of UDP datagrams over the loopback that it is started on, and writes down when each was sent and when
/// it came, for the conformance suite:
///
///     link-probe KIND FILE UPLINK DOWNLINK
///
/// The kind is "light" or "full"; "damage" has damaged packets come, and "marks" lets packets be marked instead of lost.
/// A flow is PACKETS,INTERVAL,PAYLOAD,GROUP: so many datagrams of so many bytes, a group of them every so many
/// nanoseconds (groups are sent as one super-packet). FILE holds a `PhaseRecord` as whole numbers of 64 bits in the
/// machine's byte order.
@main struct LinkProbe {
    static func main() throws {
        let words = CommandLine.arguments
        guard words.count == 5, let uplink = ProbeTraffic(words[3]), let downlink = ProbeTraffic(words[4]) else {
            print("usage: link-probe KIND FILE UPLINK DOWNLINK, each of the last two PACKETS,INTERVAL,PAYLOAD,GROUP")
            exit(64)
        }
        var phase = ProbePhase(words[1] == "full" ? .full : .light, [.uplink: uplink, .downlink: downlink])
        (phase.showsDamage, phase.isECNCapable) = (words[1] == "damage", words[1] == "marks")
        let record = try PhaseProbe(phase).run()
        let numbers = record.numbers
        guard let file = fopen(words[2], "w") else { throw ProbeError("cannot open \(words[2])") }
        let count = fwrite(numbers, 8, numbers.count, file)
        guard fclose(file) == 0, count == numbers.count else { throw ProbeError("cannot write \(words[2])") }
    }
}

extension ProbeTraffic {
    /// Reads PACKETS,INTERVAL,PAYLOAD,GROUP.
    fileprivate init?(_ text: String) {
        let numbers = text.split(separator: ",").compactMap { Int($0) }
        guard numbers.count == 4, numbers[0] > 0, numbers[1] > 0, (8...1472).contains(numbers[2]),
            numbers[3] > 0, numbers[2] * numbers[3] < 65_000
        else { return nil }
        self.init(packets: numbers[0], interval: .nanoseconds(numbers[1]), payload: numbers[2], group: numbers[3])
    }
}
