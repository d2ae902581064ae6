// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkConditioning
internal import LinkProfiles
internal import Netlink

/// Conditions that a process of ours carries, over TAP devices.
final class PumpedConditions: Conditions {
    private let connection: RouteConnection
    private let devices: [LedDevice]
    private let selection: Selection
    private var pump: PumpProcess
    private var current: RuleRequest?

    /// A device and the way of its traffic.
    struct LedDevice {
        let name: String
        let index: Int32
        let detour: Detour
    }

    /// Starts the process; no traffic is led to it yet. The caller has to have one thread.
    init(
        _ connection: RouteConnection,
        devices names: [String],
        selection: Selection,
        recordings: Recordings,
        log: CInt?
    ) throws(SandboxError) {
        self.connection = connection
        self.selection = selection
        do throws(ConditioningError) {
            try Conditioner(connection).require([.mirred])
            devices = try names.map { name throws(ConditioningError) in
                try Self.lead(name, connection, selection)
            }
        } catch {
            throw SandboxError(error)
        }
        pump = try PumpProcess.fork(devices.map(\.detour), recordings, log: log)
    }

    /// The pump's process.
    var process: pid_t { pump.process }

    func change(to profile: Profile, seed: UInt64?) throws(ConditioningError) -> [Plan] {
        var profile = profile
        profile.seed = seed ?? profile.seed
        let request = RuleRequest(profile: profile, selection: selection, origin: .here)
        try pump.use(profile)
        for device in devices { try Conditioner(connection).build(device.detour.describe(request), on: device.name) }
        if current == nil { try leadAll() }
        current = request
        return []
    }

    func retire(_ plans: [Plan]) {}

    func report() -> (report: StatusReport, profile: String?) {
        guard let current else { return (StatusReport(pumped: []), nil) }
        let readings = pump.counters()
        let reports = zip(devices, readings).map { device, reading in
            StatusReport.Device(
                device.name,
                index: device.index,
                pumped: current,
                lanes: reading.lanes(of: current.profile, on: device.detour.taps)
            )
        }
        return (StatusReport(pumped: reports), current.profile.name)
    }

    private static func lead(
        _ name: String,
        _ connection: RouteConnection,
        _ selection: Selection
    ) throws(ConditioningError) -> LedDevice {
        let state: DeviceState
        do {
            state = try Inspector(connection).device(named: name)
        } catch {
            throw ConditioningError(error)
        }
        let request = RuleRequest(profile: Profile(name: "sandbox"), selection: selection, origin: .here)
        let detour = try Planner(state, .current()).detour(request)
        return LedDevice(name: name, index: state.link.index, detour: detour)
    }

    private func leadAll() throws(ConditioningError) {
        do {
            try Self.admitLoopback()
        } catch {
            throw ConditioningError(.notPermitted, error.message)
        }
        let conditioner = Conditioner(connection)
        var led: [LedDevice] = []
        for device in devices {
            do {
                try conditioner.build(device.detour.plan, on: device.name)
            } catch {
                for other in led.reversed() {
                    var undo = Plan()
                    undo.retire = other.detour.plan.build.reversed().compactMap(\.undo)
                    _ = try? conditioner.retire(undo)
                }
                throw error
            }
            led.append(device)
        }
    }

    /// Lets loopback take packets that come to it from the pump, without the route they left with.
    private static func admitLoopback() throws(SandboxError) {
        for device in ["all", "lo"] {
            for (name, value) in [("route_localnet", "1"), ("accept_local", "1"), ("rp_filter", "0")] {
                try Setting("/proc/sys/net/ipv4/conf/\(device)/\(name)").write(value)
            }
        }
    }
}
