// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Netlink
internal import PacketPump
package import TrafficControl

extension StatusReport {
    /// Adds the conditions and counters that only the pumps of `devices` know. A pump answers root and its owner only;
    /// without an answer the lanes have neither.
    package mutating func askPumps(of devices: [DeviceState]) {
        for (device, state) in devices.enumerated() {
            for (rule, ruleState) in state.rules.enumerated() where ruleState.isPumped {
                guard let tap = ruleState.lanes.first, let report = try? PumpClient().report(tap: tap.name.description)
                else { continue }
                self.devices[device].rules[rule].lanes = report.lanes(
                    on: ruleState.lanes,
                    isLoopback: state.link.isLoopback
                )
            }
        }
    }
}
