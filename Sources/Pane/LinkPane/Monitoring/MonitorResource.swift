// SPDX-License-Identifier: Apache-2.0

internal import LinkConditioning
internal import LinkProfiles
package import Reachability
package import SandboxClient

/// The monitor's targets: `GET /v1/monitor` and `PUT /v1/monitor`.
///
/// The monitor starts with the first target, and ends with the last: without targets it sends nothing.
package final class MonitorResource: PaneResource {
    /// Makes the monitor in the network whose targets it probes.
    package typealias Monitor = () -> ReachabilityMonitor

    private let makeMonitor: Monitor
    private var watch: TargetWatch?

    /// Each target is probed every two seconds.
    static let maximumTargets = 100

    package init(_ makeMonitor: @escaping Monitor = MonitorResource.ofThisNetwork) {
        self.makeMonitor = makeMonitor
    }

    /// Makes a monitor in the network namespace of the calling thread.
    package static func ofThisNetwork() -> ReachabilityMonitor {
        ReachabilityMonitor(isOwnDevice: LaneDevices.contains)
    }

    package func answer(_ request: PaneRequest) -> ControlAPI.Answer? {
        guard request.path == "/v1/monitor" else { return nil }
        switch request.method {
        case "GET": return ControlAPI.Answer(body: state)
        case "PUT":
            do throws(ControlAPI.Answer) {
                set(try Self.targets(request.body))
                return ControlAPI.Answer(body: state)
            } catch {
                return error
            }
        default: return ControlAPI.refuse(allowing: "GET, PUT")
        }
    }

    private var state: JSON { JSON(("targets", watch?.json ?? .list([]))) }

    private func set(_ targets: [Target]) {
        guard !targets.isEmpty else { return watch = nil }
        let watch = watch ?? TargetWatch(makeMonitor())
        watch.watch(targets)
        self.watch = watch
    }

    /// The targets of a request, each once.
    static func targets(_ body: JSON?) throws(ControlAPI.Answer) -> [Target] {
        guard let words: [String] = body?.required("targets") else {
            throw refuse("the body has no \"targets\"; expected an array of strings")
        }
        guard words.count <= maximumTargets else {
            throw refuse("\(words.count) targets; at most \(maximumTargets) are watched")
        }
        var targets: [Target] = []
        for word in words {
            // A file of the command line's user is not the page's to name.
            guard !word.hasPrefix("@") else { throw refuse("@FILE is for the command line; name each target") }
            do throws(TargetError) {
                let target = try Target(word)
                if !targets.contains(target) { targets.append(target) }
            } catch {
                throw refuse(error.description)
            }
        }
        return targets
    }

    private static func refuse(_ message: String) -> ControlAPI.Answer {
        .refuse(.badRequest, message, field: "targets")
    }
}
