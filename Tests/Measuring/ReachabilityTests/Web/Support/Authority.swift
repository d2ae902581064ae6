// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// A certificate authority of the tests' own, made by openssl(1), with servers' certificates good and bad.
///
/// Each is a file NAME.pem with key and chain.
final class Authority: Sendable {
    let directory: URL

    /// Whom the probes are to trust.
    var roots: String { path("root") }

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "linkcond-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let made = try CommandResult(
            of: ["env", "--chdir=\(directory.path)", "/bin/sh", "-c", Script("make-certificates.sh").text]
        )
        try #require(made.status == 0, "\(made.errors)")
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    func path(_ name: String) -> String { directory.appending(path: "\(name).pem").path }

    /// The first certificate of a file, as DER.
    func der(_ name: String) throws -> [UInt8] {
        let text = try String(contentsOfFile: path(name), encoding: .utf8)
        let start = try #require(text.range(of: "-----BEGIN CERTIFICATE-----"))
        let end = try #require(text.range(of: "-----END CERTIFICATE-----"))
        let base64 = text[start.upperBound..<end.lowerBound].filter { !$0.isWhitespace }
        return Array(try #require(Data(base64Encoded: base64)))
    }
}
