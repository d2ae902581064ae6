// SPDX-License-Identifier: Apache-2.0

import CNetlink
import TestKit
import Testing

@testable import Netlink

/// Parsing any datagram terminates and stays within its bytes.
@Suite struct MalformedAnswerTests {
    private static let netem = NetemLimits.all.map(\.netem)
    static let requests: [Request] =
        [
            Qdisc.clsact(on: 7).add(on: "eth0"),
            Qdisc(
                link: 7,
                parent: .root,
                handle: Handle(1),
                kind: .tokenBucket(TokenBucket(bytesPerSecond: 5_000_000_000, burst: 1522, limit: 1522))
            ).add(on: "eth0"),
            RedirectFilter(
                link: 7,
                hook: .egress,
                preference: 1,
                cookie: [1, 2, 3],
                program: [BPFInstruction(code: 6, constant: 0)],
                target: 9
            ).add(on: "eth0"),
            LinkRequest.addIFB("a", queueLength: 1000),
            LinkRequest.setAlias("an alias", of: "a"),
        ]
        + netem.map { Qdisc(link: 7, parent: .root, handle: Handle(1), kind: .netem($0)).add(on: "eth0") }

    /// Passes the bytes to all parsers of answers.
    ///
    /// - Returns: what they read of each message, in words.
    @discardableResult
    private func read(_ datagram: [UInt8]) -> [String] {
        let values = MessageSequence(datagram).map { reply in
            "\(String(describing: Qdisc(reply))) \(String(describing: Link(reply))) "
                + String(describing: Filter(reply, hook: .egress))
        }
        let connection = RouteConnection(ScriptedKernel([datagram]))
        _ = (try? connection.links(), try? connection.qdiscs(), try? connection.filters(on: 7, hook: .egress))
        return values
    }

    /// A datagram that was cut off has no message: half of one could pass for the whole state of an interface.
    @Test func takesNoPrefixForAMessage() {
        for bytes in Self.requests.map(\.bytes) {
            for length in 0..<bytes.count { #expect(read(Array(bytes.prefix(length))).isEmpty) }
            #expect(read(bytes).count == 1)
        }
    }

    /// Its last attribute may claim more bytes than the message has.
    @Test func readsNothingBehindAMessage() {
        for whole in Self.requests.map(\.bytes) {
            for length in 16...whole.count {
                let cut = bytes(of: UInt32(length)) + whole.prefix(length).dropFirst(4)
                let padding = [UInt8](repeating: 0, count: -length & 3)
                let behind = whole.dropFirst(length + padding.count) + [UInt8](repeating: 0xFF, count: 64)
                #expect(read(cut) == Array(read(cut + padding + behind).prefix(1)))
            }
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>) func readsRandomBytes(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let types = [RTM_NEWQDISC, RTM_NEWLINK, RTM_NEWTFILTER].map { Int($0) } + [Int(NLMSG_ERROR), Int(NLMSG_DONE)]
        for _ in 0..<500 {
            let body = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            read(body)
            let flags = Int32.random(in: 0...0xFFFF, using: &generator)
            read(message(types.randomElement(using: &generator) ?? 0, flags: flags, body))
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>) func readsMessagesWithBytesChanged(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for bytes in Self.requests.map(\.bytes) {
            for _ in 0..<100 {
                var changed = bytes
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    let place = Int.random(in: changed.indices, using: &generator)
                    changed[place] = UInt8.random(in: 0...255, using: &generator)
                }
                read(changed)
            }
        }
    }
}
