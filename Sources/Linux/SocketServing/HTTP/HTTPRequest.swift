// SPDX-License-Identifier: Apache-2.0

/// A complete request of HTTP/1.0 or HTTP/1.1 (RFC 9112).
package struct HTTPRequest: Equatable {
    package var method: String
    /// The request's target as it was sent: "/v1/status?a=b".
    package var target: String
    /// 0 for HTTP/1.0, 1 for HTTP/1.1.
    package var minorVersion: Int
    /// The header's fields in their order, the names in lower case.
    package var fields: [Field]
    /// The body; nil if it was longer than the parser's limit.
    package var body: [UInt8]?

    /// A line of the header.
    package struct Field: Equatable {
        package var name: String
        package var value: String
    }

    /// The target without its query.
    package var path: String { String(target.prefix { $0 != "?" }) }

    /// The values of a field, by its name in lower case.
    package func values(of name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// Whether the client may send another request over the connection.
    package var isKeptAlive: Bool {
        let lists = values(of: "connection").joined(separator: ",").lowercased()
        let options = lists.split { $0 == "," || $0 == " " || $0 == "\t" }
        return !options.contains("close") && (minorVersion == 1 || options.contains("keep-alive"))
    }
}
