// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import LinkConditioning
internal import LinkProfiles
internal import LinuxSystem
internal import Netlink
package import ProfileCatalog
package import SandboxClient
internal import TrafficControl

/// This machine's network: its interfaces and its rules, read from the kernel, the journal and the pumps, never from
/// the page's memory. Used on one thread.
///
/// The rules are read right after a change of the page's own, soon after another change of the network, and else now
/// and then; as with `linkcond status`, a reading repairs what interrupted commands left. In between, only the lanes'
/// counters are read.
package final class HostNetwork: PaneResource {
    /// Made by the first reading, on its thread; nil until the kernel gives a socket.
    private var conditioner: InterfaceConditioner?
    private let figures: (any LaneFigures)?
    private let catalog: Catalog
    private let remedyWords: (Remedy) -> String
    private let changes: PaneChanges
    private let repairs = RepairNotes()

    private var state = HostNetworkState()
    private var pieces = HostNetworkState().pieces
    private let others = StatusChanges()
    private var pace = ReadingPace()
    private var lockout: (guardian: LockoutGuard, expiry: Duration)?
    private var profiles: (known: [String: Bool], expiry: Duration) = ([:], .zero)
    private let containers: ContainerLister

    /// The time after which the user's login, and the catalog's names, are looked for again.
    private static let lifetime = Duration.seconds(5)

    /// - Parameters:
    ///   - figures: measures the lanes; nil for what was asked only.
    ///   - changes: tells of the page's own changes.
    ///   - remedyWords: the command to type for a remedy.
    package init(
        figures: (any LaneFigures)?,
        catalog: Catalog,
        changes: PaneChanges,
        remedyWords: @escaping (Remedy) -> String
    ) {
        (self.figures, self.catalog, self.changes) = (figures, catalog, changes)
        self.remedyWords = remedyWords
        containers = ContainerLister(changes)
    }

    package func answer(_ request: PaneRequest) -> ControlAPI.Answer? {
        guard request.path == "/v1/interfaces" else { return nil }
        guard request.method == "GET" else { return ControlAPI.refuse(allowing: "GET") }
        readIfNeeded(at: BootClock.now)
        return .init(body: state.interfacesJSON)
    }

    /// The text of `GET /v1/live`, without number and time. Called at most ten times a second.
    package func text() -> [UInt8] {
        let now = BootClock.now
        readIfNeeded(at: now)
        figures?.sample(at: now)
        let text = pieces.text(
            lanes: { self.figures?.lanes(interface: $0.interface, rule: $0.number) },
            warnings: { self.figures?.warnings(interface: $0.interface, rule: $0.number) ?? [] }
        )
        return Array(text.utf8)
    }

    private func readIfNeeded(at now: Duration) {
        if changes.take() { pace.hurry() }
        if others.haveOccurred() { pace.noteChange() }
        guard pace.isDue(at: now) else { return }
        let before = ThreadClock.now
        read(at: now)
        pace.noteReading(at: now, cost: .nanoseconds(ThreadClock.now - before))
    }

    /// Reads everything but the counters. What cannot be read is said, and does not stay as it was before.
    private func read(at now: Duration) {
        var new = HostNetworkState()
        new.containers = containers.list(at: now)
        others.watchJournal()
        do throws(ConditioningError) {
            let conditioner = try openedConditioner()
            new.interfaces = try interfaces(conditioner, at: now)
            new.report = try conditioner.status()
            new.problem = new.report.journalFailure.map { problem($0, hasRules: true) }
        } catch {
            new.problem = problem(error, hasRules: false)
        }
        new.origins = RuleOrigins(users: UserNames()).origins(of: new.report)
        new.knownProfiles = knownProfiles(of: new.report, at: now)
        new.repairs = repairs.texts
        figures?.use(new.report)
        state = new
        pieces = new.pieces
    }

    private func openedConditioner() throws(ConditioningError) -> InterfaceConditioner {
        if let conditioner { return conditioner }
        let repairs = repairs
        let opened = try InterfaceConditioner(command: "pane") { repairs.add($0.text) }
        conditioner = opened
        return opened
    }

    private func interfaces(
        _ conditioner: InterfaceConditioner,
        at now: Duration
    ) throws(ConditioningError) -> [HostNetworkState.Interface] {
        let network = conditioner.network
        let links: [Link]
        let addresses: [InterfaceAddress]
        do throws(NetlinkError) {
            (links, addresses) = (try network.links(), try network.addresses())
        } catch {
            throw ConditioningError(error)
        }
        if lockout.map({ now >= $0.expiry }) ?? true {
            lockout = (conditioner.lockoutGuard, now + Self.lifetime)
        }
        let everything = RuleRequest(profile: Profile(name: ""), origin: .here)
        return links.filter { LaneName($0.name) == nil }.map { link in
            HostNetworkState.Interface(
                name: link.name,
                isUp: link.isUp,
                addresses: addresses.filter { $0.index == link.index }.map { "\($0.address)/\($0.prefixLength)" },
                isLoopback: link.isLoopback,
                carriesLogin: lockout?.guardian.isConditioned(by: everything, on: link.name) ?? false
            )
        }
    }

    private func problem(_ error: ConditioningError, hasRules: Bool) -> HostNetworkState.Problem {
        let kind: CommandOutcome.Failure =
            switch error.code {
            case .notFound: .notFound
            case .unsupported: .unsupported
            case .notPermitted: .notPermitted
            case .busy: .busy
            case .journal: .journal
            default: .refused
            }
        return HostNetworkState.Problem(
            message: error.description,
            kind: kind.rawValue,
            remedy: error.remedy.map(remedyWords),
            hasRules: hasRules
        )
    }

    /// The names of the report's profiles that the catalog has.
    private func knownProfiles(of report: StatusReport, at now: Duration) -> Set<String> {
        if now >= profiles.expiry { profiles = ([:], now + Self.lifetime) }
        var names: Set<String> = []
        for name in Set(report.devices.flatMap(\.rules).compactMap(\.profile)) {
            let isKnown = profiles.known[name] ?? ((try? catalog.profile(name))?.profile.name == name)
            profiles.known[name] = isKnown
            if isKnown { names.insert(name) }
        }
        return names
    }
}

/// What was repaired, for the page: the last notes, each once.
private final class RepairNotes {
    private(set) var texts: [String] = []
    private static let most = 5

    func add(_ text: String) {
        texts.removeAll { $0 == text }
        texts.append(text)
        texts.removeFirst(max(0, texts.count - Self.most))
    }
}
