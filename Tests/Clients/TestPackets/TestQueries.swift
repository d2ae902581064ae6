// SPDX-License-Identifier: Apache-2.0

/// Messages of DNS, and a capture that they are sent in.
enum TestQueries {
    static let server: [UInt8] = [192, 0, 2, 7]

    private static func name(_ name: String) -> [UInt8] {
        name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    static func query(_ text: String, _ identifier: UInt8 = 1) -> [UInt8] {
        [0, identifier, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0] + name(text) + [0, 1, 0, 1]
    }

    /// An alias and the address that it has.
    static func answer(_ text: String, _ identifier: UInt8 = 1, code: UInt8 = 0) -> [UInt8] {
        [0, identifier, 0x81, 0x80 | code, 0, 1, 0, 2, 0, 0, 0, 0] + name(text) + [0, 1, 0, 1]
            + [0xC0, 12, 0, 5, 0, 1, 0, 0, 0, 9, 0, 5, 3, 0x63, 0x64, 0x6E, 0]
            + [3, 0x63, 0x64, 0x6E, 0, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4] + server
    }

    static func capture(port: UInt16 = 40_000) -> TestCapture {
        var capture = TestCapture()
        capture.template.serverPort = 53
        capture.template.clientPort = port
        return capture
    }
}
