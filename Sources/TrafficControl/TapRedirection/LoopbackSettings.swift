// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

/// The settings of loopback that decide whether it takes IPv4 packets which come to it without the route they left with,
/// as they do from a pump: net.ipv4.conf.lo.* of Documentation/networking/ip-sysctl.rst.
public struct LoopbackSettings: Hashable, Sendable {
    /// `route_localnet`: whether addresses of 127.0.0.0/8 may be routed.
    public var routesLocalNet: UInt8
    /// `accept_local`: whether packets may come from an address of this machine.
    public var acceptsLocal: UInt8
    /// `rp_filter`: how their way back is looked at. The larger of this and `all`'s holds.
    public var reversePath: UInt8

    /// What a pump needs: 2 looks for some way back, where 1, which `all` may have, wants it through loopback itself.
    static let admitting = LoopbackSettings(routesLocalNet: 1, acceptsLocal: 1, reversePath: 2)

    private static let names = ["route_localnet", "accept_local", "rp_filter"]
    private var values: [UInt8] { [routesLocalNet, acceptsLocal, reversePath] }

    init(routesLocalNet: UInt8, acceptsLocal: UInt8, reversePath: UInt8) {
        self.routesLocalNet = routesLocalNet
        self.acceptsLocal = acceptsLocal
        self.reversePath = reversePath
    }

    /// Reads what `text` wrote; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let values = text.split(separator: ",", omittingEmptySubsequences: false).compactMap { UInt8($0) }
        guard values.count == 3 else { return nil }
        self.init(routesLocalNet: values[0], acceptsLocal: values[1], reversePath: values[2])
    }

    /// The three values in order: "1,1,2".
    public var text: String { values.map(String.init).joined(separator: ",") }

    /// Whether each value is that of one or the other: somebody who went from one to the other was stopped between.
    func lies(between one: LoopbackSettings, and other: LoopbackSettings) -> Bool {
        zip(values, zip(one.values, other.values)).allSatisfy { $0 == $1.0 || $0 == $1.1 }
    }

    /// Reads those of `device` in the network that the process is in; nil where there is no IPv4.
    static func read(_ device: String) -> LoopbackSettings? {
        let values = names.compactMap { ProcFile(path(device, $0)).firstLine.flatMap { UInt8($0) } }
        guard values.count == 3 else { return nil }
        return LoopbackSettings(routesLocalNet: values[0], acceptsLocal: values[1], reversePath: values[2])
    }

    /// Writes them for `device`, in the network that the process is in: all of them, or those of `previous` where one is
    /// refused.
    func write(_ device: String, orRestore previous: LoopbackSettings) throws(SystemError) {
        for (name, value) in zip(Self.names, values) {
            do {
                try Self.write(value, Self.path(device, name))
            } catch {
                for (name, value) in zip(Self.names, previous.values) {
                    try? Self.write(value, Self.path(device, name))
                }
                throw error
            }
        }
    }

    private static func write(_ value: UInt8, _ path: String) throws(SystemError) {
        try ProcFile(path).write(String(value))
    }

    /// The line for sysctl(8) that sets them.
    func command(_ device: String) -> String {
        "sysctl -w " + zip(Self.names, values).map { "net.ipv4.conf.\(device).\($0)=\($1)" }.joined(separator: " ")
    }

    private static func path(_ device: String, _ name: String) -> String {
        "/proc/sys/net/ipv4/conf/\(device)/\(name)"
    }
}
