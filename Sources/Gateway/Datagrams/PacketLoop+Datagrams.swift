// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import PacketPump
internal import SocketServing

extension DatagramTable {
    /// Numbers from here on are of datagrams, those below of connections.
    static let firstNumber: UInt64 = 1 << 32
}

/// Datagrams of UDP, and ICMP echo.
extension PacketLoop {
    /// Sends a client's datagrams: one, or those of a super-packet.
    func send(_ packet: TransportPacket) {
        let isEcho = packet.layout.kind == .icmp
        let requests: UInt8 = packet.layout.isIPv6 ? 128 : 8
        guard !isEcho || packet.layout.messageType == requests else { return }
        let (source, destination) = packet.ends
        // An echo has an identifier, and no port of the other end.
        let server = isEcho ? Endpoint(address: destination.address, port: 0) : destination
        guard let target = destinations.outside(server) else { return }
        let (number, isNew) = datagrams.flow(of: .init(end: source, isEcho: isEcho), now: now)
        let start = Int(isEcho ? packet.layout.transport : packet.layout.payload)
        let payload = UnsafeRawBufferPointer(start: packet.bytes + start, count: packet.layout.end - start)
        if isNew {
            if let oldest = datagrams.oldestIfFull { end(oldest) }
            let name = DatagramTable.firstNumber + number
            let question = SocketQuestion(isEcho ? .echo : .datagrams, number: name, target.socketAddress)
            if question.send(to: opener) != 0 { return end(number) }
        }
        guard let socket = datagrams.flows[number]?.socket else {
            return datagrams.wait(.init(payload: Array(payload), destination: target), for: number)
        }
        let header = packet.start.load(as: VirtioHeader.self)
        send(payload, to: target, from: socket, segment: header.segmentation == .udp ? header.segmentSize : 0)
    }

    private func send(_ payload: UnsafeRawBufferPointer, to target: Endpoint, from socket: CInt, segment: UInt16) {
        var address = target.socketAddress
        let start = payload.baseAddress?.assumingMemoryBound(to: UInt8.self)
        lc_send_segments(socket, &address, start, UInt32(payload.count), segment)
    }

    /// A flow has its socket now, or the reason why it has none.
    func openDatagrams(_ answer: SocketAnswer, _ socket: CInt) {
        let number = answer.number - DatagramTable.firstNumber
        guard socket >= 0 else { return end(number) }
        guard let waiting = datagrams.open(number, socket) else {
            close(socket)
            return
        }
        let owner = DatagramSocketOwner(number, self)
        do {
            owner.watch = try loop.watch(socket, for: .readable, owner: owner)
        } catch {
            return end(number)
        }
        datagramOwners[number] = owner
        for datagram in waiting {
            datagram.payload.withUnsafeBytes { send($0, to: datagram.destination, from: socket, segment: 0) }
        }
    }

    private func end(_ number: UInt64) {
        datagramOwners.removeValue(forKey: number)?.watch?.end()
        if let socket = datagrams.remove(number)?.socket { close(socket) }
    }

    /// Reads what has come for a client.
    fileprivate func receiveDatagrams(_ number: UInt64) {
        guard let flow = datagrams.flows[number], let socket = flow.socket else { return }
        datagrams.use(number, now: now)
        let client = flow.client.end
        let (header, transport) = (flow.client.isEcho ? 0 : 8, UInt8(flow.client.isEcho ? client.isIPv4 ? 1 : 58 : 17))
        let offset = VirtioHeader.size + (client.isIPv4 ? 20 : 40) + header
        for _ in 0..<Self.batch {
            var datagram = lc_datagram()
            let bytes = (packet + offset).assumingMemoryBound(to: UInt8.self)
            guard lc_receive_whole(socket, &datagram, bytes, UInt32(Self.room - offset)) == 0 else { return }
            let length = header + min(Int(datagram.length), Self.room - offset)
            let sender = Endpoint(datagram.address)
            let source = destinations.inside(sender) ?? sender
            // A packet of IP has its length in 16 bits; what is longer has come in no such packet.
            guard length <= 65_535 - (client.isIPv4 ? 20 : 0), length >= 8 else { continue }
            let segment = NewPacket.begin(from: source, to: client, transport: transport, length: length, to: reply)
            (segment + header).copyMemory(from: bytes, byteCount: length - header)
            if flow.client.isEcho {
                segment.setWord(4, client.port)
            } else {
                segment.setWord(0, source.port)
                segment.setWord(2, client.port)
                segment.setWord(4, UInt16(truncatingIfNeeded: length))
            }
            let field = flow.client.isEcho ? 2 : 6
            NewPacket.complete(segment, checksumAt: field, isIPv6: !client.isIPv4, length: length, transport: transport)
            write(reply, offset - header + length, to: sandbox)
        }
    }

    /// Gives a client the errors that its datagrams have met.
    fileprivate func receiveErrors(_ number: UInt64) {
        guard let flow = datagrams.flows[number], let socket = flow.socket else { return }
        _ = lc_take_pending_error(socket)
        var error = lc_socket_error()
        for _ in 0..<Self.batch where lc_take_error(socket, &error) == 0 {
            guard error.is_icmp != 0, error.offender.length > 0, error.destination.length > 0 else { continue }
            tell(error, to: flow.client)
        }
    }

    /// Sends the error of ICMP that says what became of a datagram, about the packet that it was in the sandbox.
    private func tell(_ error: lc_socket_error, to client: DatagramTable.Client) {
        let end = client.end
        let destination = Endpoint(error.destination)
        let server = destinations.inside(destination) ?? destination
        let (header, transport) = (client.isEcho ? 0 : 8, UInt8(client.isEcho ? end.isIPv4 ? 1 : 58 : 17))
        let quoted = min(Int(error.length), 128)
        guard quoted + header >= 8 else { return }
        let segment = NewPacket.begin(from: end, to: server, transport: transport, length: header + quoted, to: packet)
        withUnsafeBytes(of: error.bytes) { bytes in
            if let start = bytes.baseAddress { (segment + header).copyMemory(from: start, byteCount: quoted) }
        }
        if client.isEcho {
            segment.setWord(4, end.port)
        } else {
            segment.setWord(0, end.port)
            segment.setWord(2, server.port)
            segment.setWord(4, UInt16(truncatingIfNeeded: header + quoted))
        }
        let count = VirtioHeader.size + (end.isIPv4 ? 20 : 40) + header + quoted
        guard let about = TransportPacket(packet, count: count) else { return }
        let message = Refusal.Message(type: error.type, code: error.code)
        let router = Endpoint(error.offender)
        write(reply, Refusal.error(message, about: about, from: router, to: reply), to: sandbox)
    }
}

/// The socket of a client's datagrams.
final class DatagramSocketOwner: DescriptorOwner {
    fileprivate(set) var watch: DescriptorWatch?
    private let number: UInt64
    private unowned let packets: PacketLoop

    fileprivate init(_ number: UInt64, _ packets: PacketLoop) { (self.number, self.packets) = (number, packets) }

    func descriptorIsReady(_ readiness: Readiness) {
        if readiness.contains(.failed) { packets.receiveErrors(number) }
        packets.receiveDatagrams(number)
    }

    func loopHasEnded() { if let watch { close(watch.descriptor) } }
}
