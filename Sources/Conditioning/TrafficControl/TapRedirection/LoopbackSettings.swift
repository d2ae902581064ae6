// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinuxSystem

/// The settings that decide whether loopback accepts IPv4 packets that have lost their route, as packets from a pump
/// have: net.ipv4.conf.lo.* of Documentation/networking/ip-sysctl.rst.
package struct LoopbackSettings: Hashable, Sendable {
    /// `route_localnet`: whether addresses of 127.0.0.0/8 may be routed.
    package var routesLocalNet: UInt8
    /// `accept_local`: whether packets may come from an address of this machine.
    package var acceptsLocal: UInt8
    /// `rp_filter`: how the reverse path is checked. The kernel uses the larger of this value and that of `all`.
    package var reversePath: UInt8

    /// The settings that a pump needs. `rp_filter` 2 accepts any reverse path; 1, which `all` may have, requires one
    /// through loopback.
    static let admitting = LoopbackSettings(routesLocalNet: 1, acceptsLocal: 1, reversePath: 2)

    private static let names = ["route_localnet", "accept_local", "rp_filter"]
    private var values: [UInt8] { [routesLocalNet, acceptsLocal, reversePath] }

    /// The three values in order: "1,1,2".
    package var text: String { values.map(String.init).joined(separator: ",") }

    /// Whether each value is equal to that of `one` or `other`, as after an interrupted change between the two.
    func isBetween(_ one: LoopbackSettings, and other: LoopbackSettings) -> Bool {
        zip(values, zip(one.values, other.values)).allSatisfy { $0 == $1.0 || $0 == $1.1 }
    }

    /// Writes the settings of `device` in the current network namespace. If one cannot be written, writes `previous`.
    func write(_ device: String, orRestore previous: LoopbackSettings) throws(SystemError) {
        for (name, value) in zip(Self.names, values) {
            do {
                try Self.file(device, name).write(String(value))
            } catch {
                for (name, value) in zip(Self.names, previous.values) {
                    try? Self.file(device, name).write(String(value))
                }
                throw error
            }
        }
    }

    /// The equivalent command for sysctl(8).
    func command(_ device: String) -> String {
        "sysctl -w " + zip(Self.names, values).map { "net.ipv4.conf.\(device).\($0)=\($1)" }.joined(separator: " ")
    }

    private static func file(_ device: String, _ name: String) -> ProcFile {
        ProcFile("/proc/sys/net/ipv4/conf/\(device)/\(name)")
    }
}

extension LoopbackSettings {
    private init?(_ values: [UInt8]) {
        guard values.count == 3 else { return nil }
        self.init(routesLocalNet: values[0], acceptsLocal: values[1], reversePath: values[2])
    }

    /// Parses settings written by `text`; nil for any other string.
    package init?(_ text: some StringProtocol) {
        self.init(text.split(separator: ",", omittingEmptySubsequences: false).compactMap { UInt8($0) })
    }

    /// Reads the settings of `device` in the current network namespace; nil without IPv4.
    static func read(_ device: String) throws(SystemError) -> LoopbackSettings? {
        do {
            var values: [UInt8] = []
            for name in names {
                let text = String(decoding: try SmallFile.read(file(device, name).path), as: UTF8.self)
                if let value = text.split(separator: "\n").first.flatMap({ UInt8($0) }) { values.append(value) }
            }
            return LoopbackSettings(values)
        } catch  where error.code == ENOENT {
            return nil
        }
    }
}
