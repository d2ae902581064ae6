// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Netlink
import Reachability

extension Duration? {
    /// The duration as text; "-" for nil.
    var words: String { self?.words ?? "-" }
}

func percent(_ share: Double?) -> String {
    guard let share else { return "-" }
    return share == 0 || share >= 0.1 ? "\(Int((share * 100).rounded())) %" : "\((share * 1000).rounded() / 10) %"
}

extension Event {
    /// The event as a line of text; nil for events that only JSON output contains.
    var words: String? {
        let name = target.map { "\($0): " } ?? ""
        switch kind {
        case .initial: return status.map { $0.state == .unknown ? nil : "\(name)\($0.words)" } ?? nil
        case .stateChanged, .reasonChanged: return status.map { "\(name)\($0.words)\(explanation)" }
        case .qualityChanged(let old):
            return "\(name)quality \(status?.quality?.rawValue ?? "-"), was \(old?.rawValue ?? "-")"
        case .pathChanged: return "\(name)packets now leave by \(status?.path?.interface ?? "no interface")"
        case .addressesChanged: return "\(name)the addresses changed"
        case .link(let event): return event.words
        case .flapStarted: return "\(name)is flapping: changes are suppressed"
        case .flapEnded: return status.map { "\(name)stopped flapping, \($0.words)" }
        case .outageEnded(let time): return "\(name)was down for \(time.words)"
        case .portalDetected(let location):
            return "\(name)a portal answers\(location.map { " and redirects to \($0)" } ?? "")"
        case .conditionsChanged:
            return
                "\(name)\(status?.conditions.map { "the path has \"\($0.profile)\"" } ?? "the path has no conditions")"
        case .expectationMissed(let miss): return "\(name)\(miss.words(status?.conditions?.profile ?? ""))"
        case .causeFound(let cause, let children):
            return "\(cause) is down, and with it \(children.map(\.description).joined(separator: ", "))"
        case .causeCleared(let cause, _): return "\(cause) is no longer the cause of failures"
        case .resumed(let pause): return "paused for \(pause.words): every target is probed again"
        case .dropped(let count): return "\(counted(count, "event")) dropped"
        case .outageStarted, .portalCleared, .sample, .ended: return nil
        }
    }

    private var explanation: String {
        guard let conditions = status?.conditions, let isExplained = status?.isExplained else { return "" }
        return isExplained
            ? ", explained by \"\(conditions.profile)\"" : ", which \"\(conditions.profile)\" does not explain"
    }
}

extension ConditionsMismatch {
    func words(_ profile: String) -> String {
        switch self {
        case .roundTrip(let expected, let measured):
            "answers take \(measured.words), with \"\(profile)\" at least \(expected.words)"
        case .loss(let expected, let measured):
            "\(percent(measured)) lost, with \"\(profile)\" it should be \(percent(expected))"
        }
    }
}

extension LinkEvent {
    /// The change as a line of text; nil for changes that would only distract.
    var words: String? {
        switch change {
        case .appeared(let link): "link \(link.link.name) appeared"
        case .vanished(let link): "link \(link.link.name) is gone"
        case .renamed(let link, let old): "link \(old) was renamed to \(link.link.name)"
        case .wentUp(let link): "link \(link.link.name) is up"
        case .wentDown(let link): "link \(link.link.name) is down"
        case .carrierGained(let link): "link \(link.link.name) has a carrier"
        case .carrierLost(let link): "link \(link.link.name) lost its carrier"
        case .resynced: "notifications about links were lost; the state is read again"
        default: nil
        }
    }
}
