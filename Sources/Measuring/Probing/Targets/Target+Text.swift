// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses

/// The reason why a text is not a valid target.
public struct TargetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text, the problem, and valid forms.
    public let description: String

    init(_ text: String, _ problem: String) {
        description = "'\(text.shown)' is no target: \(problem)"
    }
}

extension Target {
    /// Parses "example.org", "icmp://", "tcp://", "udp://", "tls://", "http://", "https://", "dns://SERVER/NAME",
    /// "dns+tcp://SERVER/NAME", "unix:PATH", "link:NAME" or "internet". A suffix " over NAME" selects the interface.
    public init(_ text: String) throws(TargetError) {
        self = try TargetReader(text: text).target()
    }
}

private struct TargetReader {
    let text: String

    func target() throws(TargetError) -> Target {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        if words.count > 2, words[words.count - 2] == "over", !text.hasPrefix("unix:") {
            let name = String(words[words.count - 1])
            guard Self.isInterfaceName(name) else { throw error("no interface can have the name after 'over'") }
            let target = try TargetReader(text: words.dropLast(2).joined(separator: " ")).target()
            switch target {
            case .link, .unix, .over: throw error("'over' is for what packets are sent to, once")
            default: return .over(target, interface: name)
            }
        }
        if text == "internet" { return .internet }
        if let name = text.dropping("link:") {
            guard Self.isInterfaceName(name) else { throw error("no interface can have that name") }
            return .link(name)
        }
        if let path = text.dropping("unix:") {
            // "unix:///run/x" means /run/x, as in a URL; several slashes count as one (path_resolution(7)).
            let path = path.hasPrefix("/") ? "/" + path.drop { $0 == "/" } : path
            guard path.hasPrefix("/"), path.utf8.count < 108, !path.utf8.contains(0) else {
                throw error("a socket's path begins with / and has 107 bytes at most")
            }
            return .unix(path: path)
        }
        guard let end = text.firstRange(of: "://") else { return .host(try host(text)) }
        return try target(text[..<end.lowerBound].lowercased(), text[end.upperBound...])
    }

    private func target(_ scheme: String, _ rest: Substring) throws(TargetError) -> Target {
        let parts = rest.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let fragment = parts.count == 2 ? parts[1] : nil
        let end = parts[0].firstIndex { $0 == "/" || $0 == "?" } ?? parts[0].endIndex
        let (authority, path) = (String(parts[0][..<end]), String(parts[0][end...]))
        if fragment != nil, Self.schemesWithoutExpectation.contains(scheme) {
            throw error("\(scheme):// takes nothing after a #")
        }
        switch scheme {
        case "http", "https": return .http(try question(isSecure: scheme == "https", authority, path, fragment ?? ""))
        case "dns", "dns+tcp":
            let name = String(path.dropFirst())
            guard Self.isName(name) else { throw error("dns://SERVER/NAME asks for a name") }
            let server = try endpoint(authority, port: 53)
            return .dns(server: server, name: Self.plain(name), overTCP: scheme == "dns+tcp")
        case "icmp", "host", "tcp", "udp", "tls":
            guard path.isEmpty || path == "/" else { throw error("\(scheme):// takes no path") }
        default: throw error("no way to probe is called '\(scheme.shown)'; known are \(Self.schemes)")
        }
        switch scheme {
        case "host": return .host(try host(authority))
        case "icmp": return .icmp(try host(authority))
        case "tcp": return .tcp(try endpoint(authority))
        case "udp": return .udp(try endpoint(authority))
        default: return .tls(try endpoint(authority, port: 443))
        }
    }

    private static let schemesWithoutExpectation = ["icmp", "host", "tcp", "udp", "tls", "dns", "dns+tcp"]
    private static let schemes = "icmp, tcp, udp, tls, http, https, dns, dns+tcp, unix: and link:"

    private func error(_ problem: String) -> TargetError { TargetError(text, problem) }

