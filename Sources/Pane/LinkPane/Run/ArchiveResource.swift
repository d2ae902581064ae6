// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import LinuxSystem
package import SandboxClient

/// Answers `GET /v1/archive`: what repeats the run.
package final class ArchiveResource: PaneResource {
    private static let path = "/v1/archive"

    private let client: ControlClient
    private let version: String

    package init(_ client: ControlClient, version: String) { (self.client, self.version) = (client, version) }

    package func file(_ request: PaneRequest) -> PaneFile? {
        guard request.method == "GET", request.path == Self.path, let archive = try? archive() else { return nil }
        let time = Int(RealClock.now / 1_000_000_000)
        return PaneFile(name: RunArchive.name, type: "application/x-tar", content: archive.bytes(time: time))
    }

    /// The reason why there is no archive.
    package func answer(_ request: PaneRequest) -> ControlAPI.Answer? {
        guard request.path == Self.path else { return nil }
        guard request.method == "GET" else { return ControlAPI.refuse(allowing: "GET") }
        do throws(ControlClient.Refusal) {
            _ = try archive()
            return ControlAPI.refuse(.refused, "the archive could not be made; try again")
        } catch {
            guard !error.isGone else {
                return ControlAPI.refuse(.notObserved, "the run has ended; \"run --report DIR\" keeps what repeats it")
            }
            return ControlAPI.refuse(error.kind ?? .refused, error.message)
        }
    }

    private func archive() throws(ControlClient.Refusal) -> RunArchive {
        let (scenario, run) = (try client.repetition(), try client.run())
        let capture: Result<[UInt8], RunArchive.CaptureProblem>
        do throws(ControlClient.Refusal) {
            capture = .success(try client.capture())
        } catch {
            capture = .failure(RunArchive.CaptureProblem(reason: error.message))
        }
        return RunArchive(scenario: scenario, run: run, capture: capture, version: version)
    }
}
