// SPDX-License-Identifier: Apache-2.0

@testable import LinkProfiles

extension Profile {
    /// Reads a profile called "Test" with the given members after its name.
    init(members: String) throws {
        try self.init(utf8: "{ \"name\": \"Test\", \(members) }".utf8)
    }

    /// The issues of a profile called "Test" with the given members, without line and column; none where it is valid.
    static func issues(members: String) -> [String] {
        do {
            _ = try Profile(utf8: "{ \"name\": \"Test\", \(members) }".utf8)
            return []
        } catch {
            return error.issues.map(\.withoutPosition)
        }
    }

    /// The profile written over several lines and read again.
    func rereadFromText() throws -> Profile {
        try Profile(utf8: json.text.utf8)
    }
}
