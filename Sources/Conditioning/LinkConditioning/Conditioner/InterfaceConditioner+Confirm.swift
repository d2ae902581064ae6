// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Netlink
internal import TrafficControl

/// Confirms rules that would otherwise be rolled back.
extension InterfaceConditioner {
    /// Confirms the rules that wait for confirmation and whose time has not passed.
    ///
    /// - Returns: the interfaces and the names of the profiles.
    public func confirm(_ interface: String? = nil) throws(ConditioningError) -> [InterfaceRule] {
        var kept: [InterfaceRule] = []
        for device in try devices(named: interface).devices {
            let name = device.link.name
            let now = machine.now
            try open(name).amend { entry in
                for index in entry.rules.indices {
                    guard let limit = entry.rules[index].ending?.confirmBy, now < limit else { continue }
                    entry.rules[index].ending?.confirmBy = nil
                    // A pump still needs its guardian.
                    let isNeeded = entry.rules[index].ending?.until != nil || entry.rules[index].engine == .userspace
                    if !isNeeded { entry.rules[index].ending = nil }
                    kept.append(InterfaceRule(interface: name, profile: entry.rules[index].profile.name))
                }
            }
        }
        return kept
    }
}
