// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts
internal import LinkConditioning
internal import LinkProfiles
internal import SandboxClient

extension ControlledSandbox {
    /// Takes all conditions out of effect until `turnOn`. The answer names the profiles.
    func turnOff(by client: String?) -> ControlAPI.Answer {
        do {
            let wasSuspended = conditions.isSuspended
            let start = try conditions.suspend(by: client)
            if !wasSuspended {
                for path in conditions.pathsOrAll { conditions.played.add(.unconditioned, on: path, at: start) }
                events?.post(.off(by: client), at: start)
            }
            return Self.answer("suspended", conditions.suspendedProfiles)
        } catch {
            return ControlAPI.refuse(error)
        }
    }

    /// Brings suspended conditions back into effect. The answer names the profiles.
    func turnOn(by client: String?) -> ControlAPI.Answer {
        do {
            guard conditions.isSuspended else { return Self.answer("resumed", []) }
            let profiles = conditions.suspendedProfiles
            let start = try conditions.resume()
            for path in conditions.pathsOrAll {
                guard let profile = try conditions.current(on: path)?.profile else { continue }
                conditions.played.add(profile, on: path, at: start)
            }
            events?.post(.on(profile: conditions.shown.profileName, by: client), at: start)
            return Self.answer("resumed", profiles)
        } catch {
            return ControlAPI.refuse(error)
        }
    }

    private static func answer(_ name: String, _ profiles: [String]) -> ControlAPI.Answer {
        ControlAPI.Answer(body: JSON((name, .list(profiles.map { JSON(.string($0)) }))))
    }

    /// The interfaces of the run that packets of its command can use, with their addresses.
    func interfaces() -> ControlAPI.Answer {
        do {
            let interfaces = try conditions.interfaces()
            return ControlAPI.Answer(body: JSON(("interfaces", .list(interfaces))))
        } catch {
            return ControlAPI.refuse(.refused, "\(error)")
        }
    }
}
