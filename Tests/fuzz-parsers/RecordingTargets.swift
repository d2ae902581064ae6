// SPDX-License-Identifier: Apache-2.0

import LinkProfiles

@testable import ProfileFitting

extension FuzzTarget {
    /// What ping and fping print, and a link that is fitted to it.
    static let ping = FuzzTarget(
        "ping",
        texts: [
            "PING a (192.0.2.1) 56(84) bytes of data.\n64 bytes from a: icmp_seq=1 ttl=64 time=0.045 ms\n"
                + "From b icmp_seq=2 Destination Host Unreachable\nno answer yet for icmp_seq=3\n\n"
                + "4 packets transmitted, 1 received, 75% packet loss, time 3ms\n",
            "[1700000000.500000] 64 bytes from ::1: icmp_seq=1 ttl=64 time=500 ms (DUP!)\n",
            "a : [0], 64 bytes, 1.50 ms (1.50 avg, 0% loss)\na : [1], timed out (1.50 avg, 50% loss)\n",
            "a : 1.50 - 2.50\na : xmt/rcv/%loss = 3/2/33%, min/avg/max = 1.50/2.00/2.50\n",
            "Pinging a [192.0.2.7] with 32 bytes of data:\nReply from 192.0.2.7: bytes=32 time=46ms TTL=57\n"
                + "Request timed out.\n\n    Packets: Sent = 2, Received = 1, Lost = 1 (50% loss),\n",
            (1...12).map { "64 bytes from a: seq=\($0) ttl=64 time=\($0 * $0).5 ms\n" }.joined(),
        ]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        guard let samples = try? PingLog.read(text) else { return }
        require(samples.probes.count <= PingLog.maximumProbes, "\(samples.probes.count) probes")
        let answers = samples.probes.compactMap(\.trip)
        require(answers.count <= bytes.count / 2, "\(answers.count) answers")
        require(answers.allSatisfy { (0...3600).contains($0) }, "an answer of no time")
        // Simulations, and packets by the million, take longer than an input may.
        guard samples.probes.count <= 10_000, answers.count < DelayFit.fewest,
            let link = try? FittedLink(samples, name: "a")
        else { return }
        require((try? Profile(utf8: link.profile.json.text.utf8)) == link.profile, "\(link.profile) is not read again")
    }
}
