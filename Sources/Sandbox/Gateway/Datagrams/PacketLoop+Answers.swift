// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import PacketPump

/// UDP datagrams and ICMP echoes from servers to clients, and the ICMP errors that clients' datagrams have caused.
extension PacketLoop {
    /// Reads datagrams from the socket of a flow, and delivers them to its client: at most a batch.
    func receiveDatagrams(_ number: UInt64) {
        guard let flow = datagrams.flows[number], let socket = flow.socket else { return }
        datagrams.use(number, now: now)
        let client = flow.client
        let (header, lead) = (client.isEcho ? 0 : 8, client.end.isIPv4 ? 20 : 40)
        let offset = VirtioHeader.size + lead + header
        for _ in 0..<Self.batch {
            var datagram = lc_datagram()
            let bytes = (packet + offset).assumingMemoryBound(to: UInt8.self)
            guard lc_receive_whole(socket, &datagram, bytes, UInt32(Self.room - offset)) == 0 else { return }
            // An IPv4 raw socket returns the IP header, too.
            let skipped = flow.identifier != 0 && client.end.isIPv4 ? Int(bytes.pointee & 0xF) * 4 : 0
            let length = header + min(Int(datagram.length), Self.room - offset) - skipped
            // IP has 16 bits for a packet's length; no packet can carry a longer datagram, or an incomplete header.
            guard length <= 65_535 - (client.end.isIPv4 ? 20 : 0), length >= 8 else { continue }
            let sender = FlowEndpoint(datagram.address)
            let source = destinations.inside(sender) ?? sender
            guard source.isIPv4 == client.end.isIPv4 else { continue }
            let segment = NewPacket.begin(
                from: source,
                to: client.end,
                transport: client.transport,
                length: length,
                to: reply
            )
            DatagramHeader.write(datagram, to: segment - lead, isIPv6: !client.end.isIPv4)
            (segment + header).copyMemory(from: bytes + skipped, byteCount: length - header)
            client.name(segment, source: source.port, destination: client.end.port, length: length)
            NewPacket.complete(
                segment,
                checksumAt: client.isEcho ? 2 : 6,
                isIPv6: !client.end.isIPv4,
                length: length,
                transport: client.transport
            )
            deliver(VirtioHeader.size + lead + length, to: client.end)
        }
    }

    /// Sends a client the ICMP errors in the error queue of its flow's socket.
    func receiveErrors(_ number: UInt64) {
        guard let flow = datagrams.flows[number], let socket = flow.socket else { return }
        _ = lc_take_pending_error(socket)
        var error = lc_socket_error()
        for _ in 0..<Self.batch {
            guard lc_take_error(socket, &error) == 0 else { return }
            guard error.is_icmp != 0, error.offender.length > 0, error.destination.length > 0 else { continue }
            // A raw socket gets the errors of all echo requests.
            if flow.identifier != 0 {
                let identifier = UInt16(error.bytes.4) << 8 | UInt16(error.bytes.5)
                guard error.length >= 8, identifier == flow.identifier else { continue }
            }
            tell(error, to: flow.client)
        }
    }

    /// Sends a client the ICMP error for a datagram that this machine could not send: it is too big for its path, or
    /// has no route.
    func refuse(_ datagram: lc_datagram, _ payload: UnsafeRawBufferPointer, of number: UInt64, _ code: CInt) {
        guard let flow = datagrams.flows[number], let socket = flow.socket else { return }
        var error = lc_socket_error()
        if code == EMSGSIZE {
            // The error queue has the MTU of the path.
            while lc_take_error(socket, &error) == 0, error.mtu == 0 || error.is_icmp != 0 {}
            guard error.mtu > 0 else { return }
        } else {
            _ = lc_take_pending_error(socket)
            return refuse(payload, to: FlowEndpoint(datagram.address), of: number, code)
        }
        _ = lc_take_pending_error(socket)
        tell(error, of: payload, to: datagram.address, flow.client)
    }

    /// Sends a client the ICMP error that corresponds to errno `code`, also for a flow without a socket.
    func refuse(_ payload: UnsafeRawBufferPointer, to target: FlowEndpoint, of number: UInt64, _ code: CInt) {
        // Datagrams that a full buffer refuses are lost, as on a link.
        guard let flow = datagrams.flows[number],
            let message = Refusal.Message(error: code, isIPv6: !flow.client.end.isIPv4)
        else { return }
        var error = lc_socket_error()
        (error.type, error.code) = (message.type, message.code)
        tell(error, of: payload, to: target.socketAddress, flow.client)
    }

    private func tell(
        _ error: lc_socket_error,
        of payload: UnsafeRawBufferPointer,
        to target: lc_address,
        _ client: DatagramTable.Client
    ) {
        var error = error
        error.destination = target
        error.length = UInt32(min(payload.count, 128))
        withUnsafeMutableBytes(of: &error.bytes) { $0.copyMemory(from: .init(rebasing: payload.prefix(128))) }
        tell(error, to: client)
    }

    /// Sends an ICMP error about a client's datagram. It quotes the datagram with the addresses that it had in the
    /// sandbox.
    private func tell(_ error: lc_socket_error, to client: DatagramTable.Client) {
        let isIPv6 = !client.end.isIPv4
        let destination = FlowEndpoint(error.destination)
        let server = destinations.inside(destination) ?? destination
        guard server.isIPv4 == !isIPv6 else { return }
        let header = client.isEcho ? 0 : 8
        let quoted = min(Int(error.length), 128)
        guard quoted + header >= 8 else { return }
        let length = header + quoted
        let segment = NewPacket.begin(
            from: client.end,
            to: server,
            transport: client.transport,
            length: length,
            to: packet
        )
        withUnsafeBytes(of: error.bytes) { bytes in
            if let start = bytes.baseAddress { (segment + header).copyMemory(from: start, byteCount: quoted) }
        }
        client.name(segment, source: client.end.port, destination: server.port, length: length)
        let count = VirtioHeader.size + (isIPv6 ? 40 : 20) + length
        guard let about = TransportPacket(packet, count: count) else { return }
        // With an MTU, the datagram was too big for its path; otherwise the original ICMP error is passed on.
        let message =
            error.mtu > 0
            ? Refusal.Message(type: isIPv6 ? 2 : 3, code: isIPv6 ? 0 : 4, mtu: error.mtu)
            : Refusal.Message(type: error.type, code: error.code)
        let offender = FlowEndpoint(error.offender)
        let isRouter = error.is_icmp != 0 && error.offender.length > 0 && offender.isIPv4 == !isIPv6
        let router = isRouter ? offender : server
        write(reply, Refusal.error(message, about: about, from: router, to: reply), to: client.end)
    }
}

extension DatagramTable.Client {
    /// The IP protocol number: ICMP, ICMPv6 or UDP.
    fileprivate var transport: UInt8 { isEcho ? end.isIPv4 ? 1 : 58 : 17 }

    /// Writes the ports and the length of a datagram, or the identifier of an echo.
    fileprivate func name(_ segment: UnsafeMutableRawPointer, source: UInt16, destination: UInt16, length: Int) {
        guard !isEcho else { return segment.setWord(4, end.port) }
        segment.setWord(0, source)
        segment.setWord(2, destination)
        segment.setWord(4, UInt16(truncatingIfNeeded: length))
    }
}
