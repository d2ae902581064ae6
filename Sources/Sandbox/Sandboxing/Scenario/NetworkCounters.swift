// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import LinuxSystem

/// The kernel's counters in the network of this process.
struct NetworkCounters {
    /// The bytes of the IP packets that the link has carried, in both directions.
    ///
    /// Packets that the link delivers to this host, or from one side of loopback to the other, are counted where IP
    /// receives them; packets to another host, at the uplink's interface. Packets that a lane drops are in neither
    /// count.
    let carried: ByteCount
    /// The TCP connections that were begun, whether or not they were established.
    let connections: UInt64

    /// Reads the counters that a trigger waits for; all counters if `trigger` is nil.
    static func current(uplinks: [String], for trigger: Trigger? = nil) -> NetworkCounters {
        func text(_ name: String, if isNeeded: Bool) -> String {
            isNeeded ? ProcFile("/proc/self/net/\(name)").text : ""
        }
        var (isBytes, isConnections) = (trigger == nil, trigger == nil)
        if case .bytes = trigger { isBytes = true }
        if case .connections = trigger { isConnections = true }
        return NetworkCounters(
            ipv4: text("netstat", if: isBytes),
            ipv6: text("snmp6", if: isBytes),
            tcp: text("snmp", if: isConnections),
            devices: text("dev", if: isBytes && !uplinks.isEmpty),
            uplinks: uplinks
        )
    }

    /// Reads the counters in the texts of netstat, snmp6, snmp and dev in /proc/net.
    init(ipv4: String, ipv6: String, tcp: String, devices: String, uplinks: [String]) {
        let arrived = (Self.value("InOctets", of: "IpExt:", in: ipv4) ?? 0) + Self.value("Ip6InOctets", in: ipv6)
        let left = uplinks.reduce(0) { $0 &+ Self.sentBytes(of: $1, in: devices) }
        carried = ByteCount(bytes: arrived &+ left)
        // The counters of TCP include connections over IPv6.
        connections = Self.value("ActiveOpens", of: "Tcp:", in: tcp) ?? 0
    }

    // The texts are read fifty times a second: by bytes, since characters take ten times as long.
    private typealias Line = Substring.UTF8View

    private static func lines(of text: String) -> [Line] { text.utf8.split(separator: UInt8(ascii: "\n")) }

    private static func words(of line: Line) -> [Line] {
        line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }

    private static func number(_ word: Line?) -> UInt64 { word.flatMap { UInt64(Substring($0)) } ?? 0 }

    /// A counter of a file with a line of names and a line of values for each protocol; nil if it is not there.
    static func value(_ name: String, of kind: String, in text: String) -> UInt64? {
        let rows = lines(of: text).filter { $0.starts(with: kind.utf8) }.map(words)
        guard rows.count == 2, let column = rows[0].firstIndex(where: { $0.elementsEqual(name.utf8) }),
            rows[1].indices.contains(column)
        else { return nil }
        return UInt64(Substring(rows[1][column]))
    }

    /// A counter of a file with a line for each counter; 0 if it is not there.
    private static func value(_ name: String, in text: String) -> UInt64 {
        guard let line = lines(of: text).first(where: { $0.starts(with: name.utf8) }) else { return 0 }
        let words = words(of: line)
        return words.count == 2 && words[0].elementsEqual(name.utf8) ? number(words[1]) : 0
    }

    private static func sentBytes(of device: String, in text: String) -> UInt64 {
        for line in lines(of: text) {
            let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1)
            guard parts.count == 2, words(of: parts[0]).first?.elementsEqual(device.utf8) == true else { continue }
            let values = words(of: parts[1])
            return values.count > 8 ? number(values[8]) : 0
        }
        return 0
    }
}
