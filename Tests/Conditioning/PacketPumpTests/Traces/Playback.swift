// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Foundation
import LinkEmulation
import LinkProfiles
import TestKit
import Testing

@testable import PacketPump

/// Recordings played through a pump whose lanes always have packets queued, and the bytes received in each second.
///
/// The test counts packets at the receiving socket, by the time at which the kernel received them from the pump
/// (SO_TIMESTAMPNS). This is independent of the pump's own log and of the receiver's delays.
struct Playback {
    /// One second of a lane, counted from the recording's start.
    struct Second: CustomStringConvertible {
        let lane: Lane
        let number: Int
        let allowed: Double
        var delivered = 0.0

        /// Within 1 % and one packet, which may be partly sent when the second begins or ends: it is more than 1 % if a
        /// second allows fewer than a hundred packets.
        var isRight: Bool { abs(delivered - allowed) <= 0.01 * allowed + 1514 }

        var description: String { "\(lane) \(number) s: \(Int(delivered)) of \(Int(allowed)) bytes" }
    }

    /// The test's own sender had no time: the play says nothing.
    struct FellBehind: Error, CustomStringConvertible {
        let lane: Lane

        var description: String { "the sender of \(lane) fell behind" }
    }

    private let pump: LoopbackPump
    private var lanes: [PlayedLane]
    /// The recordings' start on the clock of the kernel's timestamps.
    private var start: Int64 = 0

    private struct PlayedLane {
        let lane: Lane
        let recording: Recording
        let sender: LoopbackSocket
        let receiver: LoopbackSocket
        let maximum: Int
        var seconds: [Second]
        var isFilled = false
        var ranDry = false
    }

    /// Plays the recordings for some seconds; only inside ``PrivateNetwork/run(_:)``. The result omits the first second,
    /// because the senders start after the recordings.
    static func seconds(uplink: Recording?, downlink: Recording?, _ seconds: Int) throws -> [Second] {
        var playback = try Playback(uplink, downlink, seconds)
        try playback.play(seconds)
        return playback.lanes.flatMap { $0.seconds.dropFirst() }
    }

    private init(_ uplink: Recording?, _ downlink: Recording?, _ seconds: Int) throws {
        pump = try LoopbackPump()
        let client = try LoopbackSocket.udp(port: 7_000)
        let server = try LoopbackSocket.udp(port: 6_000)
        try client.connect(to: 6_000)
        try server.connect(to: 7_000)
        // SO_TIMESTAMPNS of socket(7).
        for socket in [client, server] { try socket.set(SOL_SOCKET, 35, 1) }
        // Makes the client the opener, before there are conditions.
        client.send(numbered(0))
        _ = server.receive()
        lanes = [(Lane.uplink, uplink, client, server), (.downlink, downlink, server, client)]
            .compactMap { lane, recording, sender, receiver in
                guard let recording else { return nil }
                let allowed = recording.allowed(seconds: seconds)
                return PlayedLane(
                    lane: lane,
                    recording: recording,
                    sender: sender,
                    receiver: receiver,
                    // Two of the busiest seconds, in packets of half the largest size: far longer than this sleeps.
                    maximum: Int(2 * (allowed.max() ?? 0) / 750) + 100,
                    seconds: allowed.enumerated().map { Second(lane: lane, number: $0.offset, allowed: $0.element) }
                )
            }
        let conditions = PumpConditions(
            uplink: try uplink?.conditions,
            downlink: try downlink?.conditions,
            seed: 1
        )
        // The recordings start with the call; if the thread was interrupted, it is repeated.
        for _ in 0..<100 {
            start = lc_monotonic_time()
            pump.pump.use(conditions)
            if lc_monotonic_time() - start < 2_000_000 { break }
        }
        // The largest difference is the one with the least time between the two readings.
        start += (0..<10).map { _ in lc_wall_time() - lc_monotonic_time() }.max() ?? 0
    }

    private mutating func play(_ seconds: Int) throws {
        var dice = SeededGenerator(seed: 1)
        let end = start + Int64(seconds) * 1_000_000_000
        while lc_wall_time() < end {
            let reading = pump.pump.counters.read()
            for index in lanes.indices {
                fill(index, queued: Int(reading[lanes[index].lane].queued), &dice)
                drain(index)
            }
            usleep(2_000)
        }
        // Packets from before the end may not have been counted yet.
        usleep(100_000)
        for index in lanes.indices {
            drain(index)
            if lanes[index].ranDry { throw FellBehind(lane: lanes[index].lane) }
        }
    }

    /// Between two calls a lane only empties: the number of queued packets now is the minimum.
    private mutating func fill(_ index: Int, queued: Int, _ dice: inout SeededGenerator) {
        let lane = lanes[index]
        if queued > 0 { lanes[index].isFilled = true } else if lane.isFilled { lanes[index].ranDry = true }
        guard queued < lane.maximum / 2 else { return }
        for _ in queued..<lane.maximum {
            let size = Int.random(in: 18...1472, using: &dice)
            lane.sender.send(big(size, 4) + [UInt8](repeating: 0, count: size - 4))
        }
    }

    private mutating func drain(_ index: Int) {
        var datagrams = [lc_datagram](repeating: lc_datagram(), count: 32)
        while true {
            let count = lc_receive_datagrams(lanes[index].receiver.descriptor, &datagrams, Int32(datagrams.count))
            guard count > 0 else { return }
            for datagram in datagrams.prefix(Int(count)) {
                let second = Int((datagram.time - start) / 1_000_000_000)
                guard second < lanes[index].seconds.count else { continue }
                let size = withUnsafeBytes(of: datagram.bytes) { number(of: Array($0.prefix(4))) }
                // IPv4 and UDP have 28 bytes.
                lanes[index].seconds[second].delivered += Double(size + 28 + lanes[index].recording.header)
            }
        }
    }
}
