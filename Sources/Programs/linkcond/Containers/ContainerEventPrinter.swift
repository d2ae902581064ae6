// SPDX-License-Identifier: Apache-2.0

import Containers
import LinkConditioning
import LinkProfiles
import Reports

/// Prints the events of a container watch: as JSON, or as text, where refusals and notes go to standard error.
struct ContainerEventPrinter {
    let asJSON: Bool

    func show(_ event: ContainerEvent) {
        guard !asJSON else { return Console.text(event.json.line) }
        switch event {
        case .applied(let container, let profile, let interface, let facing, let notes):
            Console.text("\(container.name): \(interface) has \"\(profile)\"\(facing.words)")
            show(notes, of: container)
        case .removed(let container, let notes):
            Console.text("\(container.name): conditions removed")
            show(notes, of: container)
        case .refused(let container, let reason, let remedy):
            Console.failure(String("\(container.name): \(reason)", try: remedy?.words(in: container.option)))
        case .note(let container, let text): show([text], of: container)
        }
    }

    private func show(_ notes: [String], of container: Container?) {
        let name = container.map { "\($0.name): " } ?? ""
        for note in notes { Console.failure("note: \(name)\(note)") }
    }
}

extension ContainerEvent {
    /// The event as a JSON object.
    fileprivate var json: JSON {
        switch self {
        case .applied(let container, let profile, let interface, let facing, let notes):
            object(
                "applied",
                container,
                ("profile", .text(profile)),
                ("interface", .text(interface)),
                ("facing", .text(facing.rawValue)),
                ("notes", notes.json)
            )
        case .removed(let container, let notes): object("removed", container, ("notes", notes.json))
        case .refused(let container, let reason, let remedy):
            object("refused", container, ("reason", .text(reason)), ("try", .text(remedy?.words(in: container.option))))
        case .note(let container, let text): object("note", container, ("text", .text(text)))
        }
    }

    private func object(_ name: String, _ container: Container?, _ rest: (String, JSON?)...) -> JSON {
        let head: [(String, JSON?)] = [
            ("event", .text(name)), ("container", .text(container?.name)), ("id", .text(container?.id)),
        ]
        return JSON(members: (head + rest).map { ($0.0, $0.1) })
    }
}

extension Container {
    /// The option that names the container's network, with a space before it.
    fileprivate var option: String { " --container \(name.shellWord)" }
}
