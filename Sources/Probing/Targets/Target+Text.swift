// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses

/// Why a text is no target.
public struct TargetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text, what is wrong with it, and what would be right.
    public let description: String

    init(_ text: String, _ problem: String) {
        description = "'\(text.shown)' is no target: \(problem)"
    }
}

extension Target {
    /// Reads "example.org", "icmp://", "tcp://", "udp://", "tls://", "http://", "https://", "dns://SERVER/NAME",
    /// "dns+tcp://SERVER/NAME", "unix:PATH", "link:NAME" or "internet".
    public init(_ text: String) throws(TargetError) {
        if text == "internet" {
            self = .internet
        } else if let name = text.dropping("link:") {
            guard Self.isInterfaceName(name) else { throw TargetError(text, "no interface can have that name") }
            self = .link(name)
        } else if let path = text.dropping("unix:") {
            // "unix:///run/x" means /run/x, as a URL; several slashes are as good as one (path_resolution(7)).
            let path = path.hasPrefix("/") ? "/" + path.drop { $0 == "/" } : path
            guard path.hasPrefix("/"), path.utf8.count < 108, !path.utf8.contains(0) else {
                throw TargetError(text, "a socket's path begins with / and has 107 bytes at most")
            }
            self = .unix(path: path)
        } else if let end = text.firstRange(of: "://") {
            let scheme = text[..<end.lowerBound].lowercased()
            self = try Self.read(scheme, String(text[end.upperBound...]), text)
        } else {
            self = .host(try Self.host(text, text))
        }
    }

    private static func read(_ scheme: String, _ rest: String, _ text: String) throws(TargetError) -> Target {
        let (authority, path, fragment) = split(rest)
        if fragment != nil, schemesWithoutExpectation.contains(scheme) {
            throw TargetError(text, "\(scheme):// takes nothing after a #")
        }
        switch scheme {
        case "http", "https": return .http(try question(scheme == "https", authority, path, fragment, text))
        case "dns", "dns+tcp":
            let name = String(path.dropFirst())
            guard isName(name) else { throw TargetError(text, "dns://SERVER/NAME asks for a name") }
            let server = try endpoint(authority, text, port: 53)
            return .dns(server: server, name: plain(name), overTCP: scheme == "dns+tcp")
        case "icmp", "host", "tcp", "udp", "tls":
            guard path.isEmpty || path == "/" else { throw TargetError(text, "\(scheme):// takes no path") }
        default: throw TargetError(text, "no way to probe is called '\(scheme.shown)'; known are \(schemes)")
        }
        switch scheme {
        case "host": return .host(try host(authority, text))
        case "icmp": return .icmp(try host(authority, text))
        case "tcp": return .tcp(try endpoint(authority, text))
        case "udp": return .udp(try endpoint(authority, text))
        default: return .tls(try endpoint(authority, text, port: 443))
        }
    }

    private static let schemesWithoutExpectation = ["icmp", "host", "tcp", "udp", "tls", "dns", "dns+tcp"]
    private static let schemes = "icmp, tcp, udp, tls, http, https, dns, dns+tcp, unix: and link:"

    /// Authority, path with query, and fragment.
    private static func split(_ rest: String) -> (authority: String, path: String, fragment: String?) {
        let parts = rest.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let whole = parts[0]
        let end = whole.firstIndex { $0 == "/" || $0 == "?" } ?? whole.endIndex
        return (String(whole[..<end]), String(whole[end...]), parts.count == 2 ? String(parts[1]) : nil)
    }

