// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import CapturedPackets
import Glibc
internal import PacketPump
internal import SocketServing

extension DatagramTable {
    /// Numbers from here on identify datagram flows in messages to and from the opener; lower numbers identify
    /// connections.
    static let firstNumber: UInt64 = 1 << 32
}

/// UDP datagrams and ICMP echoes from clients to servers.
extension PacketLoop {
    /// Sends a client's packet: one datagram, or several if it is a super-packet. Has a socket opened for a new flow.
    func send(_ packet: TransportPacket, _ device: UInt32) {
        let isEcho = packet.layout.kind == .icmp
        let requests: UInt8 = packet.layout.isIPv6 ? 128 : 8
        guard !isEcho || packet.layout.messageType == requests else { return }
        let ends = packet.ends(from: device)
        // An echo has an identifier, but no port of the server.
        let server = isEcho ? FlowEndpoint(address: ends.server.address, port: 0) : ends.server
        guard let target = destinations.outside(server) else { return }
        let (number, isNew) = datagrams.flow(of: .init(end: ends.client, isEcho: isEcho), now: now)
        let start = Int(isEcho ? packet.layout.transport : packet.layout.payload)
        let payload = UnsafeMutableRawBufferPointer(start: packet.bytes + start, count: packet.layout.end - start)
        if isNew {
            if let oldest = datagrams.oldestIfFull { end(oldest) }
            let name = DatagramTable.firstNumber + number
            let question = SocketQuestion(isEcho ? .echo : .datagrams, number: name, target.socketAddress)
            if question.send(to: opener) != 0 { return end(number) }
        }
        let datagram = DatagramHeader(packet)
        guard datagrams.flows[number]?.socket != nil else {
            return datagrams.wait(.init(payload: Array(payload), destination: target, header: datagram), for: number)
        }
        let header = packet.start.load(as: VirtioHeader.self)
        send(payload, datagram, to: target, of: number, segment: header.segmentation == .udp ? header.segmentSize : 0)
    }

    private func send(
        _ payload: UnsafeMutableRawBufferPointer,
        _ header: DatagramHeader,
        to target: FlowEndpoint,
        of number: UInt64,
        segment: UInt16
    ) {
        guard let flow = datagrams.flows[number], let socket = flow.socket, let start = payload.baseAddress else {
            return
        }
        let isIPv6 = !target.isIPv4
        if datagrams.permitsOtherwise(number, header.mayBeCut) {
            lc_permit_fragments(socket, isIPv6 ? 1 : 0, header.mayBeCut ? 1 : 0)
        }
        if flow.identifier != 0 { name(payload, flow.identifier, isIPv6: isIPv6) }
        var datagram = lc_datagram()
        datagram.address = target.socketAddress
        datagram.length = UInt32(payload.count)
        datagram.hop_limit = CInt(header.hopLimit)
        datagram.traffic_class = CInt(header.trafficClass)
        let bytes = start.assumingMemoryBound(to: UInt8.self)
        let result = lc_send_whole(socket, &datagram, bytes, segment)
        if result < 0 { refuse(datagram, UnsafeRawBufferPointer(payload), of: number, -result) }
    }

    /// Writes a raw socket's identifier and the checksum into an echo request; the kernel completes ICMPv6's checksum.
    private func name(_ echo: UnsafeMutableRawBufferPointer, _ identifier: UInt16, isIPv6: Bool) {
        guard let start = echo.baseAddress, echo.count >= 8 else { return }
        start.setWord(4, identifier)
        start.setWord(2, 0)
        guard !isIPv6 else { return }
        var sum = Checksum()
        sum.add(start, echo.count)
        start.setWord(2, sum.complement)
    }

    /// Handles the opener's answer for a flow: sends the waiting datagrams over the new socket, or refuses them and
    /// ends the flow.
    func openDatagrams(_ answer: SocketAnswer, _ socket: CInt) {
        let number = answer.number - DatagramTable.firstNumber
        guard socket >= 0 else {
            // Datagrams that this machine's user may not send are answered with an ICMP error, as outside: they must
            // not seem lost.
            for datagram in datagrams.flows[number]?.waiting ?? [] {
                datagram.payload.withUnsafeBytes { refuse($0, to: datagram.destination, of: number, answer.error) }
            }
            return end(number)
        }
        guard let waiting = datagrams.open(number, socket, identifier: answer.identifier) else {
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
        for var datagram in waiting {
            datagram.payload.withUnsafeMutableBytes {
                send($0, datagram.header, to: datagram.destination, of: number, segment: 0)
            }
        }
    }

    private func end(_ number: UInt64) {
        datagramOwners.removeValue(forKey: number)?.watch?.end()
        if let socket = datagrams.remove(number)?.socket { close(socket) }
    }

    /// Ends the idle flows, now and every 30 s.
    func endIdleDatagrams() {
        for number in datagrams.idle(now: now) { end(number) }
        loop.schedule(after: .seconds(30)) { [unowned self] in endIdleDatagrams() }
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
