// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import DequeModule
import Glibc
import InternetAddresses

/// The ICMP socket for one address family and interface, shared by all probes that use these.
final class EchoChannel {
    /// The number of packets in one call: the maximum of lc_send_datagrams.
    private static let batch = 32
    /// The number of receive calls, and of ICMP errors, in one turn: packets that flood this socket must not delay the
    /// other probes.
    private static let callsPerTurn = 8
    private static let errorsPerTurn = 64
    /// The number of receive calls that empty the socket's buffer of packets that arrived before a given time.
    private static let callsToEmpty = 512

    private let family: IPAddress.Family
    /// The interface over which packets must leave; nil for any.
    private let interface: String?
    private let identifier = UInt16.random(in: 1...UInt16.max)
    private let secret = UInt64.random(in: 0...UInt64.max)
    private let packets = UnsafeMutablePointer<lc_datagram>.allocate(capacity: batch)
    private var socket: (descriptor: Int32, isRaw: Bool)?
    /// Probes whose packet has not been sent.
    private var pending: Deque<ActiveProbe> = []
    /// How many of the first pending probes have a timer that ends them if they stay unsent.
    private var bounded = 0

    /// The socket's key in epoll.
    let key: UInt64

    init(_ family: IPAddress.Family, over interface: String?, key: UInt64) {
        (self.family, self.interface) = (family, interface)
        self.key = key
        packets.initialize(repeating: lc_datagram(), count: Self.batch)
    }

    deinit {
        packets.deallocate()
        if let socket { close(socket.descriptor) }
    }

    /// Whether packets wait for room in the socket's buffer.
    var isBlocked: Bool { !pending.isEmpty }

    func add(_ probe: ActiveProbe) { pending.append(probe) }

    /// Sends the pending packets, and reads the replies that arrive meanwhile.
    func send(_ engine: ProbeEngine) {
        guard isBlocked else { return }
        if bounded > 0 {
            pending.removeAll(where: \.hasEnded)
            bounded = min(bounded, pending.count)
        }
        do throws(SocketRefusal) {
            let socket = try opened(engine)
            var quietFailures = 0
            var explainedFailures = 0
            while case let count = fill(), count > 0 {
                let (start, startWall) = (lc_monotonic_time(), lc_wall_time())
                let sent = lc_send_datagrams(socket.descriptor, packets, Int32(count))
                if sent > 0 {
                    note(Int(sent), start, startWall, took: lc_wall_time() - startWall, engine)
                    quietFailures = 0
                    receive(engine)
                    continue
                }
                if sent == -EAGAIN || explainedFailures > Self.errorsPerTurn { return bound(engine, start) }
                // Sending fails with the ICMP error of an earlier packet, too. So a failure is attributed to this
                // packet only if it occurs twice without an entry in the error queue.
                quietFailures =
                    readErrors(engine) > 0 || lc_take_pending_error(socket.descriptor) != 0
                    ? 0 : quietFailures + 1
                explainedFailures += quietFailures == 0 ? 1 : 0
                guard quietFailures == 2, case let probe = pending[0], case .icmp(let address) = probe.probe else {
                    continue
                }
                quietFailures = 0
                removeFirst(1)
                engine.finish(probe, Observation(atOnce: -sent, to: address))
            }
        } catch {
            for probe in pending { engine.finish(probe, error.observation) }
            removeFirst(pending.count)
        }
    }

    /// Reads replies that have arrived, up to the limit of a turn.
    func receive(_ engine: ProbeEngine) { receive(engine, calls: Self.callsPerTurn, until: .max) }

    /// Reads all replies that arrived before `time`, in nanoseconds on CLOCK_REALTIME.
    func receive(_ engine: ProbeEngine, until time: Int64) { receive(engine, calls: Self.callsToEmpty, until: time) }

    private func receive(_ engine: ProbeEngine, calls: Int, until time: Int64) {
        guard let socket else { return }
        for _ in 0..<calls {
            let count = lc_receive_datagrams(socket.descriptor, packets, Int32(Self.batch))
            if count == -EAGAIN { return }
            if count < 0 {
                _ = readErrors(engine)
                continue
            }
            let now = lc_monotonic_time()
            for index in 0..<Int(count) { process(packets + index, now, engine) }
            if count < Self.batch || packets[Int(count) - 1].time > time { return }
        }
    }

    /// Reads ICMP errors that have arrived, up to the limit of a turn; returns the number of entries read.
    func readErrors(_ engine: ProbeEngine) -> Int {
        guard let socket else { return 0 }
        var count = 0
        var error = lc_socket_error()
        while count < Self.errorsPerTurn, lc_take_error(socket.descriptor, &error) == 0 {
            count += 1
            guard let observation = Observation(error, family), let probe = probe(causing: error, engine) else {
                continue
            }
            engine.finish(probe, observation)
        }
        return count
    }

