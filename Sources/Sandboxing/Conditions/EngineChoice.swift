// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkConditioning
internal import LinkProfiles
internal import Netlink

/// Which engine carries a sandbox's conditions, and why.
struct EngineChoice {
    let engine: Engine
    /// Why it is that one, where nobody asked for it and it is not the usual one.
    let reason: String?

    /// Takes the engine that was asked for; else netem, where the kernel has all of it that the conditions need, and
    /// can tell loopback's directions apart as well as they ask; else userspace.
    ///
    /// Without conditions to go by, the kernel's own engine is taken if it is there.
    init(
        _ wanted: Engine?,
        _ request: RuleRequest?,
        _ connection: RouteConnection,
        devices: [String],
        needsLog: Bool
    ) {
        if let engine = wanted {
            self.init(engine: engine, reason: nil)
        } else if needsLog {
            self.init(engine: .userspace, reason: "netem keeps no log")
        } else if let obstacle = Self.obstacle(request, connection, devices), request != nil || Self.canMakeTaps {
            // Where there are to be conditions and neither engine can be had, userspace says what it lacks.
            self.init(engine: .userspace, reason: obstacle)
        } else if let request, request.profile.uplink != request.profile.downlink, Self.canMakeTaps {
            self.init(engine: .userspace, reason: "netem cannot tell the directions of loopback by flows")
        } else {
            self.init(engine: .netem, reason: nil)
        }
    }

    private init(engine: Engine, reason: String?) {
        self.engine = engine
        self.reason = reason
    }

    private static var canMakeTaps: Bool { access(Uplink.tunDevice, R_OK | W_OK) == 0 }

    /// What keeps netem from it; nil where nothing does.
    private static func obstacle(
        _ request: RuleRequest?,
        _ connection: RouteConnection,
        _ devices: [String]
    ) -> String? {
        do throws(ConditioningError) {
            let conditioner = Conditioner(connection)
            try conditioner.require([.netem, .tokenBucket, .ifb, .mirred])
            guard let request else { return nil }
            for device in devices {
                let state: DeviceState
                do {
                    state = try Inspector(connection).device(named: device)
                } catch {
                    throw ConditioningError(error)
                }
                _ = try Planner(state, .current(), portsTellOpener: true).apply(request)
            }
            return nil
        } catch {
            return error.message
        }
    }
}
