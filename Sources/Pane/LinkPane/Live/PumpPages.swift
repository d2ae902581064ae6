// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import LinkRules
internal import PacketPump

/// The counters and the flows of pumps, mapped once for each pump. A pump that was killed leaves its memory to those who
/// have mapped it, so each pump is asked every two seconds whether it is still there. These requests
/// also keep its account of flows, which ends 10 s after the last one.
struct PumpPages {
    private static let interval = Duration.seconds(2)

    private struct Page {
        var counters: CounterPage?
        /// The account of flows; nil if the pump, of another version of this program, has none.
        var flows: FlowPage?
        /// The conditions in use.
        var profile: Profile?
        /// The reason why there are no counters.
        var failure: PumpFailure?
        /// When to ask the pump next.
        var next = Duration.zero
    }

    private let client: PumpClient?
    /// The pages by the name of a TAP device.
    private var pages: [String: Page] = [:]

    init(_ client: PumpClient?) { self.client = client }

    /// Forgets the pumps of other TAP devices than these.
    mutating func keep(_ taps: Set<String>) {
        pages = pages.filter { taps.contains($0.key) }
        for tap in taps where pages[tap] == nil { pages[tap] = Page() }
    }

    /// Asks the pumps that were not asked for a while.
    mutating func renew(at now: Duration) {
        for (tap, page) in pages where now >= page.next {
            var page = page
            page.next = now + Self.interval
            do throws(PumpFailure) {
                guard let client else { throw .gone }
                let (counters, found) = try Self.ask(client, tap)
                // The same memory stays mapped: its pump counts on.
                if page.counters?.isSame(as: counters) != true { page.counters = counters }
                if let flows = found?.flows, page.flows?.isSame(as: flows) != true { page.flows = flows }
                (page.profile, page.failure) = (found?.profile, nil)
            } catch {
                page = Page(failure: error, next: page.next)
            }
            pages[tap] = page
        }
    }

    private static func ask(_ client: PumpClient, _ tap: String) throws(PumpFailure) -> (CounterPage, PumpFlows?) {
        do throws(PumpFailure) {
            let found = try client.flows(tap: tap)
            return (found.counters, found)
        } catch {
            guard case .refused = error else { throw error }
            return (try client.counters(tap: tap), nil)
        }
    }

    /// The counters of the pump that serves `tap`; nil if it is gone or does not answer.
    func reading(of tap: String) -> CounterPage.Reading? { pages[tap]?.counters?.read() }

    /// The conditions of the pump that serves `tap`; nil if it does not tell them.
    func profile(of tap: String) -> Profile? { pages[tap]?.profile }

    /// The account of the flows of the pump that serves `tap`; nil if there is none.
    func flows(of tap: String) -> FlowPage? { pages[tap]?.flows }

    func warnings(of tap: String) -> [String] {
        guard let page = pages[tap] else { return [] }
        if let failure = page.failure { return [failure.conditioningError.message] }
        guard let missed = page.counters?.read().missed, missed > 0 else { return [] }
        return ["\(counted(missed, "packet")) did not reach the link: they came faster than lc-pump could read them"]
    }
}
