// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// The connections and packets of this process's network for which there was no route.
enum UnroutedPackets {
    static var count: Int {
        let v4 = ProcFile("/proc/self/net/snmp").lines.filter { $0.hasPrefix("Ip:") }.map { $0.split(separator: " ") }
        // The names of the counters and their values are in two lines.
        let column = v4.first?.firstIndex(of: "OutNoRoutes") ?? .max
        let routes = v4.count == 2 && v4[1].indices.contains(column) ? Int(v4[1][column]) : nil
        let v6 = ProcFile("/proc/self/net/snmp6").lines.first { $0.hasPrefix("Ip6OutNoRoutes") }?.split(separator: " ")
        return (routes ?? 0) + (v6?.last.flatMap { Int($0) } ?? 0)
    }
}
