// SPDX-License-Identifier: Apache-2.0

internal import LinkConditioning
internal import LinuxSystem
internal import Netlink
internal import TrafficControl

/// A running capture of the lanes of a sandbox.
struct LaneCapture {
    let recorder: any LaneRecorder
    private var entries: EntryDevices

    /// Starts a capture that writes to the first of the open files and reads TLS keys from the second, in the network of the
    /// caller.
    init(
        _ capture: RunCapture,
        _ files: [CInt],
        of devices: [String],
        _ connection: RouteConnection
    ) throws(ConditioningError) {
        var indexes: [Int32] = []
        do {
            for device in devices { indexes.append(try connection.link(named: device).index) }
            entries = try EntryDevices(of: devices, connection)
        } catch {
            throw ConditioningError(error)
        }
        do {
            recorder = try capture.startLanes(files[0], files.dropFirst().first, indexes)
        } catch let error as SystemError {
            throw ConditioningError(.unsupported, error)
        } catch {
            throw ConditioningError(.unsupported, "cannot capture: \(error)")
        }
    }

    /// Has the filters of plans for `devices` show the capture what enters their lanes.
    mutating func join(_ plans: [Plan], on devices: [String]) throws(ConditioningError) -> [Plan] {
        recorder.expect(LaneTimes(plans))
        do {
            var joined: [Plan] = []
            for (plan, device) in zip(plans, devices) { joined.append(try entries.join(plan, on: device)) }
            return joined
        } catch {
            throw ConditioningError(error)
        }
    }

    /// Shows the capture what goes through no lane. The lanes of the first conditions have been made.
    mutating func showOthers() throws(ConditioningError) {
        do {
            try entries.showOthers()
        } catch {
            throw ConditioningError(error)
        }
    }
}
