// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
internal import PacketPump
internal import SocketServing

/// Reads the packets of all devices, on the thread of `loop`. Packets from the sandbox may be malicious.
final class PacketLoop {
    /// The bytes of the largest packet with its virtio-net header: a super-packet with 65,535 bytes of payload.
    static let room = VirtioHeader.size + 65_535 + 120
    /// The most packets that one turn of the loop reads from a device.
    static let batch = 64

    let loop: EventLoop
    /// The devices in the sandbox. A client's ``FlowEndpoint/scope`` is the index of the device that its packets come
    /// from.
    let sandbox: [CInt]
    let far: FarNetwork
    let opener: SequencedChannel
    let waiting: WaitingServers
    var destinations: Destinations
    let packet = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 64)
    let reply = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 64)

    /// Room for a fragment.
    private let piece = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 64)

    var connections = ConnectionTable()
    private var reassembly = Reassembly()
    private var identification = UInt32.random(in: 0...UInt32.max)
    var datagrams = DatagramTable()
    var datagramOwners: [UInt64: DatagramSocketOwner] = [:]
    private var owners: [DescriptorReader] = []
    /// Called once, when the limit of connections is reached for the first time.
    var onLimit: (() -> Void)?
    /// Called with the numbers of connections whose clients can no longer be reached.
    var onLoss: (([Int]) -> Void)?
    /// For each device with an address translator: its idle timeout, and the time since which it applies, in
    /// nanoseconds.
    private var idleTimes: [UInt32: (time: Int64, since: Int64)] = [:]
    private var looksForIdle = false

    init(
        sandbox: [CInt],
        far: FarNetwork,
        opener: SequencedChannel,
        _ waiting: WaitingServers,
        _ destinations: Destinations,
        on loop: EventLoop
    ) throws(SystemError) {
        (self.sandbox, self.far, self.opener, self.waiting) = (sandbox, far, opener, waiting)
        (self.destinations, self.loop) = (destinations, loop)
        opener.stopWaiting()
        for descriptor in sandbox + [far.device] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        for device in sandbox.indices {
            try read(sandbox[device]) { [unowned self] in receiveFromSandbox(device) }
        }
        try read(far.device) { [unowned self] in receive(from: far.device, handle: fromFar) }
        try read(opener.descriptor) { [unowned self] in readAnswers() }
        endIdleDatagrams()
    }

    var now: Int64 { lc_monotonic_time() }

    private func read(_ descriptor: CInt, _ body: @escaping () -> Void) throws(SystemError) {
        let reader = DescriptorReader(body)
        reader.watch = try loop.watch(descriptor, for: .readable, owner: reader)
        owners.append(reader)
    }

    /// Reads a batch of packets at most; returns false if the device has no more.
    @discardableResult
    private func receive(from device: CInt, handle: (TransportPacket) -> Void) -> Bool {
        for _ in 0..<Self.batch {
            let count = Glibc.read(device, packet, Self.room)
            guard count > 0 else { return false }
            if let packet = TransportPacket(packet, count: count) { handle(packet) }
        }
        return true
    }

    @discardableResult
    private func receiveFromSandbox(_ device: Int) -> Bool {
        receive(from: sandbox[device]) { fromSandbox($0, UInt32(device)) }
    }

    /// Reads the packets that the sandbox has sent: from each device, at most as many batches as a batch has packets.
    func readAll() {
        for device in sandbox.indices {
            var batches = 0
            while batches < Self.batch, receiveFromSandbox(device) { batches += 1 }
        }
    }

    /// Whether a client's datagrams wait for their socket.
    var isWaitingForSockets: Bool { datagrams.isWaiting }

    /// Handles a client's packet, which has come from the device of this index.
    private func fromSandbox(_ packet: TransportPacket, _ device: UInt32) {
        guard packet.layout.fragment == .none else {
            if let whole = reassembly.add(packet, now: now) { resume(whole) { fromSandbox($0, device) } }
            return
        }
        guard packet.layout.transport > 0 else { return }
        switch packet.layout.kind {
        case .tcp: connect(packet, device)
        case .udp, .icmp: send(packet, device)
        default: break
        }
    }

    /// Forwards a packet of the far network's kernel to the client of its connection.
    private func fromFar(_ packet: TransportPacket) {
        guard packet.layout.kind == .tcp, packet.layout.transport > 0,
            let number = FarAddresses.number(of: packet.ends.destination), let ends = connections.ends(of: number)
        else { return }
        connections.hasSent(packet.flags, to: number, now: now)
        packet.replaceEnds(source: ends.server, destination: ends.client)
        write(packet.start, packet.count, to: ends.client)
    }

    func lose(_ numbers: [Int]) { if !numbers.isEmpty { onLoss?(numbers) } }

    /// Sets the idle timeout of the IPv4 address translator in a device's network, in nanoseconds; nil for none. A
    /// connection is lost when it has had no packet for that time.
    func forget(_ device: UInt32, after time: Int64?) {
        idleTimes[device] = time.map { ($0, now) }
        guard !looksForIdle, time != nil else { return }
        looksForIdle = true
        loseIdle()
    }

    private func loseIdle() {
        // For connections that are older than the translator, the idle time starts with the translator.
        for (device, idle) in idleTimes where now - idle.since > idle.time {
            lose(connections.lose({ $0.isIPv4 && $0.scope == device }, used: now - idle.time))
        }
        looksForIdle = !idleTimes.isEmpty
        guard looksForIdle else { return }
        loop.schedule(after: .seconds(1)) { [unowned self] in loseIdle() }
    }

    private func reachLimit() {
        onLimit?()
        onLimit = nil
    }

    private func connect(_ packet: TransportPacket, _ device: UInt32) {
        let ends = packet.ends(from: device)
        let decision = connections.receive(
            Array(UnsafeRawBufferPointer(start: packet.start, count: packet.count)),
            ends,
            packet.flags,
            multipath: far.isMultipath ? packet.multipathRequest : nil,
            now: now
        )
        switch decision {
        case .forward(let number): forward(packet, number)
        case .ask(let number):
            let question = SocketQuestion(.connection, number: UInt64(number), ends.server.socketAddress)
            if question.send(to: opener) != 0 { _ = connections.serverHasRefused(number) }
        case .nothing: break
        case .full: reachLimit()
        case .reset: write(reply, Refusal.reset(packet, to: reply), to: ends.client)
        }
    }

    private func forward(_ packet: TransportPacket, _ number: Int) {
        let isIPv4 = !packet.layout.isIPv6
        packet.replaceEnds(
            source: FarAddresses.client(number, isIPv4: isIPv4),
            destination: FarAddresses.server(isIPv4: isIPv4, port: far.port)
        )
        write(packet.start, packet.count, to: far.device)
    }

    func write(_ start: UnsafeMutableRawPointer, _ count: Int, to device: CInt) {
        // A packet that the kernel does not accept is lost, as on a link.
        _ = Glibc.write(device, start, count)
    }

    /// Writes a packet to the device that the client's packets come from.
    func write(_ start: UnsafeMutableRawPointer, _ count: Int, to client: FlowEndpoint) {
        write(start, count, to: sandbox[Int(client.scope)])
    }

    /// Writes the packet in `reply` to a client, in fragments if it exceeds the link's MTU.
    func deliver(_ count: Int, to client: FlowEndpoint) {
        identification &+= 1
        Fragmentation.forEachPiece(reply, count: count, mtu: far.mtu, identification: identification, room: piece) {
            write($0, $1, to: client)
        }
    }

    /// Records that the relay of a connection has ended.
    func connectionHasEnded(_ number: Int) { connections.hasEnded(number, now: now) }

    private func readAnswers() {
        for _ in 0..<Self.batch {
            var answer = SocketAnswer(number: 0, error: 0)
            let received = withUnsafeMutableBytes(of: &answer) { opener.receive(into: $0) }
            guard !received.isNothingYet else { return }
            // Without the opener, no connection can be made any more.
            guard received.count == SocketAnswer.size else { return loop.stop() }
            if answer.number >= DatagramTable.firstNumber {
                openDatagrams(answer, received.descriptor)
            } else {
                finish(Int(answer.number), answer, received.descriptor)
            }
        }
    }

    private func finish(_ number: Int, _ answer: SocketAnswer, _ socket: CInt) {
        if answer.error == 0, socket >= 0 {
            guard let first = connections.serverHasAccepted(number, now: now) else {
                return lc_close_abruptly(socket)
            }
            waiting.put(socket, for: number)
            resume(first) { forward($0, number) }
            loop.schedule(after: Self.handshakeTimeout) { [unowned self] in giveUp(number, socket) }
            return
        }
        // Error 0 without a socket: this process has no free descriptor, so the kernel did not pass the socket.
        if [0, EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(answer.error) { reachLimit() }
        guard let client = connections.ends(of: number)?.client, let first = connections.serverHasRefused(number)
        else { return }
        resume(first) { packet in refuse(packet, answer, client) }
    }

    /// The time for a client to complete the handshake: as long as a kernel retransmits its SYN-ACK.
    private static let handshakeTimeout = Duration.seconds(64)

    /// Closes the connection to a server if its client has not completed the handshake.
    private func giveUp(_ number: Int, _ socket: CInt) {
        guard waiting.remove(number, socket) else { return }
        lc_close_abruptly(socket)
        connections.hasEnded(number, now: now)
    }

    private func resume(_ bytes: [UInt8], _ body: (TransportPacket) -> Void) {
        bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, bytes.count <= Self.room else { return }
            packet.copyMemory(from: start, byteCount: bytes.count)
            if let packet = TransportPacket(packet, count: bytes.count) { body(packet) }
        }
    }

    private func refuse(_ packet: TransportPacket, _ answer: SocketAnswer, _ client: FlowEndpoint) {
        let isIPv6 = packet.layout.isIPv6
        let message: Refusal.Message? =
            answer.message.type != 0
            ? Refusal.Message(type: answer.message.type, code: answer.message.code)
            : Refusal.Message(error: answer.error, isIPv6: isIPv6)
        guard answer.error != ECONNREFUSED, answer.error != ECONNRESET else {
            return write(reply, Refusal.reset(packet, to: reply), to: client)
        }
        // If the server did not answer, the client gets no answer, either.
        guard let message else { return }
        let offender = FlowEndpoint(answer.offender)
        let isRouter = answer.offender.length > 0 && offender.isIPv4 != isIPv6
        let router = isRouter ? offender : packet.ends.destination
        write(reply, Refusal.error(message, about: packet, from: router, to: reply), to: client)
    }
}

extension Refusal.Message {
    /// The ICMP error with which a router would report this error number; nil if the client is to get no answer.
    init?(error: CInt, isIPv6: Bool) {
        switch error {
        case ENETUNREACH: self.init(type: isIPv6 ? 1 : 3, code: 0)
        case EHOSTUNREACH: self.init(type: isIPv6 ? 1 : 3, code: isIPv6 ? 3 : 1)
        case EACCES, EPERM: self.init(type: isIPv6 ? 1 : 3, code: isIPv6 ? 1 : 13)
        default: return nil
        }
    }
}
