// SPDX-License-Identifier: Apache-2.0

internal import Gateway
import Glibc
internal import LinkConditioning
internal import LinuxSystem
internal import Netlink
internal import PacketPump

/// The connection of a sandbox to this machine's network: an interface, and the gateway behind it.
package struct Uplink {
    /// The interface in the sandbox.
    package static let interface = "uplink0"

    let gateway: GatewayProcess
    private var addresses: UplinkAddresses
    /// The lines of this machine's resolv.conf(5).
    private let resolver: [String]

    /// Starts the gateway in the network of this process, which then enters the sandbox's.
    ///
    /// - Parameter congestionControl: the far end's (tcp(7), TCP_CONGESTION); nil for what most servers have.
    static func fork(congestionControl: String?) throws(SandboxError) -> Uplink {
        if let congestionControl { try require(congestionControl) }
        if let problem = TapDevice.accessProblem {
            throw SandboxError(problem.description, remedy: Remedy(.stayOffline, TapDevice.remedy))
        }
        let connection = try RouteConnection.here()
        var routes: [Route] = []
        // A kernel without IPv6 has no such routes.
        for family in IPAddress.Family.allCases { routes += (try? connection.routes(family)) ?? [] }
        let resolver = ProcFile("/etc/resolv.conf").lines
        guard let addresses = UplinkAddresses(routes: routes, resolver: resolver, hasIPv6: NetworkSettings.hasIPv6)
        else {
            throw SandboxError("there are no addresses for the sandbox's uplink")
        }
        let gateway = try onSystem(
            GatewayProcess.fork(
                mtu: NetworkSettings.mtu,
                congestionControl: congestionControl ?? usualCongestionControl,
                nameServers: addresses.nameServers
            )
        )
        return Uplink(gateway: gateway, addresses: addresses, resolver: resolver)
    }

    /// What most servers have; where the kernel lacks it, the kernel's own.
    static var usualCongestionControl: String? {
        let usual = "cubic"
        return known.contains(usual) ? usual : ProcFile("/proc/sys/net/ipv4/tcp_congestion_control").firstLine
    }

    /// The kernel's.
    private static var known: [String] {
        let line = ProcFile("/proc/sys/net/ipv4/tcp_available_congestion_control").firstLine ?? ""
        return line.split(separator: " ").map(String.init)
    }

    private static func require(_ congestionControl: String) throws(SandboxError) {
        let known = known
        guard !known.contains(congestionControl) else { return }
        throw SandboxError(
            "the kernel has no congestion control \"\(congestionControl)\", but \(known.joined(separator: ", "))",
            remedy: "sudo modprobe tcp_\(congestionControl)"
        )
    }

    /// This machine has these lines in its resolv.conf(5) now. Returns the addresses of a sandbox's uplink, and its lines.
    mutating func use(resolver: [String]) -> (UplinkAddresses, lines: [String]) {
        addresses.use(resolver: resolver)
        gateway.use(addresses.nameServers)
        return (addresses, addresses.resolverLines(resolver))
    }

    /// Makes the interface in the network of this process, and has the gateway serve it.
    ///
    /// - Returns: the interface, and a note if names are not resolved.
    func open(_ connection: RouteConnection) throws(SandboxError) -> (device: UplinkDevice, note: ConditioningNote?) {
        let lines = addresses.resolverLines(resolver)
        let resolves = try PrivateFiles.resolve(as: lines)
        let tunnel = try onSystem(TunDevice(name: Self.interface, mtu: NetworkSettings.mtu, connection))
        let device: UplinkDevice
        do throws(ConditioningError) {
            device = try UplinkDevice(connection, addresses, resolverLines: lines)
            try device.configure(addresses)
        } catch {
            throw SandboxError(error)
        }
        if let problem = gateway.serve(tunnel) {
            throw SandboxError("\(problem)", remedy: Remedy(.stayOffline))
        }
        return (device, resolves ? nil : "there is no /etc/resolv.conf: names are not resolved in the sandbox")
    }
}
