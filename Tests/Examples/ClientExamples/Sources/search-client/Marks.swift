// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation

/// Marks of the run, as `linkcond mark NAME` sets them. Outside of `linkcond run` there are none to set.
struct Marks {
    let client: HTTPClient
    let socket: String?

    struct Refused: Error {
        let name: String
        let status: UInt
    }

    /// Sets a mark. Returns when it is set.
    func set(_ name: String) async throws {
        guard let socket, let url = URL(httpURLWithSocketPath: socket, uri: "/v1/marks") else { return }
        var request = HTTPClientRequest(url: url.absoluteString)
        request.method = .POST
        request.body = .bytes(try JSONEncoder().encode(["name": name]))
        let response = try await client.execute(request, timeout: .seconds(10))
        guard response.status == .ok else { throw Refused(name: name, status: response.status.code) }
        _ = try await response.body.collect(upTo: 1 << 20)
    }
}
