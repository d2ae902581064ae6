// SPDX-License-Identifier: Apache-2.0

internal import LinkConditioning
internal import LinkProfiles
package import LinuxSystem
package import SandboxClient

/// The network of a run, as its supervisor tells over the control socket. Used on one thread.
///
/// After the end of the run, the last state stays, and says that it has ended.
package final class SandboxNetwork: PaneResource {
    private let client: ControlClient
    private let follower: SandboxFollower
    private let figures: (any LaneFigures)?
    /// The number of the status that the figures have.
    private var number = 0

    /// The longest time to wait for the supervisor, in seconds: it may be stopped.
    package static let limit = 5

    /// Follows the run with this control socket.
    ///
    /// - Parameter figures: measures the lanes by the statuses; nil for what was asked only.
    package init(socket: String, figures: (any LaneFigures)? = nil) throws(SystemError) {
        client = ControlClient(path: socket, limit: Self.limit)
        follower = SandboxFollower(client)
        self.figures = figures
        try follower.start()
    }

    deinit { follower.stop() }

    package func answer(_ request: PaneRequest) -> ControlAPI.Answer? {
        switch (request.method, request.path) {
        case ("GET", ControlAPI.Resource.interfaces.rawValue):
            let state = follower.state
            return ControlAPI.Answer(
                body: JSON(("interfaces", state.interfaces ?? .list([])), ("containers", .list([])))
            )
        case ("GET", ControlAPI.Resource.run.rawValue):
            let state = follower.state
            guard let run = state.runWithEnd else { return state.refusal }
            return ControlAPI.Answer(body: run)
        case (_, ControlAPI.Resource.interfaces.rawValue), (_, ControlAPI.Resource.run.rawValue):
            return ControlAPI.refuse(path: request.path)
        default: return nil
        }
    }

    /// The text of `GET /v1/live`, without number and time. Called at most ten times a second.
    package func text() -> [UInt8] {
        let state = follower.state
        if let status = state.status, state.number != number {
            number = state.number
            figures?.use(status)
            figures?.sample(at: BootClock.now)
        }
        let text = state.pieces.text(lanes: { self.figures?.lanes(interface: $0.interface, rule: $0.number) })
        return Array(text.utf8)
    }
}

extension SandboxFollower.State {
    /// The run, which the supervisor no longer tells after its end.
    var runWithEnd: JSON? {
        guard let end, let run, run["ended"] == nil else { return run }
        return run.replacing("ended", .number(end) ?? JSON(.null))
    }

    fileprivate var refusal: ControlAPI.Answer {
        ControlAPI.refuse(.refused, problem?.message ?? "the run has not told about itself yet")
    }
}