    /// Finds the probe whose packet an ICMP error quotes; nil if there is none.
    private func probe(causing error: lc_socket_error, _ engine: ProbeEngine) -> ActiveProbe? {
        withUnsafeBytes(of: error.bytes) { all -> ActiveProbe? in
            let bytes = UnsafeRawBufferPointer(rebasing: all.prefix(Int(error.length)))
            if let packet = EchoPacket(quotedRequest: bytes, family) {
                guard packet.secret == secret else { return nil }
                return engine.echo(packet.probe, to: error.destination)
            }
            // An ICMP error need only quote the ICMP header (RFC 792), which has the low bits of the probe's number.
            guard let header = EchoPacket.quotedHeader(bytes, family) else { return nil }
            guard socket?.isRaw == false || header.identifier == identifier else { return nil }
            return engine.echo(sequence: header.sequence, to: error.destination)
        }
    }

    private func process(_ datagram: UnsafeMutablePointer<lc_datagram>, _ now: Int64, _ engine: ProbeEngine) {
        let packet = withUnsafeBytes(of: &datagram.pointee.bytes) { all -> EchoPacket? in
            var bytes = UnsafeRawBufferPointer(rebasing: all.prefix(Int(datagram.pointee.length)))
            if family == .ipv4, socket?.isRaw == true {
                guard let length = EchoPacket.headerLength(bytes) else { return nil }
                bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(length))
            }
            return EchoPacket(reply: bytes, family)
        }
        // A raw socket receives the replies to other processes, too.
        guard let packet, packet.secret == secret,
            let probe = engine.echo(packet.probe, to: datagram.pointee.address), let sent = probe.sent
        else { return }
        let stamp = datagram.pointee.time
        let elapsed = RoundTrip.of(monotonic: now - sent, stamp: stamp, sentWallTime: probe.sentWallTime)
        guard elapsed <= probe.timeout else { return engine.finish(probe, Observation(.failed(.blackHole))) }
        var observation = Observation(.answered(.nanoseconds(elapsed)))
        observation.hopLimit = UInt8(exactly: datagram.pointee.hop_limit)
        engine.finish(probe, observation)
    }

    /// Writes the next packets to send; returns their number.
    private func fill() -> Int {
        while let first = pending.first, first.hasEnded { removeFirst(1) }
        let count = min(Self.batch, pending.count)
        for index in 0..<count {
            guard case .icmp(let address) = pending[index].probe else { return index }
            packets[index].address = lc_address(address, 0)
            packets[index].length = UInt32(EchoPacket.size)
            let packet = EchoPacket(identifier: identifier, secret: secret, probe: pending[index].number)
            withUnsafeMutableBytes(of: &packets[index].bytes) { packet.write(to: $0, family) }
        }
        return count
    }

    /// Records when the next `count` probes were sent, and removes them from `pending`. The call's time is spread over
    /// its packets: on loopback, the first reply arrives long before the last packet is sent.
    private func note(_ count: Int, _ start: Int64, _ startWall: Int64, took: Int64, _ engine: ProbeEngine) {
        for index in 0..<count {
            let probe = pending[index]
            let delay = max(took, 0) * Int64(index) / Int64(count)
            probe.sent = start + delay
            probe.sentWallTime = startWall + delay
            engine.schedule(probe, at: start + delay &+ probe.timeout)
        }
        removeFirst(count)
    }

    private func removeFirst(_ count: Int) {
        pending.removeFirst(count)
        bounded = max(bounded - count, 0)
    }

    /// Starts the timers of probes that wait for room in the buffer, so that they do not wait for ever.
    private func bound(_ engine: ProbeEngine, _ now: Int64) {
        for probe in pending[bounded...] { engine.schedule(probe, at: now &+ probe.timeout) }
        bounded = pending.count
    }

    /// Returns the socket, and opens it first if needed: a ping socket if net.ipv4.ping_group_range allows it, else a
    /// raw socket, which needs CAP_NET_RAW.
    private func opened(_ engine: ProbeEngine) throws(SocketRefusal) -> (descriptor: Int32, isRaw: Bool) {
        if let socket { return socket }
        let isIPv6: Int32 = family == .ipv6 ? 1 : 0
        var isRaw = false
        var result = lc_open_echo_socket(isIPv6, 0)
        if result == -EACCES || result == -EPERM {
            isRaw = true
            result = lc_open_echo_socket(isIPv6, 1)
        }
        guard result >= 0 else { throw SocketRefusal(number: -result, address: nil) }
        if let number = ProbeSocket.bind(result, to: interface) {
            close(result)
            throw SocketRefusal(number: number, address: nil)
        }
        // The bytes of the secret in the order in which EchoPacket writes them. If the filter is refused, replies are
        // still compared here.
        withUnsafeBytes(of: secret) { bytes in
            _ = lc_filter_echoes(
                result,
                isRaw && family == .ipv4 ? 1 : 0,
                bytes.assumingMemoryBound(to: UInt8.self).baseAddress
            )
        }
        lc_watch(engine.poller, result, Int32(lc_readable), key)
        socket = (result, isRaw)
        return (result, isRaw)
    }
}
