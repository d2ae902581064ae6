// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// Broken networks, as real clients see them.
@Suite(.enabled(if: Kernel.canPump && Kernel.isRoot, "needs root, and /dev/net/tun"))
struct FaultRunTests {
    /// What a client sees of a profile's faults: a line for each word of faulted-client.py.
    private func see(
        _ match: String,
        _ action: String,
        _ words: String...,
        figures: String = "",
        options: [String] = []
    ) throws -> [String] {
        let files = try TemporaryDirectory()
        let text = "{\"name\": \"Test\", \"faults\": [{\"match\": \(match), \"do\": \(action)}]\(figures)}"
        let path = try files.write("faults.json", text).path
        return try see(path, words, options)
    }

    private func see(_ profile: String, _ words: [String], _ options: [String] = []) throws -> [String] {
        let client = Script("faulted-client.py").command(words)
        let outcome = try Program.start(
            [Program.path, "run", "--offline"] + options + [profile, "--"] + client
        )
        #expect(outcome.status == 0, "\(outcome)")
        return outcome.output.split(separator: "\n").map(String.init)
    }

    @Test(arguments: [
        (#""lose""#, "silence, after 3 s"), (#""lose silently from here""#, "silence, after 3 s"),
        (#"{"refuse": "reset"}"#, "ECONNREFUSED, after 0 s"), (#"{"refuse": "port"}"#, "ECONNREFUSED, after 0 s"),
        (#"{"refuse": "host"}"#, "EHOSTUNREACH, after 0 s"), (#"{"refuse": "net"}"#, "ENETUNREACH, after 0 s"),
        (#""reset""#, "ECONNREFUSED, after 0 s"), (#""close""#, "ECONNREFUSED, after 0 s"),
        (#""stall""#, "0, then silence, after 3 s"),
    ])
    func aConnectionIsNotMade(action: String, seen: String) throws {
        let lines = try see(#"{"packet": "syn", "port": 8080}"#, action, "echo,4,1,10", "echo,6,1,10", "datagram,4,10")
        #expect(lines == [seen, seen, "back, after 0 s"])
    }

    @Test(arguments: [
        (#""reset""#, "3, then ECONNRESET, after 0 s"), (#""close""#, "3, then the end, after 0 s"),
        (#""half close""#, "3, then the end, after 0 s"), (#""stall""#, "3, then silence, after 3 s"),
        (#""lose silently from here""#, "3, then silence, after 3 s"),
    ])
    func aConnectionEndsInTransfer(action: String, seen: String) throws {
        // Three messages there and back.
        let lines = try see(#"{"port": 8080, "after": "60 bytes"}"#, action, "echo,4,9,10", "echo,6,9,10")
        #expect(lines == [seen, seen])
    }

    @Test(arguments: [("reset", "ECONNRESET, after 2 s"), ("close", "the end, after 2 s")])
    func anIdleConnectionEnds(action: String, seen: String) throws {
        let match = #"{"port": 8080, "after": {"idle": "2 s"}}"#
        let lines = try see(
            match,
            "\"\(action)\"",
            "idle,4,\(HangLimit.seconds)",
            "idle,6,\(HangLimit.seconds)",
            "echo,4,2,5"
        )
        #expect(lines == [seen, seen, "2, after 0 s"])
    }

    /// What is open then sees it at once, after the step's time, and a later connection at its first packet.
    @Test func aStepEndsWhatIsOpen() throws {
        let files = try TemporaryDirectory()
        let text = """
            {"name": "Cut", "profile": {"name": "Plain"}, "steps": [
                {"label": "cut", "after": "2 s", "profile":
                    {"name": "Broken", "faults": [{"match": {"port": 8080}, "do": "reset"}]}}]}
            """
        let scenario = try files.write("cut.json", text).path
        let client = Script("faulted-client.py").command(["idle,4,\(HangLimit.seconds)", "echo,4,1,10"])
        let outcome = try Program.start(
            [Program.path, "run", "--offline", "--scenario", scenario, "--expect", "closes within 2 s of 'cut'", "--"]
                + client
        )
        #expect(outcome.status == 0 && outcome.errors.contains("pass  closes within 2 s of 'cut': "), "\(outcome)")
        let lines = outcome.output.split(separator: "\n")
        #expect(
            lines.count == 2 && lines[0].hasPrefix("ECONNRESET") && lines[1] == "ECONNREFUSED, after 0 s",
            "\(outcome)"
        )
    }

    @Test func theAnswerIsDelayedAsTheLinkDelaysAll() throws {
        let slow = #", "downlink": {"delay": "600 ms"}, "uplink": {"delay": "600 ms"}"#
        let lines = try see(#"{"packet": "syn"}"#, #"{"refuse": "reset"}"#, "echo,4,1,10", figures: slow)
        // Only the way back: the SYN itself gets nowhere.
        #expect(lines == ["ECONNREFUSED, after 0 s"])
        let reset = try see(#"{"port": 8080, "after": "20 bytes"}"#, #""reset""#, "echo,4,9,10", figures: slow)
        #expect(reset == ["1, then ECONNRESET, after 3 s"] || reset == ["1, then ECONNRESET, after 2 s"])
    }

    @Test(arguments: [(#""lose""#, "silence, after 1 s"), (#"{"refuse": "port"}"#, "ECONNREFUSED, after 0 s")])
    func datagramsAreLostOrRefused(action: String, seen: String) throws {
        let lines = try see(#"{"protocol": "udp"}"#, action, "datagram,4,10", "datagram,6,10", "echo,4,1,10")
        #expect(lines == [seen, seen, "1, after 0 s"])
    }

    @Test func refusalsOfHostsReachSendersOfDatagrams() throws {
        // Linux tells a connected socket of IPv6 at once; over IPv4 it takes the error for one that passes.
        let lines = try see(#"{"protocol": "udp"}"#, #"{"refuse": "prohibited"}"#, "datagram,4,10", "datagram,6,10")
        #expect(lines == ["EHOSTUNREACH, after 0 s", "EACCES, after 0 s"])
    }

    @Test func whatIsTooLargeVanishesOrIsSentInSmallerPieces() throws {
        let large = "echo,4,1,4000"
        let lost = try see(#"{"larger": "1400 bytes"}"#, #""lose""#, "echo,4,1,1000", large)
        #expect(lost == ["1, after 0 s", "0, then silence, after 3 s"])
        let told = try see(#"{"larger": "1400 bytes"}"#, #"{"refuse": "packet too big"}"#, large, "echo,6,1,4000")
        #expect(told == ["1, after 0 s", "1, after 0 s"])
    }

    @Test(arguments: [
        ("NXDOMAIN", "code 3"), ("SERVFAIL", "code 2"), ("REFUSED", "code 5"), ("empty", "code 0"),
        ("192.0.2.9", "code 0 192.0.2.9"),
    ])
    func queriesAreAnsweredInTheServersName(answer: String, seen: String) throws {
        let lines = try see(
            #"{"dns": "*.test"}"#,
            "{\"answer\": \"\(answer)\"}",
            "ask,api.test,1",
            "ask-by-tcp,api.test,1",
            "ask,api.org,1",
            "ask-by-tcp,api.org,1"
        )
        #expect(lines == [seen, seen, "code 0 127.0.0.7", "code 0 127.0.0.7"].map { "\($0), after 0 s" })
    }

    @Test func aTruncatedAnswerLeavesTCP() throws {
        let lines = try see(
            #"{"dns": "api.test"}"#,
            #"{"answer": "truncated"}"#,
            "ask,api.test,1",
            "ask-by-tcp,api.test,1"
        )
        #expect(lines == ["cut, after 0 s", "code 0 127.0.0.7, after 0 s"])
    }

    @Test func queriesOfOneTypeAreHeldBack() throws {
        let match = #"{"dns": "api.test", "type": "A"}"#
        let lines = try see(match, #"{"answer": {"after": "2 s"}}"#, "ask,api.test,1", "ask,api.test,28")
        #expect(lines == ["code 0 127.0.0.7, after 2 s", "code 0, after 0 s"])
    }

    @Test func theFirstSYNIsSentAgain() throws {
        #expect(try see("SYN Lost Once", ["echo,4,1,10", "datagram,4,10"]) == ["1, after 1 s", "back, after 0 s"])
    }

    @Test func brokenNetworksBreakWhatTheyName() throws {
        #expect(
            try see("UDP Blocked", ["datagram,4,10", "ask,a.test,1"]).map { $0.prefix(6) } == ["silenc", "code 0"]
        )
        #expect(try see("DNS Down", ["ask,a.test,1", "datagram,4,10"]) == ["silence, after 3 s", "back, after 0 s"])
        #expect(try see("DNS Hijacked", ["ask,a.test,1"]) == ["code 0 192.0.2.1, after 0 s"])
        #expect(
            try see("First Packet Lost", ["datagram,4,10", "echo,4,1,10"]) == ["silence, after 1 s", "1, after 1 s"]
        )
        #expect(try see("Half-Open Server", ["echo,4,1,10"]) == ["0, then silence, after 3 s"])
        #expect(try see("MTU Hole", ["datagram,4,1300", "datagram,4,1400"]).map { $0.prefix(4) } == ["back", "sile"])
        #expect(
            try see("IPv6 Black Hole", ["datagram,6,10", "datagram,4,10"]).map { $0.prefix(4) } == ["sile", "back"]
        )
        #expect(try see("Reset By Middlebox", ["echo,4,30,1000"]) == ["10, then ECONNRESET, after 0 s"])
    }

    @Test func aFlappingLinkComesBack() throws {
        let line = "LC_ALL=C ping -n -D -i 0.2 -w 9 127.0.0.1 || true"
        let outcome = try Program.start([Program.path, "run", "--offline", "Flapping Link", "--", "sh", "-c", line])
        let times = outcome.output.matches(of: /\[([0-9.]+)\] .* icmp_seq/).compactMap { Double($0.output.1) }
        let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
        #expect(times.count > 15 && gaps.count { $0 > 1.5 } == 1 && (gaps.max() ?? 0) < 3.5, "\(outcome)")
    }

    @Test func aCaptivePortalNeedsNoServer() throws {
        func curl(_ words: String) throws -> CommandResult {
            try Program.shell("\"$LINKCOND\" run --offline 'Captive Portal' -- curl -sS -m 5 \(words)")
        }
        let page = try curl("-o /dev/null -w '%{http_code} %{redirect_url}' http://127.0.0.1/page")
        #expect(page.output == "302 http://portal.test/", "\(page)")
        let secured = try curl("https://127.0.0.1/")
        #expect(secured.status == 35, "\(secured)")
    }

    @Test func aHandshakeStallsAtTheClientHello() throws {
        let files = try TemporaryDirectory()
        let line = """
            cd \(files.path)
            openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out certificate -days 1 -subj /CN=a.test 2>/dev/null
            openssl s_server -accept 4433 -key key -cert certificate -quiet -www >/dev/null 2>&1 &
            for _ in $(seq 2000); do (: </dev/tcp/127.0.0.1/4433) 2>/dev/null && break; sleep 0.1; done
            timeout $2 openssl s_client -connect 127.0.0.1:4433 -servername $1 </dev/null 2>&1 | grep -c 'Cipher is TLS'
            """
        let script = try files.write("handshake", line).path
        func handshakes(_ profile: String, _ name: String, seconds: Int = 2) throws -> String {
            let outcome = try Program.start(
                [Program.path, "run", "--offline", profile, "--", "bash", script, name, "\(seconds)"]
            )
            return outcome.output
        }
        #expect(try handshakes("Handshake Stalled", "a.test") == "0\n")
        let one = #"{"name": "One", "faults": [{"match": {"packet": "tls hello *.b.test"}, "do": "reset"}]}"#
        let profile = try files.write("one.json", one).path
        #expect(try handshakes(profile, "a.b.test") == "0\n")
        #expect(try handshakes(profile, "a.test", seconds: HangLimit.seconds / 2) == "1\n")
    }

    @Test func eachFaultIsAFateOfItsOwn() throws {
        let files = try TemporaryDirectory()
        let (log, capture) = ("\(files.path)/log.tsv", "\(files.path)/packets.pcapng")
        let match = #"{"port": 8080, "after": "20 bytes"}"#
        _ = try see(match, #""reset""#, "echo,4,9,10", options: ["--log", log, "--capture", capture])
        let lines = try files.read("log.tsv").split(separator: "\n").map { $0.split(separator: "\t") }
        #expect(lines.first?.last == "made")
        let lost = lines.filter { $0.count == 9 && $0[6] == "dropped" }
        #expect(!lost.isEmpty && lost.allSatisfy { $0[7] == "fault 1: reset" && $0[8] == "-" })
        let made = lines.filter { $0.count == 9 && $0[8] == "fault 1: reset" }
        #expect(Set(made.map { $0[5] }) == ["uplink", "downlink"] && made.allSatisfy { $0[6] == "passed" })
        let shown = try Program.start([Program.path, "capture", "-r", capture, "-n", "-t"]).output
        #expect(shown.contains("dropped: fault 1: reset") && shown.contains("made by fault 1: reset"), "\(shown)")
    }

    @Test func statusCountsThePacketsOfEachFault() throws {
        let files = try TemporaryDirectory()
        let text = #"{"name": "T", "faults": [{"match": {"packet": "syn"}, "do": {"refuse": "reset"}}]}"#
        let profile = try files.write("faults.json", text).path
        let line = "(: </dev/tcp/127.0.0.1/80) 2>/dev/null; \"$LINKCOND\" status; \"$LINKCOND\" status --json"
        let outcome = try Program.start([Program.path, "run", "--offline", profile, "--", "bash", "-c", line])
        #expect(outcome.output.contains(/1 +refuse \(reset\): packet syn +1\n/), "\(outcome)")
        #expect(outcome.output.contains(/"fault": ?"refuse \(reset\): packet syn",\s*"packets": ?1/), "\(outcome)")
    }

    @Test func decidesTheSameForTheSameSeed() throws {
        let words = (0..<12).map { "ask,n\($0).test,1" }
        func seen(_ seed: Int) throws -> [String] {
            let files = try TemporaryDirectory()
            let text =
                #"{"name": "T", "faults": [{"match": {"dns": "*", "probability": "50 %"}, "do": {"answer": "REFUSED"}}]}"#
            return try see(try files.write("faults.json", text).path, words, ["--seed", "\(seed)"])
        }
        let first = try seen(3)
        #expect(try seen(3) == first)
        #expect(try seen(4) != first)
    }

    @Test func netemRefusesThemByName() throws {
        let outcome = try Program.start([
            Program.path, "run", "--offline", "--engine", "netem", "MTU Hole", "--", "true",
        ])
        #expect(outcome.status == 125 && outcome.errors.contains("faults"), "\(outcome)")
    }

    @Test func listsBrokenNetworks() throws {
        let outcome = try Program.run("list", "--broken")
        #expect(outcome.status == 0 && outcome.lines.count > 15, "\(outcome)")
        #expect(outcome.output.contains(/mtu-hole +lose: larger than 1400 bytes\n/), "\(outcome)")
        #expect(outcome.output.contains(/idle-nat +NAT, mappings expire after 30 s/), "\(outcome)")
        #expect(outcome.output.contains(/lift +lose: everything from 5 s to 30 s, every 60 s\n/), "\(outcome)")
        #expect(outcome.output.contains(/nat-rebinding +new NAT mappings after 5 s\n/), "\(outcome)")
        #expect(outcome.output.contains(/wi-fi-to-cellular +link down after 5 s\n/), "\(outcome)")
        #expect(!outcome.output.contains("slow-net"))
    }
}
