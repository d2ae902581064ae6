// SPDX-License-Identifier: Apache-2.0

/// The search screen: what it shows, and what it asks the service for. Takes what happens, and does no I/O.
struct SearchScreen {
    /// What the screen shows.
    enum State: Equatable {
        case empty
        case loading(query: String)
        case loaded(query: String, [SearchResult])
        case notAvailable(query: String)
    }

    /// One search of the user.
    struct Search: Hashable, Sendable {
        let number: Int
        let query: String
    }

    /// What has to be done.
    enum Action: Equatable {
        case start(Search)
        case cancel(Search)
    }

    private(set) var state = State.empty
    /// The search whose results the screen waits for.
    private var current: Search?
    private var searches = 0
    private let cancelsWhenLeft: Bool

    init(cancelsWhenLeft: Bool) {
        self.cancelsWhenLeft = cancelsWhenLeft
    }

    /// The user searches. An earlier search that still runs is no longer of interest.
    mutating func search(for query: String) -> [Action] {
        searches += 1
        let search = Search(number: searches, query: query)
        let earlier = current.map(Action.cancel)
        current = search
        state = .loading(query: query)
        return [earlier, .start(search)].compactMap { $0 }
    }

    /// The user leaves the screen.
    mutating func leave() -> [Action] {
        defer { (current, state) = (nil, .empty) }
        // The bug: the screen forgets the search, which goes on, and on a good link nobody sees it.
        guard cancelsWhenLeft else { return [] }
        return current.map { [.cancel($0)] } ?? []
    }

    /// A search has ended: with results, or nil because the service does not answer.
    mutating func finish(_ search: Search, with results: [SearchResult]?) {
        guard search == current else { return }
        current = nil
        state = results.map { .loaded(query: search.query, $0) } ?? .notAvailable(query: search.query)
    }
}
