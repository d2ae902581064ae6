// SPDX-License-Identifier: Apache-2.0

extension Profile {
    /// The profile as JSON; reading it gives the same profile.
    public var json: JSON {
        JSON(
            ("name", .text(name)),
            ("summary", .text(summary)),
            ("source", .text(source)),
            ("downlink", downlink?.json),
            ("uplink", uplink?.json),
            ("dns", dns.map { JSON(("delay", .text($0.delay.text))) }),
            ("mtu", .number(mtu)),
            ("ipv6", .text(ipv6?.rawValue)),
            ("nat", translation?.json),
            ("faults", faults.isEmpty ? nil : .list(faults.map(\.json))),
            ("seed", .number(seed)),
            ("schedule", schedule?.json)
        )
    }
}

extension Impairments {
    /// The figures as JSON, in the format of profiles.
    public var json: JSON {
        JSON(
            ("rate", .text(rate)),
            ("trace", trace?.json),
            ("delay", .text(delay?.text)),
            ("jitter", jitter?.json),
            ("loss", loss?.json),
            ("duplicate", .text(duplicate)),
            ("corrupt", .text(corrupt)),
            ("reorder", reorder?.json),
            ("queue", .text(queue)),
            ("overhead", overhead?.json),
            ("ecn", .bool(ecn))
        )
    }
}

extension AddressTranslation {
    fileprivate var json: JSON {
        JSON(
            ("idle", .text(idle?.text)),
            ("mapping", mapping == .endpoint ? nil : .text(mapping.rawValue)),
            ("filtering", filtering == .endpoint ? nil : .text(filtering.rawValue))
        )
    }
}

extension TraceReference {
    fileprivate var json: JSON {
        JSON(("file", .text(file)), ("format", .text(format.rawValue)), ("loop", .bool(loop)))
    }
}

extension Jitter {
    fileprivate var json: JSON? {
        if distribution == .uniform, ordered { return .text(amount.text) }
        return JSON(
            ("amount", .text(amount.text)),
            ("distribution", .text(distribution.rawValue)),
            ("ordered", .bool(ordered))
        )
    }
}

extension Reorder {
    fileprivate var json: JSON {
        JSON(("probability", .text(probability)), ("gap", .number(gap)))
    }
}

extension Overhead {
    fileprivate var json: JSON {
        JSON(("packet", .number(packet)), ("cell", .number(cell)), ("cellOverhead", .number(cellOverhead)))
    }
}

extension Schedule {
    fileprivate var json: JSON {
        let steps = steps.map { step in
            JSON(("at", .text(step.at.text)), ("downlink", step.downlink?.json), ("uplink", step.uplink?.json))
        }
        return JSON(("steps", .list(steps)), ("repeat", .text(`repeat`?.text)))
    }
}

extension LossModel {
    fileprivate var json: JSON? {
        switch self {
        case .random(let probability): .text(probability)
        case .gilbertElliott(let chain): JSON(("gilbertElliott", chain.json))
        case .fourState(let chain): JSON(("fourState", chain.json))
        }
    }
}

extension GilbertElliott {
    fileprivate var json: JSON {
        switch spelling {
        case .burst(let loss, let packets): JSON(("loss", .text(loss)), ("burst", .number(packets)))
        case .chain(let p, let r, let lossInBad, let lossInGood):
            JSON(
                ("p", .text(p)),
                ("r", .text(r)),
                ("lossInBad", .text(lossInBad)),
                ("lossInGood", .text(lossInGood))
            )
        }
    }
}

extension FourState {
    fileprivate var json: JSON {
        JSON(
            ("p13", .text(p13)),
            ("p31", .text(p31)),
            ("p32", .text(p32)),
            ("p23", .text(p23)),
            ("p14", .text(p14))
        )
    }
}
