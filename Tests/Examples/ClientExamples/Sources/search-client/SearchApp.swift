// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The application: does what the screen asks for, and prints what it shows.
@MainActor
final class SearchApp {
    private var screen: SearchScreen {
        didSet { if screen.state != oldValue.state { show(screen.state) } }
    }
    private var tasks: [SearchScreen.Search: Task<Void, Never>] = [:]
    private let service: SearchService
    private let start = ContinuousClock.now

    init(_ screen: SearchScreen, _ service: SearchService) {
        (self.screen, self.service) = (screen, service)
    }

    func search(for query: String) { perform(screen.search(for: query)) }

    func leave() { perform(screen.leave()) }

    /// Waits until the screen waits for nothing.
    func settle() async {
        while case .loading = screen.state, let latest = tasks.max(by: { $0.key.number < $1.key.number }) {
            await latest.value.value
        }
    }

    private func perform(_ actions: [SearchScreen.Action]) {
        for action in actions {
            switch action {
            case .start(let search): tasks[search] = Task { await run(search) }
            case .cancel(let search): tasks[search]?.cancel()
            }
        }
    }

    private func run(_ search: SearchScreen.Search) async {
        let results = try? await service.results(for: search.query)
        tasks[search] = nil
        screen.finish(search, with: results)
    }

    private func show(_ state: SearchScreen.State) {
        let words =
            switch state {
            case .empty: "the screen is left"
            case .loading(let query): "'\(query)': loading"
            case .loaded(let query, let results): "'\(query)': \(results.count) results"
            case .notAvailable(let query): "'\(query)': the service is not available"
            }
        let tenths = Int((ContinuousClock.now - start) / .milliseconds(100))
        print("\(tenths / 10).\(tenths % 10) s  \(words)")
        fflush(nil)
    }
}
