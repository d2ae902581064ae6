// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import InternetAddresses
import LinkProfiles
import Testing

@testable import PacketFaults

/// What happens to connections without a packet of theirs.
@Suite struct OpenConnectionTests {
    private static let (fin, rst, ack): (UInt8, UInt8, UInt8) = (1, 4, 16)
    private static let second: Int64 = 1_000_000_000

    /// That of `WirePacket`, of which both ends have sent so much.
    private func open(port: UInt16 = 40_000) throws -> OpenConnection {
        OpenConnection(
            near: FaultEnd(address: try #require(IPAddress("192.0.2.1")), port: port),
            far: FaultEnd(address: try #require(IPAddress("192.0.2.2")), port: 443),
            opener: .uplink,
            uplinkNumber: 1_000,
            downlinkNumber: 5_000
        )
    }

    private func faults(_ match: String, _ action: String = "reset") throws -> TestedFaults {
        try TestedFaults("{\"match\": \(match), \"do\": \"\(action)\"}")
    }

    @Test(arguments: [("reset", rst | ack), ("close", fin | ack), ("half close", fin | ack)])
    func happensAtOnceToWhatIsOpen(action: String, flags: UInt8) throws {
        let faults = try faults(#"{"port": 443}"#, action)
        let decision = FaultDecision(made: faults.start(with: [try open()]))
        let (back, on) = (try #require(decision.back.first), try #require(decision.on.first))
        #expect(decision.made.count == 2 && back.isSound && on.isSound)
        #expect(back.flags == flags && back.sequence == 5_000 && back.acknowledgment == 1_000)
        #expect(on.flags == flags && on.sequence == 1_000 && on.acknowledgment == 5_000)
        #expect(back.destination == [192, 0, 2, 1] && back.destinationPort == 40_000 && back.sourcePort == 443)
        // It is the fault's from then on.
        let after = faults.decide(.data([1]))
        #expect(after.loss == FaultMark(1, action == "reset" ? .reset : action == "close" ? .close : .halfClose))
    }

    /// Those wait for their packet, and so does every fault that ends no connection.
    @Test(arguments: [
        #"{"connection": "nth 1"}"#, #"{"packet": "nth 1"}"#, #"{"after": "5 s"}"#, #"{"after": "20 kB"}"#,
        #"{"larger": "100 bytes"}"#, #"{"lane": "uplink"}"#, #"{"probability": "50 %"}"#, #"{"port": 80}"#,
        #"{"after": {"idle": "5 s"}}"#,
    ])
    func leavesAloneWhatItWaitsFor(match: String) throws {
        #expect(try faults(match).start(with: [try open()]).isEmpty)
        #expect(try self.faults("{}", "stall").start(with: [try open()]).isEmpty)
    }

    /// A step that keeps the faults of the step before does not repeat them.
    @Test func happensOnceAsLongAsItIsInEffect() throws {
        let first = try faults("{}")
        #expect(first.start(with: [try open()]).count == 2)
        let second = try faults("{}")
        #expect(second.start(with: [try open()], after: first).isEmpty)
        #expect(second.start(with: [try open()], after: try faults(#"{"port": 80}"#)).count == 2)
    }

    @Test func endsAConnectionThatIsIdleForLongEnough() throws {
        let faults = try faults(#"{"after": {"idle": "5 s"}}"#)
        #expect(faults.nextIdle == .max)
        for packet in [WirePacket.opening(), .acceptance(), .data([])] { #expect(!faults.loses(packet)) }
        #expect(faults.nextIdle == 5 * Self.second)
        // Any packet begins the time anew, an acknowledgement as well.
        #expect(!faults.loses(.data([]), at: 3 * Self.second))
        #expect(faults.popIdle(at: 5 * Self.second).isEmpty && faults.nextIdle == 8 * Self.second)
        let idle = faults.popIdle(at: 8 * Self.second)
        #expect(idle.map(\.near.port) == [40_000] && idle.map(\.far.port) == [443])
        let made = faults.end(try open(), as: try #require(idle.first))
        #expect(FaultDecision(made: made).back.first?.flags == Self.rst | Self.ack && made.count == 2)
        #expect(faults.nextIdle == .max && faults.loses(.data([1]), at: 9 * Self.second))
        // A connection after that has a time of its own.
        let new = WirePacket.opening { $0.client.port = 40_002 }
        #expect(!faults.loses(new, at: 10 * Self.second) && faults.nextIdle == 15 * Self.second)
    }

    /// However many connections come and go meanwhile.
    @Test func remembersFewOfMany() throws {
        let text = #"{"match": {"after": {"idle": "60 min"}}, "do": "reset"}"#
        let faults = try TestedFaults(text, connections: 64)
        for number in 0..<10_000 { _ = faults.decide(.opening { $0.client.port = 1_000 + number }, at: Int64(number)) }
        #expect(faults.turnCount <= 128 && faults.connectionCount <= 64)
        #expect(faults.popIdle(at: 3_601 * Self.second).count == faults.connectionCount)
    }

    /// What needs no look at its packets gets none.
    @Test func doesNotDelayTheRest() throws {
        let faults = try faults(#"{"after": {"idle": "5 s"}}"#)
        _ = faults.decide(.opening())
        #expect(faults.recordSettled(WirePacket.data([1]).bytes, .uplink, at: 4 * Self.second))
        #expect(faults.popIdle(at: 5 * Self.second).isEmpty && faults.nextIdle == 9 * Self.second)
    }

    @Test func countsIdleTimeFromTheFaultsStart() throws {
        let faults = try faults(#"{"connection": "nth 2", "after": {"idle": "5 s"}}"#)
        let both = [try open(), try open(port: 40_002)]
        #expect(faults.start(with: both, at: Self.second).isEmpty && faults.nextIdle == 6 * Self.second)
        #expect(faults.popIdle(at: 6 * Self.second).map(\.near.port) == [40_002])
    }

    /// A firewall that has forgotten what was idle is found out by the next packet only.
    @Test func otherFaultsWaitForThePacketAfterIt() throws {
        let faults = try faults(#"{"after": {"idle": "5 s"}}"#, "lose silently from here")
        #expect(faults.start(with: [try open()], at: 0).isEmpty && faults.nextIdle == .max)
        #expect(!faults.loses(.data([1]), at: 5 * Self.second - 1))
        #expect(faults.loses(.data([1]), at: 10 * Self.second - 1) && faults.loses(.data([1]), at: 10 * Self.second))
    }

    @Test func chanceDecidesOnceAboutAnIdleTime() throws {
        let faults = try faults(#"{"probability": "50 %", "after": {"idle": "5 s"}}"#)
        for number in 0..<200 { _ = faults.decide(.opening { $0.client.port = 1_000 + number }) }
        #expect(60...140 ~= faults.popIdle(at: 5 * Self.second).count)
        #expect(faults.popIdle(at: 60 * Self.second).isEmpty)
    }
}
