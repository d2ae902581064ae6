// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProfiles
import TestKit
import Testing

@testable import PacketPump

/// The account of a pump's flows, beside the counters of its lanes.
@Suite(.enabled(if: PrivateNetwork.canPump, "needs root, /dev/net/tun, tc and ip"), .serialized)
struct FlowAccountTests {
    /// Waits until the account has read what the pump has recorded.
    private func flows(_ account: FlowAccount, _ pump: LoopbackPump) -> ([FlowEntry], CounterPage.Reading) {
        let counters = pump.settled()
        let left = counters.uplink.left + counters.downlink.left
        var flows: [FlowEntry] = []
        _ = HangLimit.waits {
            flows = account.page.flows()
            return flows.reduce(0) { $0 + $1.up.deliveredPackets + $1.down.deliveredPackets } == left
        }
        return (flows, counters)
    }

    @Test(arguments: [
        "{}", #"{"loss": "20 %", "duplicate": "10 %"}"#, #"{"rate": "200 kbit/s", "queue": "20 packets"}"#,
    ])
    func addsUpToTheCountersOfTheLanes(uplink: String) throws {
        try PrivateNetwork.run {
            let pump = try LoopbackPump(try conditions(uplink, #"{"delay": "3 ms"}"#))
            let account = try #require(FlowAccount(of: pump.pump))
            _ = try LoopbackSocket.udp(port: 6_000)
            for _ in 0..<3 {
                let client = try LoopbackSocket.udp()
                try client.connect(to: 6_000)
                for round in 0..<100 { client.send(numbered(round, 300)) }
            }
            let (flows, counters) = flows(account, pump)
            #expect(flows.count { $0.transport == 17 } == 3)
            let lanes = [counters.uplink, counters.downlink]
            for (lane, traffic) in zip(lanes, [\FlowEntry.up, \.down]) {
                let all = flows.map { $0[keyPath: traffic] }
                #expect(all.reduce(0) { $0 + $1.deliveredPackets } == lane.left)
                #expect(all.reduce(0) { $0 + $1.deliveredBytes } == lane.leftBytes)
                #expect(all.reduce(0) { $0 + $1.seenPackets } == lane.arrived)
                #expect(all.reduce(0) { $0 + $1.seenBytes } == lane.arrivedBytes)
            }
            for reason in DropReason.plain {
                let drops = flows.reduce(0) { $0 + $1.drops(reason) }
                #expect(drops == lanes.reduce(0) { $0 + $1.drops(reason) }, "\(reason)")
            }
            #expect(account.page.lost == 0 && account.page.replaced == 0)
        }
    }

    @Test func measuresTheDelaysOfALane() throws {
        try PrivateNetwork.run {
            let pump = try LoopbackPump(try conditions(#"{"delay": "20 ms"}"#))
            let account = try #require(FlowAccount(of: pump.pump))
            let server = try LoopbackSocket.udp(port: 6_000)
            let client = try LoopbackSocket.udp()
            try client.connect(to: 6_000)
            for round in 0..<50 { client.send(numbered(round)) }
            #expect(pump.receiveAll(at: server).count == 50)
            _ = flows(account, pump)
            let delays = account.page.delays(of: .uplink)
            #expect(delays.packets == 50)
            // Never earlier; later only where this machine is busy.
            #expect(delays.nanoseconds >= 50 * 20_000_000)
            #expect(account.page.delays(of: .downlink).packets == 0)
        }
    }

    @Test func countsTheRetransmissionsOfAConnection() throws {
        try PrivateNetwork.run {
            let pump = try LoopbackPump(try conditions(#"{"loss": "5 %", "delay": "1 ms"}"#))
            let account = try #require(FlowAccount(of: pump.pump))
            let bytes = [UInt8](repeating: 7, count: 300_000)
            #expect(try LoopbackSocket.transfer(bytes, port: 6_000, isIPv6: false) == bytes)
            let flow = try #require(flows(account, pump).0.first { $0.transport == 6 })
            let lost = flow.drops(.randomLoss)
            #expect(lost > 0 && flow.up.retransmissions >= lost / 2)
            #expect(flow.up.retransmissions < flow.up.seenPackets / 2)
            #expect(flow.opener == .uplink && flow.peerEnd?.port == 6_000)
            #expect([.closed, .closing, .reset].contains(flow.state))
        }
    }

    /// A reader that was killed does not renew.
    @Test func endsUnlessItIsRenewed() throws {
        try PrivateNetwork.run {
            let pump = try LoopbackPump(try conditions("{}"))
            let account = try #require(FlowAccount(of: pump.pump, timeout: .milliseconds(50)))
            #expect(account.renew(for: .milliseconds(200)))
            let server = try LoopbackSocket.udp(port: 6_000)
            let client = try LoopbackSocket.udp()
            try client.connect(to: 6_000)
            #expect(HangLimit.waits { !account.renew(for: .zero) })
            pump.pump.finishRound()
            for round in 0..<10 { client.send(numbered(round)) }
            #expect(pump.receiveAll(at: server).count == 10)
            usleep(60_000)
            #expect(account.page.flows().isEmpty)
        }
    }
}
