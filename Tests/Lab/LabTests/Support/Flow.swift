// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit

/// A one-way stream of UDP datagrams that keeps the bottleneck busy.
enum Flow {
    private static let warmUp = 8

    /// The bits a second of payload that arrive, by the median time from one arrival to the next: hosts that have just come up
    /// send their multicast reports (MLD) through the same bottleneck, most of them in a warm-up of eight datagrams.
    ///
    /// - Parameters:
    ///   - interval: seconds between two datagrams; shorter than the bottleneck needs for one.
    ///   - count: how many arrivals to wait for.
    static func goodput(
        from sender: String,
        to receiver: String,
        address: String,
        payload: Int,
        interval: Double,
        count: Int
    ) throws -> Double? {
        let isIPv6 = address.contains(":")
        let port: UInt16 = 7001
        let sink = try UDPSocket(in: receiver, ipv6: isIPv6, port: port)
        let source = try UDPSocket(in: sender, ipv6: isIPv6, port: 7000)
        var arrivals: [Double] = []
        var next = now()
        let deadline = next + UDPSocket.timeout
        while arrivals.count < warmUp + count, now() < deadline {
            let time = now()
            if time >= next {
                source.send(payload, to: address, port)
                next += interval
            }
            if sink.receive(within: min(max(next - now(), 0), 0.005)) == payload {
                arrivals.append(now())
            }
        }
        guard arrivals.count == warmUp + count else { return nil }
        let gaps = zip(arrivals.dropFirst(warmUp), arrivals.dropFirst(warmUp + 1)).map { $1 - $0 }.sorted()
        return Double(payload * 8) / ((gaps[(gaps.count - 1) / 2] + gaps[gaps.count / 2]) / 2)
    }

    /// The goodput of datagrams of 1400 bytes, as a share of the payload that 32 kbit/s carry beside the headers.
    static func shareOfSlowNet(from sender: String, to receiver: String, address: String) throws -> Double? {
        let payload = 1400
        let frame = Double(payload) + (address.contains(":") ? 62 : 42)
        let goodput = try goodput(
            from: sender,
            to: receiver,
            address: address,
            payload: payload,
            interval: 0.25,
            count: 9
        )
        return goodput.map { $0 / (32000 * Double(payload) / frame) }
    }

    /// What is wrong with shares of Slow Net's rate: nil if all are within a hundredth of it.
    static func fault(_ shares: [Double?]) throws -> String? {
        for share in shares {
            guard let share else { throw TestFailure("no datagrams came: \(shares)") }
            if abs(share - 1) > 0.01 { return "shares: \(shares)" }
        }
        return nil
    }

    /// Expects that nothing slows datagrams down: they are sent at 11 Mbit/s, and Slow Net would carry 32 kbit/s.
    static func expectFree(from sender: String, to receiver: String, address: String, count: Int) throws {
        try Measurements.settle {
            let goodput = try goodput(
                from: sender,
                to: receiver,
                address: address,
                payload: 1400,
                interval: 0.001,
                count: count
            )
            guard let goodput else { throw TestFailure("no datagrams came") }
            return goodput > 5_000_000 ? nil : "goodput: \(goodput) bit/s"
        }
    }

    /// Milliseconds from sending a small datagram to getting it back, the shortest of five; nil when one is lost.
    static func roundTrip(from near: String, to far: String, address: String, port: UInt16) throws -> Double? {
        let isIPv6 = address.contains(":")
        let server = try UDPSocket(in: far, ipv6: isIPv6, port: port)
        let client = try UDPSocket(in: near, ipv6: isIPv6, port: 0)
        let answering = Thread { for _ in 0..<5 where server.echo(within: UDPSocket.timeout) {} }
        answering.start()
        var times: [Double] = []
        for _ in 0..<5 {
            let start = now()
            client.send(32, to: address, port)
            guard client.receive(within: UDPSocket.timeout) == 32 else { return nil }
            times.append((now() - start) * 1000)
        }
        return times.min()
    }
}
