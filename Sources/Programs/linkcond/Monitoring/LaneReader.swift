// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import Netlink
import SandboxClient
import Sandboxing
import TrafficControl

/// Reads the rules and lanes of each interface in this process's network namespace. They come from the kernel; for rules
/// with the userspace engine, of which the kernel only knows the name, from the pump or from this sandbox's supervisor.
struct LaneReader {
    private let connection: RouteConnection

    /// Prepares to read in this process's network namespace.
    init() throws(NetlinkError) { connection = RouteConnection(try RouteSocket()) }

    /// Reads the rules; empty if they cannot be read.
    func devices() -> [StatusReport.Device] {
        guard let (devices, abandoned) = try? Inspector(connection).conditionedDevices() else { return [] }
        var report = StatusReport(devices: devices, abandoned: abandoned)
        report.ask(of: devices)
        let kernel = report.devices
        guard kernel.contains(where: \.hasPump) else { return kernel }
        let supervised = (try? ControlClient.ofThisSandbox?.status())?.devices ?? []
        return kernel.map { device in supervised.first { $0.interface == device.interface } ?? device }
    }
}

extension StatusReport.Device {
    /// Whether a rule of the device has the userspace engine.
    var hasPump: Bool { rules.contains { $0.engine == Engine.userspace.rawValue } }
}
