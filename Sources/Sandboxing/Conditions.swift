// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkConditioning
internal import LinkProfiles
internal import Netlink

/// The conditions of one sandbox: one profile for its loopback and its uplink.
final class Conditions {
    private let connection: RouteConnection
    private let devices: [String]
    private let selection: Selection
    /// The profile in force; nil as long as there was none.
    private(set) var profile: Profile?

    /// Conditions for `devices` of the network that `connection` leads to.
    init(_ connection: RouteConnection, devices: [String], selection: Selection) {
        self.connection = connection
        self.devices = devices
        self.selection = selection
    }

    /// Puts `profile` in the place of the one in force, on every device.
    ///
    /// - Returns: what there is to wait for when the new conditions hold: lanes that drain.
    /// - Throws: what stands in the way; the conditions are as they were before.
    func change(to profile: Profile, seed: UInt64? = nil) throws(ConditioningError) -> [Plan] {
        let plans = try plan(profile, seed: seed)
        let conditioner = Conditioner(connection)
        for (_, plan) in plans { try conditioner.require(plan.requirements) }
        var built: [Plan] = []
        for (device, plan) in plans {
            do {
                try conditioner.build(plan, on: device)
            } catch {
                // The devices before it have the new conditions already; they get the old ones back.
                if !built.isEmpty { try? restore() }
                throw error
            }
            built.append(plan)
        }
        self.profile = profile
        return built
    }

    /// Takes away what `plans` no longer want.
    func retire(_ plans: [Plan]) throws(ConditioningError) {
        for plan in plans { _ = try Conditioner(connection).retire(plan) }
    }

    /// What the kernel has on the devices.
    func report() throws(ConditioningError) -> (devices: [DeviceState], abandoned: [LaneState]) {
        do {
            return try Inspector(connection).conditionedDevices()
        } catch {
            throw ConditioningError(error)
        }
    }

    private func restore() throws(ConditioningError) {
        for (device, plan) in try plan(profile ?? Profile(name: "none")) {
            try Conditioner(connection).carryOut(plan, on: device)
        }
    }

    private func plan(_ profile: Profile, seed: UInt64? = nil) throws(ConditioningError) -> [(
        device: String, plan: Plan
    )] {
        let request = RuleRequest(profile: profile, selection: selection, seed: seed, origin: .here)
        var plans: [(String, Plan)] = []
        for device in devices {
            let state: DeviceState
            do {
                state = try Inspector(connection).device(named: device)
            } catch {
                throw ConditioningError(error)
            }
            let planner = Planner(state, .current(), portsTellOpener: true)
            plans.append((device, try planner.apply(request)))
        }
        return plans
    }
}
