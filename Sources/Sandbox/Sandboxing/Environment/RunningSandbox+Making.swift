// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkConditioning
internal import Netlink
internal import PacketPump

extension RunningSandbox {
    static func startPump(
        _ sandbox: Sandbox,
        log: CInt?,
        _ capture: PumpCaptureStart?
    ) throws(ConditioningError) -> PumpProcess {
        do {
            return try PumpProcess.fork(
                sandbox.conditions?.recordings ?? [:],
                ephemeralPorts: NetworkSettings.ephemeralPorts,
                log: log,
                capture: capture,
                isRecording: !sandbox.isObservedAtRequest
            )
        } catch {
            throw ConditioningError(.unsupported, error)
        }
    }

    /// Starts a capture that writes to the first of the open files and reads TLS keys from the second.
    static func startRecorder(
        _ start: RunCapture.StartLanes,
        _ files: [CInt],
        of devices: [String],
        _ connection: RouteConnection
    ) throws(ConditioningError) -> RunCapture.LaneRecorder {
        do {
            let indexes = try devices.map { try connection.link(named: $0).index }
            return try start(files[0], files.dropFirst().first, indexes)
        } catch {
            throw ConditioningError(.unsupported, "cannot capture: \(error)")
        }
    }

    /// - Parameter choice: the engine, with the plans for the first of the links.
    static func begin(
        _ links: [Sandbox.Link],
        _ choice: EngineChoice,
        _ conditions: SandboxConditions,
        _ conditioner: EphemeralConditioner
    ) throws(ConditioningError) {
        do {
            for (number, link) in links.enumerated() {
                guard let request = link.request else { continue }
                if number == 0 { try conditioner.require(choice) }
                let plans = number == 0 ? choice.plans : nil
                try conditions.change(
                    to: request.profile,
                    on: link.path,
                    by: .start,
                    seed: request.seed,
                    plans: plans
                )
            }
        } catch {
            var error = error
            // Both engines may lack the same thing.
            if let reason = choice.reason, reason != error.message { error.message = "\(reason)\n\(error.message)" }
            error.remedy = error.remedy ?? Remedy(.examine)
            throw error
        }
    }

    /// Moves this process into a new network, and sets the network up.
    static func moveIn(
        _ settings: NetworkSettings
    ) throws(SandboxError) -> (connection: RouteConnection, hasReadOnlySettings: Bool) {
        let namespaces = try NamespaceSet.enter()
        let connection = try RouteConnection.here()
        try settings.apply(connection, hasUserNamespace: namespaces.hasUser)
        return (connection, namespaces.hasReadOnlySettings)
    }

    /// Makes the files that only the sandbox sees; returns the control socket, to which root and `user` may connect.
    static func makeFiles(user: uid_t) throws(SandboxError) -> CInt {
        try PrivateFiles.mountDirectory()
        try PrivateFiles.makeTurn(user: user)
        try PrivateFiles.hideResolvers()
        PrivateFiles.showInterfaces()
        return try ControlServer.listen(at: PrivateFiles.controlSocket, user: user)
    }
}
