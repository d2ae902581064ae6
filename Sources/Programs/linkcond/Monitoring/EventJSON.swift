// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Netlink
import Reachability

extension Event {
    /// The event as a JSON object; `time` is in seconds since 1970.
    func json(time seconds: Double) -> JSON {
        let (name, details) = nameAndDetails
        let members: [(String, JSON?)] = [
            ("event", .text(name)), ("sequence", .number(sequence)),
            ("time", .number((seconds * 1000).rounded() / 1000)),
            ("target", .text(target)),
        ]
        return JSON(members: members + details + (status?.members ?? []))
    }

    /// The event's name, which stays stable if a case is renamed, and the members that only this kind of event has.
    private var nameAndDetails: (name: String, details: [(String, JSON?)]) {
        switch kind {
        case .initial: ("initial", [])
        case .stateChanged(let old): ("stateChanged", [("from", .text(old.rawValue))])
        case .reasonChanged(let old): ("reasonChanged", [("from", .text(old))])
        case .qualityChanged(let old): ("qualityChanged", [("from", .text(old?.rawValue))])
        case .pathChanged(let old): ("pathChanged", [("from", old?.json)])
        case .addressesChanged: ("addressesChanged", [])
        case .link(let event): ("link", event.members)
        case .flapStarted: ("flapStarted", [])
        case .flapEnded: ("flapEnded", [])
        case .outageStarted: ("outageStarted", [])
        case .outageEnded(let time): ("outageEnded", [("seconds", .number(time / .seconds(1)))])
        case .portalDetected(let location): ("portalDetected", [("location", .text(location))])
        case .portalCleared: ("portalCleared", [])
        case .conditionsChanged(let old): ("conditionsChanged", [("from", .text(old?.profile))])
        case .expectationMissed(let miss): ("expectationMissed", miss.members)
        case .causeFound(let cause, let children): ("causeFound", Self.members(of: cause, children))
        case .causeCleared(let cause, let children): ("causeCleared", Self.members(of: cause, children))
        case .resumed(let pause): ("resumed", [("seconds", .number(pause / .seconds(1)))])
        case .sample(let observation): ("sample", observation.members)
        case .dropped(let count): ("dropped", [("count", .number(count))])
        case .ended: ("ended", [])
        }
    }

    private static func members(of cause: Target, _ children: [Target]) -> [(String, JSON?)] {
        [("cause", .text(cause)), ("children", .list(children.compactMap { .text($0) }))]
    }
}

extension Status {
    /// The status as members of a JSON object, with times in milliseconds.
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
    /// The duration in milliseconds, rounded to microseconds.
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
        func other(_ change: String, _ name: String, _ value: JSON?) -> [(String, JSON?)] {
            [("change", .text(change)), (name, value)]
        }
        func address(_ change: String, _ address: InterfaceAddress) -> [(String, JSON?)] {
            [
                ("change", .text(change)), ("interface", .text(interfaceNames[address.index])),
                ("index", .number(address.index)), ("address", .text(address.address)),
                ("prefixLength", .number(address.prefixLength)),
            ]
        }
        return switch change {
        case .appeared(let status): link("appeared", status)
        case .vanished(let status): link("vanished", status)
        case .renamed(let status, let old): link("renamed", status) + [("from", .text(old))]
        case .wentUp(let status): link("up", status)
        case .wentDown(let status): link("down", status)
        case .carrierGained(let status): link("carrierGained", status)
        case .carrierLost(let status): link("carrierLost", status)
        case .addressAdded(let added): address("addressAdded", added)
        case .addressChanged(let changed, _): address("addressChanged", changed)
        case .addressRemoved(let removed): address("addressRemoved", removed)
        case .routeAdded(let route): other("routeAdded", "route", route.json(interfaceNames))
        case .routeRemoved(let route): other("routeRemoved", "route", route.json(interfaceNames))
        case .resynced: [("change", "resynced")]
        case .resumed(let pause): other("resumed", "seconds", .number(pause / .seconds(1)))
        case .clockSet(let step): other("clockSet", "seconds", .number(step / .seconds(1)))
        }
    }
}

extension Route {
    /// - Parameter names: the names of the interfaces, by index.
    fileprivate func json(_ names: [Int32: String]) -> JSON {
        let hops = nextHops.map { hop in
            JSON(
                ("interface", .text(names[hop.index])),
                ("index", .number(hop.index)),
                ("gateway", .text(hop.gateway))
            )
        }
        return JSON(
            ("destination", .text("\(destination)/\(prefixLength)")),
            ("kind", .text("\(kind)")),
            ("table", .number(table)),
            ("metric", .number(metric)),
            ("source", .text(preferredSource)),
            ("mtu", .number(mtu)),
            ("nextHops", .list(hops))
        )
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
