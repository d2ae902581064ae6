// SPDX-License-Identifier: Apache-2.0

extension Scenario {
    /// The scenario as JSON; reading it gives the same scenario.
    public var json: JSON {
        JSON(
            ("name", .text(name)),
            ("summary", .text(summary)),
            ("profile", paths.isEmpty || profile.choice != .inline(.unconditioned) ? profile.json : nil),
            ("paths", paths.isEmpty ? nil : JSON(members: paths.map { ($0.name, $0.profile.json) })),
            ("steps", steps.isEmpty ? nil : .list(steps.map(\.json))),
            ("repeat", `repeat` == 1 ? nil : .number(`repeat`)),
            ("expect", expect.isEmpty ? nil : .list(expect.map { JSON(.string($0.text)) }))
        )
    }
}

extension Scenario.Step {
    fileprivate var json: JSON {
        let handOver = changes.handOver.map { JSON(("profile", profile.json), ("overlap", .text($0.overlap?.text))) }
        return JSON(
            ("label", .text(label)),
            ("after", after.json),
            ("path", .text(path)),
            ("profile", handOver == nil ? profile.json : nil),
            ("link", .text(changes.link?.rawValue)),
            ("address", .text(changes.address?.rawValue)),
            ("hand over", handOver),
            ("nat", .text(changes.nat?.rawValue)),
            ("queued", queued == .delivered ? nil : .text(queued.rawValue)),
            ("faults", faults.map { .list($0.map(\.json)) })
        )
    }
}

extension ProfileReference {
    fileprivate var json: JSON {
        switch choice {
        case .named(let name): JSON(.string(name))
        case .inline(let profile): profile.json
        }
    }
}

extension Trigger {
    fileprivate var json: JSON {
        switch self {
        case .time(let time): JSON(.string(time.text))
        case .bytes(let count): JSON(("bytes", .text(count)))
        case .connections(let count): JSON(("connections", .number(count)))
        case .mark(let name): JSON(("mark", .text(name)))
        }
    }
}
