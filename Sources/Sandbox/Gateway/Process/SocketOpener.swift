// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
internal import SocketServing

/// Opens sockets for the gateway in the caller's network. This process reads no packets, so that malicious packets
/// cannot take it over: a filter of system calls cannot check the destination of connect(2).
final class SocketOpener: DescriptorOwner {
    /// The most requests that one turn of the loop handles.
    private static let batch = 64

    private let gateway: SequencedChannel
    private var destinations: Destinations
    private let loop: EventLoop
    private var watch: DescriptorWatch?
    private var orders: DescriptorReader?
    /// The identifier of the next raw socket for echoes.
    private var nextIdentifier = UInt16.random(in: 1...UInt16.max)

    /// Serves the gateway until the gateway's end of the channel is closed.
    init(_ ends: GatewayProcess.Ends, _ destinations: Destinations, on loop: EventLoop) throws(SystemError) {
        let control = ends.control
        (gateway, self.destinations, self.loop) = (ends.peer, destinations, loop)
        gateway.stopWaiting()
        watch = try loop.watch(gateway.descriptor, for: .readable, owner: self)
        let reader = DescriptorReader { [unowned self] in
            guard case .use(let destinations) = GatewayOrder.next(from: control) else { return loop.stop() }
            self.destinations = destinations
        }
        reader.watch = try loop.watch(control.descriptor, for: .readable, owner: reader)
        orders = reader
    }

    func descriptorIsReady(_ readiness: Readiness) {
        var bytes = [UInt8](repeating: 0, count: SocketQuestion.size + 1)
        for _ in 0..<Self.batch {
            let received = bytes.withUnsafeMutableBytes { gateway.receive(into: $0) }
            if received.descriptor >= 0 { close(received.descriptor) }
            guard !received.isNothingYet else { return }
            guard received.count > 0 else { return loop.stop() }
            let question = bytes.withUnsafeBytes {
                SocketQuestion(UnsafeRawBufferPointer(rebasing: $0.prefix(received.count)))
            }
            if let question { open(question) }
        }
    }

    func loopHasEnded() { gateway.close() }

    private func open(_ question: SocketQuestion) {
        switch question.kind {
        case .datagrams:
            let isIPv6: CInt = question.address.length == 16 ? 1 : 0
            let descriptor = lc_open_socket(CInt(lc_udp), isIPv6)
            if descriptor >= 0 { describe(descriptor, isIPv6) }
            answer(SocketAnswer(number: question.number, error: min(0, descriptor) * -1), descriptor)
        case .echo: openEcho(question)
        case .connection:
            guard let target = destinations.outside(FlowEndpoint(question.address)) else {
                return answer(SocketAnswer(number: question.number, error: ENETUNREACH), -1)
            }
            _ = ConnectionAttempt(to: target.socketAddress, on: loop) { descriptor, error, detail in
                var answer = SocketAnswer(number: question.number, error: error)
                if let detail, detail.is_icmp != 0 {
                    answer.message = (detail.type, detail.code)
                    answer.offender = detail.offender
                }
                self.answer(answer, descriptor)
            }
        }
    }

    /// Opens an unprivileged ICMP socket if the user's group may have one; otherwise a raw socket, which needs
    /// CAP_NET_RAW.
    private func openEcho(_ question: SocketQuestion) {
        let isIPv6: CInt = question.address.length == 16 ? 1 : 0
        var answer = SocketAnswer(number: question.number, error: 0)
        var descriptor = lc_open_echo_socket(isIPv6, 0)
        if descriptor < 0 {
            descriptor = lc_open_echo_socket(isIPv6, 1)
            answer.identifier = nextIdentifier
            nextIdentifier = nextIdentifier == .max ? 1 : nextIdentifier + 1
            if descriptor >= 0 { lc_filter_echo_identifier(descriptor, isIPv6, answer.identifier) }
        }
        answer.error = min(0, descriptor) * -1
        if descriptor >= 0 { describe(descriptor, isIPv6) }
        self.answer(answer, descriptor)
    }

    /// Has a socket report the traffic class of each datagram, and receive only datagrams of its address family.
    private func describe(_ socket: CInt, _ isIPv6: CInt) {
        lc_receive_traffic_class(socket, isIPv6)
        guard isIPv6 != 0 else { return }
        var on: CInt = 1
        setsockopt(socket, CInt(IPPROTO_IPV6), IPV6_V6ONLY, &on, socklen_t(MemoryLayout<CInt>.size))
    }

    /// Sends the answer, and closes this process's copy of the socket.
    private func answer(_ answer: SocketAnswer, _ descriptor: CInt) {
        answer.send(to: gateway, with: descriptor)
        if descriptor >= 0 { close(descriptor) }
    }
}

/// One connect(2), with no time limit besides the kernel's.
private final class ConnectionAttempt: DescriptorOwner {
    typealias Done = (_ descriptor: CInt, _ error: CInt, _ detail: lc_socket_error?) -> Void

    private var watch: DescriptorWatch?
    private let done: Done

    init(to address: lc_address, on loop: EventLoop, done: @escaping Done) {
        self.done = done
        let descriptor = lc_open_socket(CInt(lc_tcp), address.length == 16 ? 1 : 0)
        guard descriptor >= 0 else {
            done(-1, -descriptor, nil)
            return
        }
        var address = address
        let result = lc_connect(descriptor, &address)
        do throws(SystemError) {
            guard result == 0 || result == -EINPROGRESS else { throw SystemError(operation: "", code: -result) }
            watch = try loop.watch(descriptor, for: .writable, owner: self)
        } catch {
            close(descriptor)
            done(-1, error.code, nil)
        }
    }

    func descriptorIsReady(_ readiness: Readiness) {
        guard let watch else { return }
        let descriptor = watch.descriptor
        watch.end()
        self.watch = nil
        let error = lc_take_pending_error(descriptor)
        guard error == 0 else {
            var detail = lc_socket_error()
            let isKnown = lc_take_error(descriptor, &detail) == 0
            close(descriptor)
            return done(-1, error, isKnown ? detail : nil)
        }
        // With the error queues on, any router's ICMP error would end the connection.
        var off: CInt = 0
        setsockopt(descriptor, CInt(IPPROTO_IP), Self.queueErrors4, &off, socklen_t(MemoryLayout<CInt>.size))
        setsockopt(descriptor, CInt(IPPROTO_IPV6), Self.queueErrors6, &off, socklen_t(MemoryLayout<CInt>.size))
        // If the gateway is killed, a cut upload must not look complete.
        RelayedSocket.resetsAtClose(descriptor, true)
        done(descriptor, 0, nil)
    }

    func loopHasEnded() {
        if let watch { close(watch.descriptor) }
    }

    /// IP_RECVERR and IPV6_RECVERR.
    private static let (queueErrors4, queueErrors6): (CInt, CInt) = (11, 25)
}