    /// - Parameter expectation: the text after "#", which is not sent to the server: "status=204&body=words".
    private func question(
        isSecure: Bool,
        _ authority: String,
        _ path: String,
        _ expectation: Substring
    ) throws(TargetError) -> HTTPQuestion {
        let endpoint = try endpoint(authority, port: isSecure ? 443 : 80)
        guard path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw error("a path is written in ASCII, other characters as %XX")
        }
        let whole = path.hasPrefix("/") ? path : "/" + path
        var question = HTTPQuestion(isSecure: isSecure, host: endpoint.host, port: endpoint.port, path: whole)
        for part in expectation.split(separator: "&").map(String.init) {
            if let value = part.dropping("status="), value.first != "+", let status = Int(value),
                (100...599).contains(status)
            {
                question.status = status
            } else if let words = part.dropping("body="), !words.isEmpty {
                question.body = words
            } else {
                throw error("expected after #: status=204, body=words, or both with &")
            }
        }
        return question
    }

    /// - Parameter port: the default port; nil if the text must have one.
    private func endpoint(_ authority: String, port: UInt16? = nil) throws(TargetError) -> Target.Endpoint {
        if authority.contains("@") { throw error("names of users and passwords are not for here") }
        var (name, number): (Substring, Substring?) = (authority[...], nil)
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            name = authority[...end]
            let rest = authority[authority.index(after: end)...]
            if rest.hasPrefix(":") { number = rest.dropFirst() } else if !rest.isEmpty { name = "" }
        } else if let colon = authority.lastIndex(of: ":"), authority.firstIndex(of: ":") == colon {
            (name, number) = (authority[..<colon], authority[authority.index(after: colon)...])
        }
        let host = try host(String(name))
        guard let number else {
            guard let port else { throw error("it needs a port, as in \(Target.Endpoint(host, 443))") }
            return Target.Endpoint(host, port)
        }
        guard number.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), let value = UInt16(number),
            value > 0
        else { throw error("a port is a number from 1 to 65535") }
        return Target.Endpoint(host, value)
    }

    /// Normalizes a name or address: without brackets, and names in lower case.
    private func host(_ host: String) throws(TargetError) -> String {
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if let address = IPAddress(isBracketed ? String(host.dropFirst().dropLast()) : host) {
            return address.description
        }
        if host.isEmpty { throw error("a host is missing") }
        if host.contains("@") { throw error("names of users and passwords are not for here") }
        if !isBracketed, host.count(where: { $0 == ":" }) == 1 {
            throw error("which kind of service? tcp://\(host), for example")
        }
        // A text of digits and dots that is not an address is not a name either.
        let isNumeric = host.allSatisfy { $0.isNumber || $0 == "." }
        guard !isBracketed, !isNumeric, Self.isName(host.lowercased()) else {
            throw error("'\(host.shown)' is neither a name nor an address")
        }
        return Self.plain(host)
    }

    /// A name in lower case, without a trailing dot.
    private static func plain(_ name: String) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }

    /// Whether the kernel accepts the name, after dev_valid_name() in net/core/dev.c.
    private static func isInterfaceName(_ name: String) -> Bool {
        (1...15).contains(name.utf8.count) && name != "." && name != ".."
            && !name.contains { $0 == "/" || $0 == ":" || $0 == "\0" || $0.isWhitespace }
    }

    private static let nameBytes = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_".utf8)

    /// Whether the text is a valid name in DNS (RFC 1035); underscores are allowed, since they are in use.
    private static func isName(_ text: String) -> Bool {
        let name = text.hasSuffix(".") ? text.dropLast() : text[...]
        // At most 255 bytes on the wire, with a length before each label and a zero at the end.
        return name.utf8.count <= 253
            && name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.utf8.count) && !label.hasPrefix("-")
                    && label.utf8.allSatisfy(nameBytes.contains)
            }
    }
}

extension Target: CustomStringConvertible {
    /// The target's text, from which it can be parsed.
    public var description: String {
        switch self {
        case .internet: "internet"
        case .link(let name): "link:\(name)"
        // "internet" alone means another target.
        case .host("internet"): "host://internet"
        case .host(let host): host
        case .icmp(let host): "icmp://\(Self.bracketed(host))"
        case .tcp(let endpoint): "tcp://\(endpoint)"
        case .udp(let endpoint): "udp://\(endpoint)"
        case .tls(let endpoint): "tls://\(endpoint)"
        case .http(let question): Self.text(of: question)
        case .dns(let server, let name, let overTCP):
            "dns\(overTCP ? "+tcp" : "")://\(server.port == 53 ? Self.bracketed(server.host) : "\(server)")/\(name)"
        case .unix(let path): "unix:\(path)"
        case .over(let target, let interface): "\(target) over \(interface)"
        }
    }

    private static func text(of question: HTTPQuestion) -> String {
        let usual: UInt16 = question.isSecure ? 443 : 80
        let host = bracketed(question.host)
        let authority = question.port == usual ? host : "\(host):\(question.port)"
        let expected = [question.status.map { "status=\($0)" }, question.body.map { "body=\($0)" }].compactMap { $0 }
        let fragment = expected.isEmpty ? "" : "#" + expected.joined(separator: "&")
        return "\(question.isSecure ? "https" : "http")://\(authority)\(question.path)\(fragment)"
    }

    fileprivate static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }
}

extension Target.Endpoint: CustomStringConvertible {
    /// "host:port", with brackets around an IPv6 address.
    public var description: String { "\(Target.bracketed(host)):\(port)" }
}

extension String {
    /// The text for an error message: shortened, and without characters that would move a terminal's cursor or reverse
    /// the text.
    fileprivate var shown: String {
        // Counts scalars and not characters, since one character may have any number of scalars.
        let scalars = unicodeScalars.prefix(100).map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    fileprivate func dropping(_ prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
