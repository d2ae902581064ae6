// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import Probing

@Suite struct TargetTextTests {
    /// Text as a user writes it, what it means, and its normal form.
    static let forms: [(String, Target, String)] = [
        ("internet", .internet, "internet"),
        ("link:eth0", .link("eth0"), "link:eth0"),
        ("link:a-name-of-15-by", .link("a-name-of-15-by"), "link:a-name-of-15-by"),
        ("Example.ORG.", .host("example.org"), "example.org"),
        ("host://example.org", .host("example.org"), "example.org"),
        ("host://internet", .host("internet"), "host://internet"),
        ("192.0.2.1", .host("192.0.2.1"), "192.0.2.1"),
        ("2001:DB8:0::1", .host("2001:db8::1"), "2001:db8::1"),
        ("[2001:db8::1]", .host("2001:db8::1"), "2001:db8::1"),
        ("icmp://a.example/", .icmp("a.example"), "icmp://a.example"),
        ("ICMP://[2001:db8::1]", .icmp("2001:db8::1"), "icmp://[2001:db8::1]"),
        ("icmp://2001:db8::1", .icmp("2001:db8::1"), "icmp://[2001:db8::1]"),
        ("tcp://a_b.example:0080", .tcp(.init("a_b.example", 80)), "tcp://a_b.example:80"),
        ("tcp://[2001:db8::1]:65535", .tcp(.init("2001:db8::1", 65535)), "tcp://[2001:db8::1]:65535"),
        ("tcp://[fe80::1%7]:1", .tcp(.init("fe80::1%7", 1)), "tcp://[fe80::1%7]:1"),
        ("udp://192.0.2.1:7", .udp(.init("192.0.2.1", 7)), "udp://192.0.2.1:7"),
        ("tls://a.example", .tls(.init("a.example", 443)), "tls://a.example:443"),
        ("tls://[::1]:8443", .tls(.init("::1", 8443)), "tls://[::1]:8443"),
        ("http://a.example", .http(.init(host: "a.example", port: 80)), "http://a.example/"),
        ("http://a.example:80?q=1", .http(.init(host: "a.example", port: 80, path: "/?q=1")), "http://a.example/?q=1"),
        (
            "https://[::1]:444/a/b?c=d:e@f#body=all well&status=204",
            .http(
                .init(isSecure: true, host: "::1", port: 444, path: "/a/b?c=d:e@f", status: 204, body: "all well")
            ),
            "https://[::1]:444/a/b?c=d:e@f#status=204&body=all well"
        ),
        ("https://a.example:443/#", .http(.init(isSecure: true, host: "a.example", port: 443)), "https://a.example/"),
        (
            "dns://192.0.2.1/WWW.Example.org.",
            .dns(server: .init("192.0.2.1", 53), name: "www.example.org", overTCP: false),
            "dns://192.0.2.1/www.example.org"
        ),
        (
            "dns+tcp://[2001:db8::1]:5353/a.example",
            .dns(server: .init("2001:db8::1", 5353), name: "a.example", overTCP: true),
            "dns+tcp://[2001:db8::1]:5353/a.example"
        ),
        ("unix:/run/a.sock", .unix(path: "/run/a.sock"), "unix:/run/a.sock"),
        ("unix:/a over eth0", .unix(path: "/a over eth0"), "unix:/a over eth0"),
        ("unix:///run/a.sock", .unix(path: "/run/a.sock"), "unix:/run/a.sock"),
        ("unix://///run//a.sock", .unix(path: "/run//a.sock"), "unix:/run//a.sock"),
        ("Example.org over wlan0", .over(.host("example.org"), interface: "wlan0"), "example.org over wlan0"),
        (
            "http://a.example/#body=all over over eth0",
            .over(.http(.init(host: "a.example", port: 80, body: "all over")), interface: "eth0"),
            "http://a.example/#body=all over over eth0"
        ),
    ]

    @Test(arguments: forms)
    func readsEveryFormAndWritesTheNormalOne(text: String, target: Target, normal: String) throws {
        #expect(try Target(text) == target)
        #expect(target.description == normal)
        #expect(try Target(normal) == target)
    }

