// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Programs for the ends of connections. Each is one word of a line of shell, so that nobody needs to read a file.
enum Python {
    /// The line of shell that runs `program`.
    static func line(_ program: String, _ arguments: [String] = []) -> String {
        "/usr/bin/python3 -I -S -c \(Shell.quoted(program)) \(arguments.map(Shell.quoted).joined(separator: " "))"
    }
}

extension String {
    /// What a program printed as JSON.
    func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(utf8))
    }
}
