// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import LinkRules

extension ConditionsProcess {
    /// A message of the process to its parent.
    enum Report: Hashable {
        /// The interface has the conditions.
        case applied(String, [String])
        /// The container no longer has these conditions.
        case removed([String])
        case failed(String, Remedy?)
        case note(String)
    }
}

extension ConditionsProcess.Report: JSONEnumeration {
    static let caseKey = "is"

    static let blanks = JSONBlanks<Self>(.applied("", []), .removed([]), .failed("", nil), .note(""))

    func described(by members: inout JSONMembers) -> Self {
        switch self {
        case .applied(let interface, let notes):
            members.case("applied", Self.applied, .required("interface", interface), .required("notes", notes))
        case .removed(let notes): members.case("removed", Self.removed, .required("notes", notes))
        case .failed(let reason, let remedy):
            members.case(
                "failed",
                { (reason, line) in .failed(reason, line.flatMap { Remedy(line: $0) }) },
                .required("reason", reason),
                .optional("remedy", remedy?.line)
            )
        case .note(let text): members.case("note", Self.note, .required("text", text))
        }
    }
}
