// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import PacketPump

extension StatusReport {
    /// Adds what only the pumps of `devices` know: what they carry, and what has become of the packets. One that does
    /// not answer, as it answers nobody but root and its own user, leaves its lanes without figures.
    public mutating func askPumps(of devices: [DeviceState]) {
        for (device, state) in devices.enumerated() {
            for (rule, ruleState) in state.rules.enumerated() where ruleState.isPumped {
                guard let tap = ruleState.lanes.first, let report = try? PumpClient().report(tap: tap.name.description)
                else { continue }
                self.devices[device].rules[rule].lanes = report.lanes(on: ruleState.lanes)
            }
        }
    }
}
