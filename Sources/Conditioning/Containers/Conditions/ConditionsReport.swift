// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import LinkRules

extension ConditionsProcess {
    /// What the process tells its parent.
    enum Report: Hashable {
        /// The interface has the conditions.
        case applied(String, [String])
        /// It has them no longer.
        case removed([String])
        case failed(String, Remedy?)
        case note(String)
    }
}

extension ConditionsProcess.Report: JSONConvertible {
    var json: JSON {
        switch self {
        case .applied(let interface, let notes):
            JSON(("is", "applied"), ("interface", .text(interface)), ("notes", notes.json))
        case .removed(let notes): JSON(("is", "removed"), ("notes", notes.json))
        case .failed(let reason, let remedy):
            JSON(("is", "failed"), ("reason", .text(reason)), ("remedy", .text(remedy?.line)))
        case .note(let text): JSON(("is", "note"), ("text", .text(text)))
        }
    }

    init?(json: JSON) {
        let kind: String? = json.required("is")
        let notes: [String]? = json.required("notes")
        switch kind {
        case "applied":
            guard let interface: String = json.required("interface"), let notes else { return nil }
            self = .applied(interface, notes)
        case "removed":
            guard let notes else { return nil }
            self = .removed(notes)
        case "failed":
            guard let reason: String = json.required("reason"), let remedy: String? = json.optional("remedy") else {
                return nil
            }
            self = .failed(reason, remedy.flatMap { Remedy(line: $0) })
        case "note":
            guard let text: String = json.required("text") else { return nil }
            self = .note(text)
        default: return nil
        }
    }
}
