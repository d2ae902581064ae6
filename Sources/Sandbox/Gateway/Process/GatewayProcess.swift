// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
package import InternetAddresses
package import LinuxSystem
internal import SocketServing

/// The processes that carry a sandbox's uplink: `lc-gateway`, which reads packets, and `lc-sockets`, which opens sockets in the
/// network of the caller.
package struct GatewayProcess: Sendable {
    package let gateway: Int32
    package let opener: Int32
    /// The channels for the heartbeats of both processes.
    package let heartbeats: (gateway: MessageChannel, opener: MessageChannel)
    /// The channel to the gateway, for the sandbox's devices and then for orders. Closing it ends both processes.
    private let control: SequencedChannel
    private let openerControl: SequencedChannel

    /// A name server of the host, and the address that it has in the sandbox.
    package struct NameServer: Equatable, Sendable {
        package let inside: IPAddress
        package let outside: IPAddress

        package init(inside: IPAddress, outside: IPAddress) { (self.inside, self.outside) = (inside, outside) }
    }

    /// The channel ends that one of the two processes holds.
    struct Ends: DescriptorHolder {
        /// To the supervisor.
        let control: SequencedChannel
        /// To the other process: requests for sockets, and the answers.
        let peer: SequencedChannel
        let heartbeat: MessageChannel
    }

    /// Starts both processes in the network of the caller, which must have a single thread.
    ///
    /// - Parameters:
    ///   - mtu: of the links, in bytes.
    ///   - congestionControl: the congestion control of the servers' end; nil for the kernel's default.
    ///   - isMultipath: whether servers support Multipath TCP (RFC 8684), if the kernel does.
    package static func fork(
        mtu: UInt32,
        congestionControl: String?,
        isMultipath: Bool,
        nameServers: [NameServer]
    ) throws(SystemError) -> GatewayProcess {
        let destinations = Destinations(nameServers)
        let (control, openerControl) = (try SequencedChannel.pair(), try SequencedChannel.pair())
        let questions = try SequencedChannel.pair()
        let (beat, openerBeat) = (try MessageChannel.pair(), try MessageChannel.pair())
        let gatewayEnds = Ends(control: control.1, peer: questions.0, heartbeat: beat.1)
        let openerEnds = Ends(control: openerControl.1, peer: questions.1, heartbeat: openerBeat.1)
        defer {
            gatewayEnds.closeDescriptors()
            openerEnds.closeDescriptors()
        }
        let opener = try HelperProcess.start(
            "lc-sockets",
            "opens the sockets of a sandbox's uplink",
            keeping: [openerEnds]
        ) {
            Descriptors.raiseLimit()
            Confinement.enter(.ownConnections, keeping: rightsForEchoes)
            guard let loop = try? EventLoop(),
                let server = try? SocketOpener(openerEnds, destinations, on: loop),
                let heartbeat = try? DescriptorReader.answering(openerEnds.heartbeat, on: loop)
            else { _exit(1) }
            withExtendedLifetime((server, heartbeat)) { loop.run() }
            _exit(0)
        }
        let gateway = try HelperProcess.start("lc-gateway", "carries the uplink of a sandbox", keeping: [gatewayEnds]) {
            Descriptors.raiseLimit()
            serve(gatewayEnds, destinations) { () throws(SystemError) in
                try FarNetwork.enter(mtu: mtu, congestionControl: congestionControl, isMultipath: isMultipath)
            }
        }
        return GatewayProcess(
            gateway: gateway.id,
            opener: opener.id,
            heartbeats: (beat.0, openerBeat.0),
            control: control.0,
            openerControl: openerControl.0
        )
    }

    /// Sends the sandbox's devices to the gateway; returns the error if the gateway cannot serve them, otherwise nil.
    package func serve(_ devices: [TunDevice]) -> SystemError? {
        for (number, device) in devices.enumerated() {
            let rest = UInt8(devices.count - number - 1)
            guard control.send([rest], with: device.descriptor) == 0 else {
                return SystemError(operation: "reach the gateway", code: EPIPE)
            }
        }
        var code: CInt = 0
        let count = withUnsafeMutableBytes(of: &code) { control.receive(into: $0).count }
        control.stopWaiting()
        guard count == MemoryLayout<CInt>.size else { return SystemError(operation: "reach the gateway", code: EPIPE) }
        return code == 0 ? nil : SystemError(operation: "make the gateway's network", code: code)
    }

    /// Has both processes use these name servers from now on.
    package func use(_ nameServers: [NameServer]) {
        let order = GatewayOrder.use(Destinations(nameServers))
        for channel in [control, openerControl] { _ = order.send(to: channel) }
    }

    /// Has the gateway treat the connections of clients with these addresses on a device (by its index) as lost: the
    /// device's network has forgotten them. Nothing more passes between these clients and their servers.
    package func lose(_ addresses: [IPAddress], of device: Int) {
        let ends = addresses.map { FlowEndpoint($0, port: 0).address }
        _ = GatewayOrder.lose(device: UInt32(device), addresses: ends, before: lc_monotonic_time()).send(to: control)
    }

    /// Sets the idle timeout of the address translator in the network of a device (by its index); nil for none.
    package func forget(after time: Duration?, on device: Int) {
        _ = GatewayOrder.forget(device: UInt32(device), after: time.map { Int64($0 / .nanoseconds(1)) }).send(
            to: control
        )
    }

    /// Asks the gateway to report when all data of the sandbox was sent on. Returns whether the request was sent.
    package func requestFlush() -> Bool {
        GatewayOrder.flush.send(to: control)
    }

    /// Whether the gateway has reported the flush of ``requestFlush()``, or has ended. Reads the messages that have
    /// come.
    package var hasFlushed: Bool {
        while let message = nextMessage {
            if message != GatewayMessage.limit { return true }
        }
        return false
    }

    /// Whether the next message says that the limit of connections is reached. Reads that message.
    package var hasReachedLimit: Bool { nextMessage == GatewayMessage.limit }

    /// Reads the next message; 0 if the gateway has ended, nil if no message has come.
    private var nextMessage: UInt8? {
        var byte: UInt8 = 0
        let received = withUnsafeMutableBytes(of: &byte) { control.receive(into: $0) }
        return received.isNothingYet ? nil : received.count == 1 ? byte : 0
    }

    private static func serve(
        _ ends: Ends,
        _ destinations: Destinations,
        _ enter: () throws(SystemError) -> FarNetwork
    ) -> Never {
        let control = ends.control
        func tell(_ error: CInt) { withUnsafeBytes(of: error) { _ = control.send($0) } }
        do throws(SystemError) {
            let far = try enter()
            var devices: [CInt] = []
            var rest: UInt8 = 1
            while rest > 0 {
                let received = withUnsafeMutableBytes(of: &rest) { control.receive(into: $0) }
                guard received.count == 1, received.descriptor >= 0 else { _exit(0) }
                devices.append(received.descriptor)
            }
            Confinement.enter(.openDescriptors)
            let waiting = WaitingServers()
            let packets = try EventLoop()
            let relayLoop = try EventLoop()
            let loop = try PacketLoop(
                sandbox: devices,
                far: far,
                opener: ends.peer,
                waiting,
                destinations,
                on: packets
            )
            let bound = LoopBound(loop, on: packets)
            let relays = try Relays(far.listeners, waiting, on: relayLoop) { number in
                bound.execute { $0.connectionHasEnded(number) }
            }
            let boundRelays = LoopBound(relays, on: relayLoop)
            loop.onLoss = { numbers in boundRelays.execute { $0.makeDeaf(numbers) } }
            try PosixThread.detach { withExtendedLifetime(boundRelays) { relayLoop.run() } }
            let orders = GatewayOrders(control, packets: loop, relays)
            loop.onLimit = { [unowned orders] in orders.say(GatewayMessage.limit) }
            orders.watch = try packets.watch(control.descriptor, for: .readable, owner: orders)
            let answers = try DescriptorReader.answering(ends.heartbeat, on: packets, after: relayLoop)
            tell(0)
            withExtendedLifetime((loop, orders, answers)) { packets.run() }
        } catch {
            tell(error.code == 0 ? EIO : error.code)
        }
        _exit(0)
    }

    /// CAP_NET_RAW for echo requests, if the caller has it and cannot open ordinary ICMP sockets: icmp(7).
    private static var rightsForEchoes: Confinement.Capabilities {
        let ordinary = lc_open_echo_socket(0, 0)
        if ordinary >= 0 { close(ordinary) }
        let raw = Confinement.Capabilities.rawSockets
        return ordinary < 0 && lc_has_capabilities(raw.rawValue) != 0 ? raw : []
    }
}

extension FlowEndpoint {
    init(_ address: IPAddress, port: UInt16) {
        self = address.withUnsafeBytes { bytes in
            bytes.baseAddress.map { FlowEndpoint($0, isIPv6: bytes.count == 16, port: port) }
                ?? FlowEndpoint(ipv6: 0, port: port)
        }
        scope = address.scope
    }
}
