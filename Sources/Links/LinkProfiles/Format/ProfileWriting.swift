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
            ("corrupt", corruption),
            ("reorder", reorder?.json),
            ("queue", queueManagement?.json(queue) ?? .text(queue)),
            ("competing", competing.map { $0.count == 1 ? $0[0].json : .list($0.map(\.json)) }),
            ("overhead", overhead?.json),
            ("ecn", .bool(ecn))
        )
    }
}

extension Impairments {
    private var corruption: JSON? {
        guard let corrupt, let longestCorruption else { return .text(corrupt) }
        return LimitedBursts(chance: corrupt, longest: longestCorruption).json
    }
}

extension LimitedBursts {
    fileprivate var json: JSON { JSON(("random", .text(chance)), ("longestBurst", .number(longest))) }
}

extension QueueManagement {
    /// As a name alone, or an object with what is given.
    fileprivate func json(_ size: QueueSize?) -> JSON? {
        if size == nil, self == QueueManagement(discipline) { return .text(discipline.rawValue) }
        return JSON(
            ("size", .text(size)),
            ("discipline", .text(discipline.rawValue)),
            ("target", .text(target?.text)),
            ("interval", .text(interval?.text)),
            ("quantum", .number(quantum)),
            ("flows", .number(flows)),
            ("update", .text(update?.text)),
            ("burst", .text(burst?.text)),
            ("step", .text(step?.text)),
            ("coupling", coupling.map { JSON(.number($0.short)) })
        )
    }
}

extension CompetingFlows {
    fileprivate var json: JSON {
        let (bulk, video, call, web): (JSON?, JSON?, JSON?, JSON?) =
            switch kind {
            case .bulk: (.number(count), nil, nil, nil)
            case .video(let rate): (nil, .text(rate), nil, nil)
            case .call(let rate): (nil, nil, .text(rate), nil)
            case .web(let pages): (nil, nil, nil, .text(pages.pagesAMinute))
            }
        return JSON(
            ("bulk", bulk),
            ("video", video),
            ("call", call),
            ("web", web),
            ("count", bulk == nil && count > 1 ? .number(count) : nil),
            ("roundTrip", .text(roundTrip?.text)),
            ("start", .text(start?.text)),
            ("end", .text(end?.text)),
            ("congestion", congestion == .cubic ? nil : .text(congestion.rawValue)),
            ("page", .text(page)),
            ("connections", .number(connections))
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
        case .limited(let bursts): bursts.json
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
