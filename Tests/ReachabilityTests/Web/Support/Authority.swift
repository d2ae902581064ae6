// SPDX-License-Identifier: Apache-2.0

import Foundation
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
        try Data(Self.script.utf8).write(to: directory.appending(path: "make.sh"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-e", "make.sh"]
        process.currentDirectoryURL = directory
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let text = try errors.fileHandleForReading.readToEnd()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(String(decoding: text ?? Data(), as: UTF8.self))")
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

    /// Dates can only be chosen with openssl-ca(1) before OpenSSL 3.4.
    private static let script = """
        cat >ca.cnf <<END
        [ca]
        default_ca = own
        [own]
        database = index
        new_certs_dir = .
        rand_serial = yes
        default_md = sha256
        policy = any
        copy_extensions = copyall
        unique_subject = no
        [any]
        commonName = optional
        [req]
        distinguished_name = req
        END
        : >index
        key() { openssl ecparam -name prime256v1 -genkey -noout -out $1.key; }
        root() {
            key $1
            openssl req -config ca.cnf -x509 -new -key $1.key -days 3650 -subj "/CN=$1" -out $1.crt \\
                -addext basicConstraints=critical,CA:TRUE
            cp $1.crt $1.pem
        }
        # sign NAME ISSUER START END EXTENSION
        sign() {
            key $1
            openssl req -config ca.cnf -new -key $1.key -subj "/CN=$1" -addext "$5" -out $1.csr
            openssl ca -config ca.cnf -batch -notext -cert $2.crt -keyfile $2.key -startdate $3 -enddate $4 \\
                -in $1.csr -out $1.crt
            cat $1.key $1.crt >$1.pem
        }
        names=subjectAltName=DNS:good.test,DNS:*.wild.test,IP:127.0.0.1,IP:::1
        root root
        root stranger
        sign good root 20200101000000Z 20990101000000Z $names
        sign expired root 20200101000000Z 20210101000000Z $names
        sign early root 20980101000000Z 20990101000000Z $names
        sign unknown stranger 20200101000000Z 20990101000000Z $names
        sign strangerExpired stranger 20200101000000Z 20210101000000Z $names
        sign other root 20200101000000Z 20990101000000Z subjectAltName=DNS:other.test,DNS:third.test
        sign middle root 20200101000000Z 20990101000000Z basicConstraints=critical,CA:TRUE
        sign chained middle 20200101000000Z 20990101000000Z $names
        cat middle.crt >>chained.pem
        sign oldMiddle root 20200101000000Z 20210101000000Z basicConstraints=critical,CA:TRUE
        sign underOld oldMiddle 20200101000000Z 20990101000000Z $names
        cat oldMiddle.crt >>underOld.pem
        key self
        openssl req -config ca.cnf -x509 -new -key self.key -days 3650 -subj /CN=self -addext $names -out self.crt
        cat self.key self.crt >self.pem
        """
}
