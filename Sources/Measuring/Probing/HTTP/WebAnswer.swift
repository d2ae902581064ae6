// SPDX-License-Identifier: Apache-2.0

/// An HTTP response as far as it has arrived, judged by what the request expects.
struct WebAnswer {
    enum Judgement: Equatable {
        case good
        case bad(Reason)
        /// The response has to be received further to be judged.
        case open
    }

    /// The number of bytes of a body that are examined.
    static let bodyLimit = 65_536

    private let question: HTTPQuestion
    private let status: Int
    private var body: [UInt8] = []
    /// The number of bytes of the body that were searched for the expected words.
    private var searched = 0
    private var hasWords: Bool
    /// Whether the whole response has arrived.
    var isComplete = false

    init(to question: HTTPQuestion, status: Int) {
        self.question = question
        self.status = status
        hasWords = question.body?.isEmpty ?? true
    }

    mutating func add(_ bytes: some Sequence<UInt8>) {
        body.append(contentsOf: bytes.prefix(Self.bodyLimit - body.count))
        guard !hasWords, let words = question.body.map({ Array($0.utf8) }) else { return }
        let last = body.count - words.count
        guard last >= searched else { return }
        hasWords = (searched...last).contains { body[$0...].starts(with: words) }
        searched = last + 1
    }

    private var isExpectedStatus: Bool {
        question.status.map { $0 == status } ?? (200...399).contains(status)
    }

    /// Whether the response may be an empty page, which some proxies make of "204 No Content"; a portal's page is not
    /// empty.
    private var mayBeEmptyPage: Bool {
        question.detectsPortal && question.status == 204 && status == 200 && question.body == nil && body.isEmpty
    }

    var judgement: Judgement {
        let isEnough = isComplete || body.count >= Self.bodyLimit
        guard isExpectedStatus else {
            guard mayBeEmptyPage else { return .bad(statusReason) }
            return isComplete ? .good : .open
        }
        if hasWords, question.body != nil { return .good }
        guard isEnough else { return .open }
        if hasWords { return .good }
        return .bad(question.detectsPortal ? portalReason : .bodyMismatch)
    }

    private var statusReason: Reason {
        // A server error (5xx) does not show a portal.
        if question.detectsPortal, status == 511 || !(500...599).contains(status) { return portalReason }
        return switch status {
        case 401, 407: .authRequired
        case 300...399: .redirect
        default: .status
        }
    }

    private var portalReason: Reason {
        switch status {
        case 511: .portalHTTP511
        case 300...399: .portalRedirect
        default: .portalContent
        }
    }
}
