// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import NIOFoundationCompat

/// One event that was found.
struct SearchResult: Decodable, Equatable, Sendable {
    let title: String
    let place: String
    let summary: String
}

/// The search service, over HTTP.
struct SearchService: Sendable {
    let client: HTTPClient
    let url: URL

    /// Asks the service. If the task is cancelled, so is the request, and its connection closes.
    func results(for query: String) async throws -> [SearchResult] {
        struct Answer: Decodable {
            let results: [SearchResult]
        }
        struct UnexpectedStatus: Error {
            let code: UInt
        }
        let request = HTTPClientRequest(url: url.appending(queryItems: [.init(name: "q", value: query)]).absoluteString)
        let response = try await client.execute(request, timeout: .seconds(60))
        guard response.status == .ok else { throw UnexpectedStatus(code: response.status.code) }
        let body = try await response.body.collect(upTo: 10 << 20)
        return try JSONDecoder().decode(Answer.self, from: body).results
    }

    /// How long the application waits for a connection, and for each part of an answer.
    static var configuration: HTTPClient.Configuration {
        .init(timeout: .init(connect: .seconds(10), read: .seconds(10)))
    }
}
