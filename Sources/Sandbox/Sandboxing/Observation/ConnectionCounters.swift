// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// The numbers of TCP connections that a network has begun, has accepted, and has open, as RFC 4022 defines them. Each
/// connection that is begun, accepted or closed changes one of these counters.
struct ConnectionCounters: Hashable {
    /// tcpActiveOpens, tcpPassiveOpens and tcpCurrEstab.
    let begun, accepted, open: UInt64

    /// Reads the text of /proc/net/snmp; nil if a counter is missing.
    init?(snmp text: String) {
        func value(_ name: String) -> UInt64? { NetworkCounters.value(name, of: "Tcp:", in: text) }
        guard let begun = value("ActiveOpens"), let accepted = value("PassiveOpens"), let open = value("CurrEstab")
        else { return nil }
        (self.begun, self.accepted, self.open) = (begun, accepted, open)
    }

    /// The counters of the calling thread's network; nil if the kernel does not have them.
    static var current: ConnectionCounters? { ConnectionCounters(snmp: ProcFile("/proc/thread-self/net/snmp").text) }
}