    /// What is no target, and words that the error holds.
    static let mistakes: [(String, String)] = [
        ("", "a host is missing"),
        ("icmp://", "a host is missing"),
        ("tcp://:80", "a host is missing"),
        ("http:///path", "a host is missing"),
        ("dns:///a.example", "a host is missing"),
        ("example.org:80", "tcp://example.org:80, for example"),
        ("icmp://example.org:80", "tcp://example.org:80, for example"),
        ("gopher://a.example", "'gopher'; known are icmp, tcp, udp, tls, http, https, dns, dns+tcp, unix: and link:"),
        ("://a.example", "''; known are icmp"),
        ("tcp://a.example", "it needs a port, as in a.example:443"),
        ("udp://[2001:db8::1]", "it needs a port, as in [2001:db8::1]:443"),
        ("tcp://2001:db8::1:80", "it needs a port, as in [2001:db8::1:80]:443"),
        ("tcp://a.example:", "a port is a number from 1 to 65535"),
        ("tcp://a.example:0", "a port is a number from 1 to 65535"),
        ("tcp://a.example:65536", "a port is a number from 1 to 65535"),
        ("tcp://a.example:+80", "a port is a number from 1 to 65535"),
        ("tcp://a.example:-1", "a port is a number from 1 to 65535"),
        ("tcp://a.example:8O", "a port is a number from 1 to 65535"),
        ("tcp://a.example:٨٠", "a port is a number from 1 to 65535"),
        ("tcp://[::1]:99999999999999999999", "a port is a number from 1 to 65535"),
        ("tcp://[::1", "neither a name nor an address"),
        ("tcp://[a.example]:80", "neither a name nor an address"),
        ("[]", "neither a name nor an address"),
        ("1.2.3", "neither a name nor an address"),
        ("256.1.1.1", "neither a name nor an address"),
        (".", "neither a name nor an address"),
        ("a..b", "neither a name nor an address"),
        ("-a.example", "neither a name nor an address"),
        ("bücher.example", "neither a name nor an address"),
        ("a.example ", "neither a name nor an address"),
        ("127.0.0.1\0", "neither a name nor an address"),
        (String(repeating: "a", count: 64) + ".example", "neither a name nor an address"),
        (String(repeating: "abc.", count: 63) + "de", "neither a name nor an address"),
        ("me@a.example", "names of users and passwords"),
        ("http://me:secret@a.example/", "names of users and passwords"),
        ("tls://me@a.example:443", "names of users and passwords"),
        ("tcp://a.example:80/path", "tcp:// takes no path"),
        ("icmp://a.example?q", "icmp:// takes no path"),
        ("tcp://a.example:80#status=204", "tcp:// takes nothing after a #"),
        ("dns://192.0.2.1/a.example#x", "dns:// takes nothing after a #"),
        ("dns://192.0.2.1", "asks for a name"),
        ("dns://192.0.2.1/", "asks for a name"),
        ("dns://192.0.2.1/a/b", "asks for a name"),
        ("http://a.example/ä", "a path is written in ASCII"),
        ("http://a.example/a b", "a path is written in ASCII"),
        ("http://a.example/\r\nX: y", "a path is written in ASCII"),
        ("http://a.example/#top", "expected after #"),
        ("http://a.example/#status=99", "expected after #"),
        ("http://a.example/#status=600", "expected after #"),
        ("http://a.example/#status=+204", "expected after #"),
        ("http://a.example/#body=", "expected after #"),
        ("link:", "no interface can have that name"),
        ("link:a-name-of-16-byt", "no interface can have that name"),
        ("link:a/b", "no interface can have that name"),
        ("link:a b", "no interface can have that name"),
        ("link:a:b", "no interface can have that name"),
        ("link:a\0", "no interface can have that name"),
        ("link:..", "no interface can have that name"),
        ("a.example over ", "no interface can have the name"), ("a.example over a/b", "no interface can have the name"),
        (" over eth0", "a host is missing"), ("link:eth0 over eth0", "what packets are sent to"),
        ("a.example over eth0 over eth1", "what packets are sent to"),
        ("unix:run/a", "a socket's path begins with /"),
        ("unix:", "a socket's path begins with /"),
        ("unix:/a\0", "a socket's path begins with /"),
        ("unix:/" + String(repeating: "a", count: 107), "107 bytes at most"),
    ]

    @Test(arguments: mistakes)
    func saysWhatIsWrongAndWhatWouldBeRight(text: String, words: String) throws {
        let error = #expect(throws: TargetError.self) { try Target(text) }
        #expect(try #require(error).description.contains(words))
    }

    @Test func takesTheLongestNamesThereAre() throws {
        let name = String(repeating: "abc.", count: 63) + "d"
        #expect(name.utf8.count == 253)
        #expect(try Target(name) == .host(name))
        #expect(try Target(name + ".") == .host(name))
        let path = "/" + String(repeating: "a", count: 106)
        #expect(try Target("unix:" + path) == .unix(path: path))
    }

    /// A word that is a keyword in small letters only, and a host's name in others, must not change its meaning.
    @Test func keepsAHostCalledInternetApartFromTheInternet() throws {
        let host = try Target("Internet")
        #expect(host == .host("internet"))
        #expect(try Target(host.description) == host)
    }

    @Test func writesShortErrorsAboutLongTexts() throws {
        let long = String(repeating: "x", count: 1_000_000)
        // All of it is one character.
        let stacked = "a" + String(repeating: "\u{301}", count: 1_000_000)
        for text in [long, stacked, long + "://a", "tcp://" + long + ":1", "link:" + long, "http://a/" + stacked] {
            let error = #expect(throws: TargetError.self) { try Target(text) }
            #expect(try #require(error).description.utf8.count < 1000)
        }
    }

    @Test func writesErrorsThatNoTerminalObeys() throws {
        for text in ["\u{1B}[2Ja", "a\u{9B}2J://b", "a\u{202E}b", "link:\u{7}\n", "tcp://\u{1B}]0;x\u{7}:1"] {
            let error = #expect(throws: TargetError.self) { try Target(text) }
            let isHarmless = try #require(error).description.unicodeScalars.allSatisfy {
                ![.control, .format].contains($0.properties.generalCategory)
            }
            #expect(isHarmless)
        }
    }

    /// Whatever is read, reading what is written gives the same, also where it is made of pieces of what is right.
    @Test func readsBackWhateverItWrites() throws {
        let pieces = [
            "internet", "INTERNET", "link:", "unix:", "tcp", "icmp", "http", "https", "dns", "dns+tcp", "tls", "udp",
            "host", "://", "://", "://", ":", "/", "//", "[", "]", "::1", "[::1]", "fe80::1%1", "192.0.2.1", "a", "B.c",
            ".", "a.example", "80", "53", "443", "0", "#", "#status=204", "#body=x", "&", "?", "=", "@", "%", " ", "\0",
            "é", "\u{301}", "\n",
        ]
        var dice = SeededGenerator(seed: 1)
        var read = 0
        for _ in 0..<60_000 {
            let text = (0..<Int.random(in: 1...6, using: &dice)).map { _ in pieces.randomElement(using: &dice) ?? "" }
                .joined()
            guard let target = try? Target(text) else { continue }
            read += 1
            #expect(try Target(target.description) == target, "\(text.debugDescription)")
        }
        #expect(read > 1000)
    }
}
