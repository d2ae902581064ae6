// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
package import PacketPump
package import SandboxClient

/// The connections of a run, as its supervisor lists them.
package final class SandboxConnections: ConnectionList {
    /// The time between two requests to the supervisor, for all tabs of the browser.
    private static let interval = Duration.milliseconds(200)

    private let client: ControlClient
    private var latest: (rows: [ConnectionRow], problem: String?) = ([], nil)
    private var next = Duration.zero

    package init(_ client: ControlClient) { self.client = client }

    package func connections(at now: Duration) -> (rows: [ConnectionRow], problem: String?) {
        guard now >= next else { return latest }
        next = now + Self.interval
        do throws(ControlClient.Refusal) {
            guard case .array(let rows)? = try client.connections()["rows"]?.value else { throw .otherVersion }
            latest = (rows.compactMap { ConnectionRow(json: $0) }, nil)
        } catch {
            // The rows stay: a run that has ended is still looked at.
            latest.problem = error.message
        }
        return latest
    }
}
