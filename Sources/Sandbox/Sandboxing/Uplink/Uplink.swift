// SPDX-License-Identifier: Apache-2.0

internal import Gateway
import Glibc
internal import LinkConditioning
internal import LinuxSystem
internal import Netlink
internal import PacketPump

/// The connection of a sandbox to this machine's network: one interface or several, and the gateway that serves them.
package struct Uplink: Sendable {
    /// The name of the interface in a sandbox whose only uplink was given no name.
    package static let interface = "uplink0"

    let gateway: GatewayProcess
    /// The interfaces, in the order of their metrics.
    private let names: [String]
    /// The addresses of each interface.
    private var addresses: [UplinkAddresses]
    /// The lines of this machine's resolv.conf(5).
    private let resolver: [String]

    /// Starts the gateway in the network of this process, which enters the sandbox's network later.
    ///
    /// - Parameters:
    ///   - names: the interfaces.
    ///   - congestionControl: the algorithm of the far end (tcp(7), TCP_CONGESTION); nil for the one that most servers
    ///     use.
    static func fork(_ names: [String], congestionControl: String?) throws(SandboxError) -> Uplink {
        if let congestionControl { try require(congestionControl) }
        if let problem = TapDevice.accessProblem {
            throw SandboxError(problem.description, remedy: Remedy(.stayOffline, TapDevice.remedy))
        }
        let connection = try RouteConnection.here()
        var routes: [Route] = []
        // A kernel without IPv6 fails for IPv6 routes.
        for family in IPAddress.Family.allCases { routes += (try? connection.routes(family)) ?? [] }
        let resolver = ProcFile("/etc/resolv.conf").lines
        let hasIPv6 = NetworkSettings.hasIPv6
        let addresses = names.indices.compactMap { number in
            UplinkAddresses(routes: routes, resolver: resolver, hasIPv6: hasIPv6, number: number)
        }
        guard addresses.count == names.count else {
            throw SandboxError("there are no addresses for the sandbox's uplink")
        }
        let gateway = try onSystem(
            GatewayProcess.fork(
                mtu: NetworkSettings.mtu,
                congestionControl: congestionControl ?? usualCongestionControl,
                isMultipath: names.count > 1,
                nameServers: addresses[0].nameServers
            )
        )
        return Uplink(gateway: gateway, names: names, addresses: addresses, resolver: resolver)
    }

    /// The congestion control of most servers; the kernel's default if the kernel lacks it.
    static var usualCongestionControl: String? {
        let usual = "cubic"
        return known.contains(usual) ? usual : ProcFile("/proc/sys/net/ipv4/tcp_congestion_control").firstLine
    }

    /// The congestion controls that the kernel has.
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

    /// Switches to the new lines of this machine's resolv.conf(5). Returns the addresses of the interface that has the
    /// name servers, and the lines for the sandbox.
    mutating func use(resolver: [String]) -> (UplinkAddresses, lines: [String]) {
        addresses[0].use(resolver: resolver)
        gateway.use(addresses[0].nameServers)
        return (addresses[0], addresses[0].resolverLines(resolver))
    }

    /// Makes the interfaces in the network of this process, and has the gateway serve them.
    ///
    /// - Returns: the interfaces, and notes about what the sandbox lacks.
    func open(
        _ connection: RouteConnection
    ) throws(SandboxError) -> (devices: [UplinkDevice], notes: [ConditioningNote]) {
        let lines = addresses[0].resolverLines(resolver)
        var notes: [ConditioningNote] = []
        if try !PrivateFiles.resolve(as: lines) {
            notes.append("there is no /etc/resolv.conf: names are not resolved in the sandbox")
        }
        var tunnels: [TunDevice] = []
        for name in names { tunnels.append(try onSystem(TunDevice(name: name, mtu: NetworkSettings.mtu, connection))) }
        var multipath: MultipathEndpoints?
        if names.count > 1 {
            do throws(NetlinkError) {
                multipath = try MultipathEndpoints()
                try multipath?.allowPaths()
            } catch {
                notes.append(
                    ConditioningNote("connections use one uplink each, since there is no Multipath TCP: \(error)")
                )
            }
        }
        var devices: [UplinkDevice] = []
        do throws(ConditioningError) {
            for (number, name) in names.enumerated() {
                let isOnly = names.count == 1
                let multihoming = isOnly ? nil : UplinkDevice.Multihoming(number: number, endpoints: multipath)
                let device = try UplinkDevice(
                    named: name,
                    connection,
                    gateway: gateway,
                    addresses: addresses[number],
                    multihoming: multihoming,
                    resolverLines: lines
                )
                try device.configure(addresses[number])
                devices.append(device)
            }
        } catch {
            throw SandboxError(error)
        }
        if let problem = gateway.serve(tunnels) {
            throw SandboxError("\(problem)", remedy: Remedy(.stayOffline))
        }
        return (devices, notes)
    }
}
