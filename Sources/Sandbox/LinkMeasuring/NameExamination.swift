// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses
package import LinkConditioning
internal import LinkProfiles
internal import LinuxSystem
internal import Probing

/// Checks whether names are resolved over a sandbox's uplink: each name server gets a query from inside the sandbox.
package enum NameExamination {
    /// A name that is reserved for such uses (RFC 2606).
    private static let name = "example.com"
    private static let limit = Duration.seconds(2)

    /// Runs ``ask()`` in a sandbox, as a command of this program; nil without name servers. This process must have one
    /// thread.
    package static func run() -> Examination.Finding? {
        let servers = servers
        guard !servers.isEmpty else { return nil }
        let program = "/proc/self/exe"
        let answers = SystemQuery.lines([program, "run", "--", program, "doctor", "--ask-names"])
            .filter { $0.hasPrefix("+") || $0.hasPrefix("-") }
        guard !answers.isEmpty else {
            let detail = "not asked over an uplink: \"linkcond run -- true\" says why"
            return Examination.Finding(subject: "names", isFine: false, detail: detail, remedy: nil)
        }
        // The sandbox has an address for each server, in the same order, except for servers of an address family that
        // it lacks.
        let names = servers.count == answers.count ? servers.map(\.description) : answers.map { _ in "a name server" }
        let results = zip(names, answers).map { "\($0) \($1.dropFirst())" }.joined(separator: ", ")
        return Examination.Finding(
            subject: "names",
            isFine: answers.contains { $0.hasPrefix("+") },
            detail: "asked for \(name) over an uplink, \(results)",
            remedy: nil
        )
    }

    /// Queries each name server, inside the sandbox; returns a line for each, which begins with "+" if the server
    /// answered.
    package static func ask() throws -> [String] {
        let probes = servers.map { Probe.dns(DNSQuestion(name, .a), server: $0) }
        let inbox = try Mailbox([(index: Int, observation: Observation)]())
        let prober = SocketProber()
        prober.start(batch: probes, timeout: limit) { index, observation in
            inbox.send { $0.append((index, observation)) }
        }
        var observations: [Int: Observation] = [:]
        // A probe may take twice its timeout if this process lacks the resources to send it at once.
        let deadline = ContinuousClock.now + limit * 2.5
        while observations.count < probes.count, ContinuousClock.now < deadline {
            Wait.untilReadable([inbox.wakeup.descriptor], limit: deadline - .now)
            var arrived: [(index: Int, observation: Observation)] = []
            inbox.dequeue(into: &arrived)
            for (index, observation) in arrived { observations[index] = observation }
        }
        return probes.indices.map { words(observations[$0]) }
    }

    private static func words(_ observation: Observation?) -> String {
        switch observation?.finding {
        case .answered(let time): return "+answered within \(time.words)"
        case .failed(.nxdomain), .failed(.nodata): return "+answered that there is no such name"
        case .failed(.servfail): return "-answered that it failed"
        case .failed(.queryRefused): return "-answered that it refuses"
        case .failed(.queryTimeout), .failed(.blackHole), nil: return "-did not answer within \(limit.words)"
        case .failed(.serverUnreachable), .failed(.refused): return "-cannot be reached"
        case .failed(let reason), .impossible(let reason), .nothing(let reason):
            return "-could not be asked: \(reason)"
        }
    }

    /// The servers that this network's resolv.conf(5) names.
    private static var servers: [IPAddress] {
        let bytes = (try? SmallFile.read("/etc/resolv.conf", followsLinks: true)) ?? []
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).compactMap { line in
            let words = line.split { $0 == " " || $0 == "\t" }
            guard words.count > 1, words[0] == "nameserver" else { return nil }
            return IPAddress(String(words[1]))
        }
    }
}
