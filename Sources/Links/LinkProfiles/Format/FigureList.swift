// SPDX-License-Identifier: Apache-2.0

/// Figures on a command line: "rate=1 Mbit/s,delay=50 ms".
public enum FigureList {
    /// Parses a list of `key=value` into the JSON object of one direction, or of "dns".
    ///
    /// - Throws: `InvalidProfile` if an item is not `key=value` or a key is given twice.
    public static func json(_ text: String) throws(InvalidProfile) -> JSON {
        var members: [(String, JSON?)] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else {
                let problem = "\(JSON.quoted(String(part).shortened)) is not KEY=VALUE"
                throw invalid(problem, expected: "figures such as \"rate=1 Mbit/s,delay=50 ms\"")
            }
            let key = String(pair[0]).trimmingSpaces()
            let value = String(pair[1]).trimmingSpaces()
            guard !members.contains(where: { $0.0 == key }) else {
                throw invalid("\(JSON.quoted(key)) is given twice", expected: "each figure once")
            }
            members.append((key, ["true", "false"].contains(value) ? .bool(value == "true") : .text(value)))
        }
        return JSON(members: members)
    }

    private static func invalid(_ problem: String, expected: String) -> InvalidProfile {
        InvalidProfile(issues: [ProfileIssue(path: .root, position: .start, problem: problem, expected: expected)])
    }
}
