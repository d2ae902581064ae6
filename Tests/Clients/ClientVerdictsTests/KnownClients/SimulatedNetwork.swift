// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Foundation
import TestKit

@testable import ClientVerdicts
@testable import TestPackets

/// A server, and what it does with a request.
struct SimulatedService {
    enum Manner { case serves, refuses, ignores }
    enum Afterwards { case keeps, finishes, resets }

    var host: UInt8
    var port: UInt16
    var manner = Manner.serves
    /// How long it thinks, in nanoseconds; nil if it never answers.
    var thinking: Int64? = 0
    var status = 200
    var bytes = 10
    var afterwards = Afterwards.keeps
    var isHTTP = true

    /// What it answers.
    var answer: [UInt8] {
        let body = Array(repeating: UInt8(ascii: "x"), count: bytes)
        guard isHTTP else { return body }
        return Array("HTTP/1.1 \(status) Words\r\nContent-Length: \(bytes)\r\n\r\n".utf8) + body
    }
}

/// A client's kernel, a link, and the kernels and processes of servers.
final class SimulatedNetwork {
    let clock: SimulatedClock
    let link: SimulatedLink
    let services: [SimulatedService]
    /// The IP packets that were sent: when, and how long.
    private(set) var sent: [(time: Int64, bytes: Int)] = []
    /// When queries for names were sent.
    private(set) var queries: [Int64] = []
    /// How long a name server thinks.
    var nameDelay = Int64.ms(5)
    private var sockets: [SimulatedEnds: SimulatedTCP] = [:]
    private var accepted: [SimulatedEnds: SimulatedTCP] = [:]
    private var generator: SeededGenerator
    /// Takes the identifiers of answers to queries.
    var onName: (UInt8) -> Void = { _ in }

    init(_ clock: SimulatedClock, _ link: SimulatedLink, _ services: [SimulatedService], seed: UInt64) {
        (self.clock, self.link, self.services) = (clock, link, services)
        generator = SeededGenerator(seed: seed)
        link.deliver = { [unowned self] in receive($0) }
    }

    private func send(_ packet: TestPacket) {
        sent.append((clock.now, packet.bytes.count))
        link.send(packet, at: clock.now)
    }

    /// Makes the socket of a client.
    func socket(_ ends: SimulatedEnds) -> SimulatedTCP {
        let socket = SimulatedTCP(
            ends,
            isClient: true,
            initial: UInt32.random(in: 0 ... .max, using: &generator),
            clock
        ) {
            [unowned self] in send($0)
        }
        sockets[ends] = socket
        return socket
    }

    private func receive(_ packet: TestPacket) {
        guard let flags = packet.flags else { return receiveDatagram(packet) }
        let ends = SimulatedEnds(clientPort: packet.clientPort, host: packet.host, serverPort: packet.serverPort)
        let known = packet.isFromClient ? accepted[ends] : sockets[ends]
        if let known, known.state != .gone, known.state != .waiting || flags != [.syn] { return known.receive(packet) }
        if packet.isFromClient, flags == [.syn], let service = service(of: packet), service.manner != .refuses {
            return service.manner == .serves ? accept(packet, ends, service) : ()
        }
        guard !flags.contains(.reset) else { return }
        var reset = packet
        reset.isFromClient.toggle()
        (reset.payload, reset.sequence, reset.acknowledgment) = ([], packet.acknowledgment, 0)
        reset.flags = [.reset]
        if !flags.contains(.acknowledgment) {
            (reset.sequence, reset.acknowledgment) = (0, packet.sequence &+ 1)
            reset.flags = [.reset, .acknowledgment]
        }
        send(reset)
    }

    private func service(of packet: TestPacket) -> SimulatedService? {
        services.first { $0.host == packet.host && $0.port == packet.serverPort }
    }

    private func accept(_ packet: TestPacket, _ ends: SimulatedEnds, _ service: SimulatedService) {
        let socket = SimulatedTCP(
            ends,
            isClient: false,
            initial: UInt32.random(in: 0 ... .max, using: &generator),
            clock
        ) { [unowned self] in send($0) }
        accepted[ends] = socket
        var input: [UInt8] = []
        socket.onData = { [clock, unowned socket] bytes in
            input += bytes
            while let length = service.isHTTP ? Self.requestLength(input) : input.count, length > 0 {
                input.removeFirst(length)
                guard let thinking = service.thinking else { continue }
                clock.after(thinking) { [weak socket] in
                    guard let socket, socket.state != .gone else { return }
                    if service.afterwards == .resets { return socket.abort() }
                    socket.write(service.answer)
                    if service.afterwards == .finishes { socket.close(holding: true) }
                }
            }
        }
        socket.onFinish = { [clock, weak socket] in clock.after(.ms(1)) { socket?.close() } }
        socket.receive(packet)
    }

    /// The length of the request at the start of these bytes; nil if it is not whole.
    private static func requestLength(_ bytes: [UInt8]) -> Int? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n")?.upperBound else { return nil }
        let length = text.range(of: "Content-Length: ").flatMap { Int(text[$0.upperBound...].prefix { $0.isNumber }) }
        let whole = text[..<end].utf8.count + (length ?? 0)
        return whole <= bytes.count ? whole : nil
    }

    // MARK: Names

    /// Asks for the address of a name.
    func ask(_ name: String, _ identifier: UInt8, port: UInt16) {
        queries.append(clock.now)
        send(Self.message(name, identifier, port))
    }

    private static func message(_ name: String, _ identifier: UInt8, _ port: UInt16) -> TestPacket {
        var packet = TestPacket()
        (packet.clientPort, packet.serverPort, packet.host) = (port, 53, 53)
        let labels: [UInt8] = name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        packet.payload = [0, identifier, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0] + labels + [0, 0, 1, 0, 1]
        return packet
    }

    private func receiveDatagram(_ packet: TestPacket) {
        guard packet.isFromClient else { return onName(packet.payload[1]) }
        clock.after(nameDelay) { [self] in
            var answer = packet
            answer.isFromClient = false
            (answer.payload[2], answer.payload[3], answer.payload[7]) = (0x81, 0x80, 1)
            answer.payload += [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4] + TestPacket.server4
            send(answer)
        }
    }

    /// The client's sockets.
    var clientSockets: [SimulatedTCP] {
        sockets.values.sorted { ($0.ends.clientPort, $0.ends.serverPort) < ($1.ends.clientPort, $1.ends.serverPort) }
    }
}
