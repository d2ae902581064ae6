// SPDX-License-Identifier: Apache-2.0

/// A parser under test: inputs to start from, and what has to hold for every input.
struct FuzzTarget: Sendable {
    let name: String
    /// Valid inputs, one of each kind. scripts/check/fuzz adds files of the repository to some.
    let seeds: [[UInt8]]
    /// Parses the input. Ends the process if a property does not hold.
    let parse: @Sendable ([UInt8]) -> Void

    init(_ name: String, seeds: [[UInt8]], parse: @escaping @Sendable ([UInt8]) -> Void) {
        (self.name, self.seeds, self.parse) = (name, seeds, parse)
    }

    /// The same for text.
    init(_ name: String, texts: [String], parse: @escaping @Sendable ([UInt8]) -> Void) {
        self.init(name, seeds: texts.map { Array($0.utf8) }, parse: parse)
    }

    static let all: [FuzzTarget] = [
        .archive, .capture, .dns, .event, .expectation, .faults, .gateway, .http, .http2, .imports, .journal, .json,
        .nat, .nat64,
        .ping,
        .profile, .pump, .request, .scenario, .target, .tls, .trace,
    ]

    /// Ends the process, which libFuzzer reports as a crash, unless `isSound`.
    static func require(_ isSound: Bool, _ problem: @autoclosure () -> String) {
        if !isSound { fatalError("wrong: \(problem())") }
    }

    /// The bytes in pieces, as a stream may deliver them: their lengths come from the bytes themselves.
    static func pieces(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var rest = bytes[...]
        var pieces: [ArraySlice<UInt8>] = []
        while let first = rest.first {
            pieces.append(rest.prefix(Int(first % 7) + 1))
            rest = rest.dropFirst(Int(first % 7) + 1)
        }
        return pieces
    }
}
