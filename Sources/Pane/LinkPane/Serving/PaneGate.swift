// SPDX-License-Identifier: Apache-2.0

internal import SocketServing

/// Decides which requests a pane serves. Pure.
///
/// Any page of the web, and any user of this host, can send requests to a local port. In this order:
/// 1. `Host` names the loopback address, so that a foreign name that was pointed to it is refused (DNS rebinding);
/// 2. `Origin` and `Sec-Fetch-Site` name the page itself, if the browser sends them;
/// 3. the cookie, or a script's token, shows that the client got the address from the terminal. A browser sends the
///    cookie to each port of this host, where another user may listen: it is for the user who used the code only;
/// 4. what changes something must come from the page by these fields, and as JSON, which no form can send.
struct PaneGate {
    /// The methods that some resource allows.
    static let methods = ["GET", "HEAD", "POST", "PUT", "DELETE"]

    enum Admission: Equatable {
        case admitted
        /// The code was right: give the client its cookie, and send it to the page.
        case entered(cookie: String)
        /// The client has a cookie, and a code that is spent: send it to the page.
        case hadEntered
        case refused(Refusal)
    }

    /// A status and its reason.
    struct Refusal: Equatable {
        let status: Int
        let reason: String
    }

    private let owner: UInt32
    private let hosts: Set<String>
    private let cookieName: String
    /// The code of the printed address; nil once it is spent.
    private var code: PaneSecret?
    private let cookie: PaneSecret
    /// The user whose browser has the cookie.
    private var cookieUser: UInt32?
    private let token: PaneSecret?

    /// - Parameter owner: the user of this process. If that is root, any user who has the code may be the one at its
    ///   terminal.
    init(
        port: UInt16,
        owner: UInt32,
        code: PaneSecret,
        token: PaneSecret?,
        _ random: inout some RandomNumberGenerator
    ) {
        let names = ["127.0.0.1", "[::1]", "localhost"]
        // Browsers leave out the usual port.
        hosts = Set(names.map { "\($0):\(port)" } + (port == 80 ? names : []))
        cookieName = "linkcond-\(port)"
        (self.owner, self.code, self.token) = (owner, code, token)
        cookie = PaneSecret(&random)
    }

    /// - Parameter user: the user at the other end of the connection; nil if it is not known.
    mutating func admit(_ request: HTTPRequest, _ target: PaneTarget, user: () -> UInt32?) -> Admission {
        do throws(Refusal) {
            try checkHost(request)
            guard Self.methods.contains(request.method) else {
                throw Refusal(status: 405, reason: "only \(Self.methods.joined(separator: ", ")) are allowed")
            }
            let isReading = request.method == "GET" || request.method == "HEAD"
            try checkOrigin(request)
            if try hasToken(request) {
                if !isReading { try checkType(request) }
                return .admitted
            }
            if request.method == "GET", target.path == "/", let guess = target.query["code"] {
                return try enter(guess, request, user)
            }
            guard hasCookie(request) else { throw Self.noCookie }
            guard let user = user(), user == cookieUser else { throw Self.otherUser }
            if !isReading {
                try checkSource(request)
                try checkType(request)
            }
            return .admitted
        } catch {
            return .refused(error)
        }
    }

    private static let noCookie = Refusal(
        status: 403,
        reason: "open the address that \"linkcond pane\" has printed in its terminal"
    )

    private static let otherUser = Refusal(
        status: 403,
        reason: "this is the pane of another user"
    )

    private func checkHost(_ request: HTTPRequest) throws(Refusal) {
        let names = request.values(of: "host")
        guard names.count == 1, hosts.contains(names[0].lowercased()) else {
            throw Refusal(status: 403, reason: "the field Host does not name this pane")
        }
    }

    private func checkOrigin(_ request: HTTPRequest) throws(Refusal) {
        for origin in request.values(of: "origin") {
            guard origin.hasPrefix("http://"), hosts.contains(origin.dropFirst(7).lowercased()) else {
                throw Refusal(status: 403, reason: "another page may not use this pane")
            }
        }
        for site in request.values(of: "sec-fetch-site") where site != "same-origin" && site != "none" {
            throw Refusal(
                status: 403,
                reason: "a link of another page may not open this pane: type or paste its address"
            )
        }
    }

    /// Checks that a change comes from the page: a client that sends neither field may carry another page's request.
    private func checkSource(_ request: HTTPRequest) throws(Refusal) {
        guard !request.values(of: "origin").isEmpty || request.values(of: "sec-fetch-site") == ["same-origin"] else {
            throw Refusal(status: 403, reason: "a change needs the field Origin, or a token: see --token-file")
        }
    }

    /// Whether the request has the token. A wrong one is refused, whatever else the request has.
    private func hasToken(_ request: HTTPRequest) throws(Refusal) -> Bool {
        let values = request.values(of: "authorization")
        guard !values.isEmpty else { return false }
        guard values.count == 1, let token, values[0].lowercased().hasPrefix("bearer "),
            token.equals(values[0].dropFirst(7))
        else { throw Refusal(status: 401, reason: "the token is not that of --token-file") }
        return true
    }

    private func hasCookie(_ request: HTTPRequest) -> Bool {
        request.values(of: "cookie").joined(separator: ";").split(separator: ";").contains { pair in
            let words = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            return words.count == 2 && words[0] == cookieName && cookie.equals(words[1])
        }
    }

    private mutating func enter(
        _ guess: String,
        _ request: HTTPRequest,
        _ user: () -> UInt32?
    ) throws(Refusal) -> Admission {
        guard let code, code.equals(guess) else {
            // As after "back" in the browser.
            if hasCookie(request) { return .hadEntered }
            throw Refusal(
                status: 403,
                reason: "this address was used already, or is not this pane's: start \"linkcond pane\" again"
            )
        }
        // A started browser shows the code to other users' ps.
        guard let user = user(), owner == 0 || [0, owner].contains(user) else { throw Self.otherUser }
        (self.code, cookieUser) = (nil, user)
        return .entered(cookie: "\(cookieName)=\(cookie.text); Path=/; HttpOnly; SameSite=Strict")
    }

    private func checkType(_ request: HTTPRequest) throws(Refusal) {
        let types = request.values(of: "content-type").map { type in
            type.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        }
        guard types == ["application/json"] else {
            throw Refusal(status: 415, reason: "a change needs Content-Type: application/json")
        }
    }
}

extension PaneGate.Refusal: Error {}
