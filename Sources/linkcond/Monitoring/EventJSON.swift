// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Netlink
import Reachability

extension Event {
    /// The event on one line; `time` is seconds since 1970.
    func json(time seconds: Double) -> JSON {
        var members: [(String, JSON?)] = [
            ("event", .text(name)), ("sequence", .number(sequence)),
            ("time", .number((seconds * 1000).rounded() / 1000)),
            ("target", .text(target)),
        ]
        switch kind {
        case .stateChanged(let old): members.append(("from", .text(old.rawValue)))
        case .reasonChanged(let old): members.append(("from", .text(old)))
        case .qualityChanged(let old): members.append(("from", .text(old?.rawValue)))
        case .pathChanged(let old): members.append(("from", old?.json))
        case .outageEnded(let time): members.append(("seconds", .number(time / .seconds(1))))
        case .portalDetected(let location): members.append(("location", .text(location)))
        case .conditionsChanged(let old): members.append(("from", .text(old?.profile)))
        case .expectationMissed(let miss): members += miss.members
        case .causeFound(let cause, let children), .causeCleared(let cause, let children):
            members += [("cause", .text(cause)), ("children", .list(children.compactMap { .text($0) }))]
        case .resumed(let pause): members.append(("seconds", .number(pause / .seconds(1))))
        case .dropped(let count): members.append(("count", .number(count)))
        case .link(let event): members += event.members
        case .sample(let observation): members += observation.members
        case .initial, .addressesChanged, .flapStarted, .flapEnded, .outageStarted, .portalCleared, .ended: break
        }
        if let status { members += status.members }
        return JSON(members: members)
    }

    /// The name in the output, which stays when a case is renamed.
    private var name: String {
        switch kind {
        case .initial: "initial"
        case .stateChanged: "stateChanged"
        case .reasonChanged: "reasonChanged"
        case .qualityChanged: "qualityChanged"
        case .pathChanged: "pathChanged"
        case .addressesChanged: "addressesChanged"
        case .link: "link"
        case .flapStarted: "flapStarted"
        case .flapEnded: "flapEnded"
        case .outageStarted: "outageStarted"
        case .outageEnded: "outageEnded"
        case .portalDetected: "portalDetected"
        case .portalCleared: "portalCleared"
        case .conditionsChanged: "conditionsChanged"
        case .expectationMissed: "expectationMissed"
        case .causeFound: "causeFound"
        case .causeCleared: "causeCleared"
        case .resumed: "resumed"
        case .sample: "sample"
        case .dropped: "dropped"
        case .ended: "ended"
        }
    }
}

extension Status {
    /// The status as members of an object; times in milliseconds.
    var members: [(String, JSON?)] {
        [
            ("state", .text(state.rawValue)), ("reason", .text(reason)), ("quality", .text(quality?.rawValue)),
            ("generation", .number(generation)), ("flapping", isFlapping ? true : nil),
            ("roundTripMs", .number(statistics.last?.milliseconds)),
            ("medianMs", .number(statistics.median?.milliseconds)),
            ("p95Ms", .number(statistics.percentile95?.milliseconds)),
            ("jitterMs", .number(statistics.jitter?.milliseconds)),
            ("loss", statistics.count == 0 ? nil : .number(statistics.loss)),
            ("cause", .text(cause)), ("via", .text(via)), ("path", path?.json),
            ("conditions", conditions?.json), ("explained", .bool(isExplained)),
            ("addresses", addresses.isEmpty ? nil : .list(addresses.map(\.json))),
        ]
    }
}

extension Duration {
    /// Milliseconds, to a microsecond.
    fileprivate var milliseconds: Double { (self / .microseconds(1)).rounded() / 1000 }
}

extension AddressStatus {
    fileprivate var json: JSON {
        JSON(
            ("address", .text(address)),
            ("state", .text(state.rawValue)),
            ("reason", .text(reason)),
            ("roundTripMs", .number(roundTrip?.milliseconds))
        )
    }
}

extension Path {
    fileprivate var json: JSON {
        JSON(
            ("interface", .text(interface)),
            ("class", .text(linkClass?.rawValue)),
            ("source", .text(source)),
            ("gateway", .text(gateway)),
            ("mtu", .number(mtu)),
            ("obstacle", .text(obstacle))
        )
    }
}

extension PathConditions {
    fileprivate var json: JSON {
        JSON(
            ("profile", .text(profile)),
            ("since", .number(since)),
            ("expectedRoundTripMs", .number(roundTrip?.milliseconds)),
            ("expectedLoss", .number(loss))
        )
    }
}

extension ConditionsMismatch {
    fileprivate var members: [(String, JSON?)] {
        switch self {
        case .roundTrip(let expected, let measured):
            [
                ("missed", "roundTripMs"), ("expected", .number(expected.milliseconds)),
                ("measured", .number(measured.milliseconds)),
            ]
        case .loss(let expected, let measured):
            [("missed", "loss"), ("expected", .number(expected)), ("measured", .number(measured))]
        }
    }
}

extension LinkEvent {
    fileprivate var members: [(String, JSON?)] {
        func link(_ change: String, _ status: LinkStatus) -> [(String, JSON?)] {
            [("change", .text(change)), ("interface", .text(status.link.name)), ("index", .number(status.link.index))]
        }
        switch change {
        case .appeared(let status): return link("appeared", status)
        case .vanished(let status): return link("vanished", status)
        case .renamed(let status, let old): return link("renamed", status) + [("from", .text(old))]
        case .wentUp(let status): return link("up", status)
        case .wentDown(let status): return link("down", status)
        case .carrierGained(let status): return link("carrierGained", status)
        case .carrierLost(let status): return link("carrierLost", status)
        case .addressAdded(let address): return [("change", "addressAdded"), ("address", .text(address.address))]
        case .addressChanged(let address, _):
            return [("change", "addressChanged"), ("address", .text(address.address))]
        case .addressRemoved(let address): return [("change", "addressRemoved"), ("address", .text(address.address))]
        case .routeAdded(let route): return [("change", "routeAdded"), ("route", .text("\(route)"))]
        case .routeRemoved(let route): return [("change", "routeRemoved"), ("route", .text("\(route)"))]
        case .resynced: return [("change", "resynced")]
        case .resumed(let pause): return [("change", "resumed"), ("seconds", .number(pause / .seconds(1)))]
        case .clockSet(let step): return [("change", "clockSet"), ("seconds", .number(step / .seconds(1)))]
        }
    }
}

extension Observation {
    fileprivate var members: [(String, JSON?)] {
        let outcome: [(String, JSON?)] =
            switch finding {
            case .answered(let time): [("result", "answered"), ("sampleMs", .number(time.milliseconds))]
            case .failed(let reason): [("result", "failed"), ("why", .text(reason))]
            case .impossible(let reason): [("result", "impossible"), ("why", .text(reason))]
            case .nothing(let reason): [("result", "nothing"), ("why", .text(reason))]
            }
        return outcome + [
            ("offender", .text(offender)), ("errno", .number(errorNumber)), ("hopLimit", .number(hopLimit)),
            ("status", .number(status)), ("location", .text(location)), ("tlsVersion", .text(tlsVersion)),
            ("certificateEnd", .number(certificateEnd)), ("detail", .text(detail)),
        ]
    }
}
