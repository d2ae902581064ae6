// SPDX-License-Identifier: Apache-2.0

internal import Containers
internal import Glibc
internal import LinkConditioning
internal import LinkProfiles
internal import LinuxSystem
internal import Synchronization

/// Lists the containers of this machine on a thread of its own: engines may answer late, and the thread moves into the
/// containers' networks.
final class ContainerLister: Sendable {
    private struct State {
        var list: JSON?
        var isBusy = false
        var nextListing = Duration.zero
    }

    private let state = Mutex(State())
    private let changes: PaneChanges

    private static let interval = Duration.seconds(5)
    /// Many containers are listed less often, so that this takes a fiftieth of the time at most.
    private static let share = 50

    /// - Parameter changes: is told when the list has changed.
    init(_ changes: PaneChanges) { self.changes = changes }

    /// The containers as last listed; nil before. Lists them again if that is some time ago.
    func list(at now: Duration) -> JSON? {
        let (list, isDue) = state.withLock { state in
            let isDue = !state.isBusy && now >= state.nextListing
            if isDue { state.isBusy = true }
            return (state.list, isDue)
        }
        guard isDue else { return list }
        do throws(SystemError) {
            try PosixThread.detach { [self] in
                let list = Self.read()
                finish(list, after: BootClock.now - now)
            }
        } catch {
            finish(list, after: .zero)
        }
        return list
    }

    private func finish(_ list: JSON?, after duration: Duration) {
        let hasChanged = state.withLock { state in
            let hasChanged = list?.line != state.list?.line
            state = State(list: list, nextListing: BootClock.now + max(Self.interval, duration * Self.share))
            return hasChanged
        }
        if hasChanged { changes.note() }
    }

    private static func read() -> JSON {
        let sources = ContainerSources.present { name in getenv(name).map { String(cString: $0) } }
        guard !sources.isEmpty else { return .list([]) }
        return .list(ContainerList(sources).containers.map(\.paneJSON))
    }
}

extension ListedContainer {
    /// The container, with the rules in its network: the page says of them, too, that they are on.
    fileprivate var paneJSON: JSON {
        let rules = status?.devices.flatMap { device in
            device.rules.map { rule in
                JSON(
                    ("interface", device.interface.json),
                    ("rule", rule.number.json),
                    ("profile", rule.profile?.json),
                    ("traffic", rule.traffic.description.json)
                )
            }
        }
        let names = interfaces ?? []
        return JSON(
            ("name", container.name.json),
            ("id", container.id.json),
            ("interface", (names.contains("eth0") ? "eth0" : names.first)?.json),
            ("interfaces", interfaces?.json),
            ("rules", rules.map { .list($0) }),
            ("problem", problem?.json)
        )
    }
}