    /// What follows "#" is not sent but says what to expect: "status=204&body=words".
    private static func question(
        _ isSecure: Bool,
        _ authority: String,
        _ path: String,
        _ fragment: String?,
        _ text: String
    ) throws(TargetError) -> HTTPQuestion {
        let endpoint = try endpoint(authority, text, port: isSecure ? 443 : 80)
        guard path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw TargetError(text, "a path is written in ASCII, other characters as %XX")
        }
        let whole = path.hasPrefix("/") ? path : "/" + path
        var question = HTTPQuestion(isSecure: isSecure, host: endpoint.host, port: endpoint.port, path: whole)
        for part in (fragment ?? "").split(separator: "&") {
            if let value = String(part).dropping("status="), value.first != "+", let status = Int(value),
                (100...599).contains(status)
            {
                question.status = status
            } else if let words = String(part).dropping("body="), !words.isEmpty {
                question.body = words
            } else {
                throw TargetError(text, "expected after #: status=204, body=words, or both with &")
            }
        }
        return question
    }

    private static func endpoint(_ text: String, _ whole: String, port: UInt16? = nil) throws(TargetError) -> Endpoint {
        if text.contains("@") { throw TargetError(whole, "names of users and passwords are not for here") }
        var (name, number): (Substring, Substring?) = (text[...], nil)
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            name = text[...end]
            let rest = text[text.index(after: end)...]
            if rest.hasPrefix(":") { number = rest.dropFirst() } else if !rest.isEmpty { name = "" }
        } else if let colon = text.lastIndex(of: ":"), text.firstIndex(of: ":") == colon {
            (name, number) = (text[..<colon], text[text.index(after: colon)...])
        }
        let host = try host(String(name), whole)
        guard let number else {
            guard let port else { throw TargetError(whole, "it needs a port, as in \(Endpoint(host, 443))") }
            return Endpoint(host, port)
        }
        guard number.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), let value = UInt16(number),
            value > 0
        else { throw TargetError(whole, "a port is a number from 1 to 65535") }
        return Endpoint(host, value)
    }

    /// A name or address as it is written elsewhere: without brackets, names in small letters.
    private static func host(_ text: String, _ whole: String) throws(TargetError) -> String {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let bare = isBracketed ? String(text.dropFirst().dropLast()) : text
        if let address = IPAddress(bare) { return address.description }
        if text.isEmpty { throw TargetError(whole, "a host is missing") }
        if text.contains("@") { throw TargetError(whole, "names of users and passwords are not for here") }
        if !isBracketed, text.filter({ $0 == ":" }).count == 1 {
            throw TargetError(whole, "which kind of service? tcp://\(text), for example")
        }
        let name = text.lowercased()
        // Four numbers that are no address are no name either.
        let isNumeric = name.allSatisfy { $0.isNumber || $0 == "." }
        guard !isBracketed, !isNumeric, isName(name) else {
            throw TargetError(whole, "'\(text.shown)' is neither a name nor an address")
        }
        return plain(name)
    }

    /// A name in small letters, without a dot at the end.
    private static func plain(_ name: String) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }

    /// As dev_valid_name() in net/core/dev.c has it.
    private static func isInterfaceName(_ name: String) -> Bool {
        (1...15).contains(name.utf8.count) && name != "." && name != ".."
            && !name.contains { $0 == "/" || $0 == ":" || $0 == "\0" || $0.isWhitespace }
    }

    /// Whether it can stand in DNS (RFC 1035), with the underscores that are in use.
    private static func isName(_ text: String) -> Bool {
        let name = text.hasSuffix(".") ? text.dropLast() : text[...]
        // 255 bytes on the wire, with a length before each label and a zero at the end.
        return name.utf8.count <= 253
            && name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.utf8.count) && !label.hasPrefix("-")
                    && label.utf8.allSatisfy { byte in
                        switch byte {
                        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                            true
                        default: false
                        }
                    }
            }
    }
}

extension Target: CustomStringConvertible {
    /// The text that it is read from, in one of several possible forms.
    public var description: String {
        switch self {
        case .internet: "internet"
        case .link(let name): "link:\(name)"
        // The word alone means something else.
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
    /// As it is shown in an error: cut off where it is long, and without what would move a terminal's cursor or
    /// reverse what is printed.
    fileprivate var shown: String {
        // Scalars, not characters: one of those may be of any length.
        let scalars = unicodeScalars.prefix(100).map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// What follows `prefix`; nil where the text does not begin with it.
    fileprivate func dropping(_ prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
