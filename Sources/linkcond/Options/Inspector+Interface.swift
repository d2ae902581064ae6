// SPDX-License-Identifier: Apache-2.0

import LinkConditioning

extension Inspector {
    /// The device that a command names, or else every device with conditions and what is left of vanished ones.
    func devices(named interface: String?) throws -> (devices: [DeviceState], abandoned: [LaneState]) {
        try Failure.catching {
            guard let interface else { return try conditionedDevices() }
            return ([try device(named: interface)], [])
        }
    }
}
