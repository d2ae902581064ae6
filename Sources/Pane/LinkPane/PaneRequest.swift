// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// A request of the page, which the server has admitted.
package struct PaneRequest: Sendable {
    package var method: String
    /// The path without the query: "/v1/rules".
    package var path: String
    /// The decoded names and values of the query; the last of equal names.
    package var query: [String: String] = [:]
    /// The body; nil for none.
    package var body: JSON?

    package init(_ method: String, _ path: String, query: [String: String] = [:], body: JSON? = nil) {
        (self.method, self.path, self.query, self.body) = (method, path, query, body)
    }
}
