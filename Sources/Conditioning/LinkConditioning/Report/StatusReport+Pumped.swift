// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Netlink
internal import PacketPump
package import TrafficControl

extension StatusReport {
    /// Adds the conditions and counters that only the pumps of `devices` know. A pump answers only its own user;
    /// without an answer, the lanes have neither conditions nor counters.
    package mutating func ask(of devices: [DeviceState]) { ask(RealMachine.client, of: devices) }

    /// Adds the counters from the pumps that `pumps` reaches; does nothing for nil.
    mutating func ask(_ pumps: PumpClient?, of devices: [DeviceState]) {
        for (device, state) in devices.enumerated() {
            for (rule, ruleState) in state.rules.enumerated() where ruleState.isPumped {
                guard let tap = ruleState.lanes.first, let report = try? pumps?.report(tap: tap.name.description)
                else { continue }
                self.devices[device].rules[rule].faults = zip(report.profile.faults, report.counters.faults).map {
                    FaultStatus(fault: $0.words, packets: $1)
                }
                self.devices[device].rules[rule].lanes = report.lanes(
                    on: ruleState.lanes,
                    isLoopback: state.link.isLoopback
                )
            }
        }
    }
}

extension PumpReport {
    /// The profile's lanes whose TAP device is among `taps`, DNS first, with their counters.
    ///
    /// - Parameter isLoopback: whether the device is loopback, which has one TAP device for all lanes.
    func lanes(on taps: [LaneState], isLoopback: Bool) -> [StatusReport.LaneStatus] {
        profile.lanes.compactMap { kind, impairments in
            let carrier = kind.carrier(isLoopback: isLoopback)
            guard let tap = taps.first(where: { $0.name.kind == carrier }) else { return nil }
            let counters = counters[kind]
            return StatusReport.LaneStatus(
                kind: kind,
                device: tap.name.description,
                conditions: impairments,
                limitPackets: nil,
                matchedPackets: counters.arrived,
                counters: StatusReport.Counters(
                    sentPackets: counters.left,
                    sentBytes: counters.leftBytes,
                    droppedPackets: counters.allDrops,
                    heldPackets: counters.queued,
                    heldBytes: nil,
                    percentBehindOthers: counters.competition.percent
                )
            )
        }
    }
}

extension Lane {
    /// The lane whose TAP device carries this lane.
    func carrier(isLoopback: Bool) -> Lane { self == .downlink && !isLoopback ? .downlink : .uplink }
}
