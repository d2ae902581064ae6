// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
internal import LinkProfiles

/// The findings of a run that are no passes, with numbers, and the places of their packets in the timeline.
struct Evidence {
    struct Finding {
        /// 1 for the first.
        let number: Int
        let result: RunReport.Result
        /// The times of the packets that show it, in order, without those of connections that are not shown.
        fileprivate(set) var times: [Duration] = []

        var title: String { "\(result.verdict.word) \(result.expectation): \(result.finding)".shortened(to: 300) }
    }

    /// The maximum number of packets of a finding that are drawn.
    private static let drawn = 50
    /// The maximum number of findings with numbers.
    private static let limit = 100

    private(set) var findings: [Finding]
    /// The findings that passed.
    let passes: [RunReport.Result]
    /// The ID of the element that shows a packet, by the packet's number.
    private var elements: [Int: String] = [:]
    /// The numbers of the findings about a connection or a request, by the ID of its element.
    private var numbers: [String: [Int]] = [:]

    init(_ report: RunReport) {
        let results = report.results.sorted { $0.verdict.urgency < $1.verdict.urgency }
        let others = results.filter { $0.verdict != .pass }
        passes = results.filter { $0.verdict == .pass }
        findings = others.enumerated().map { Finding(number: $0 + 1, result: $1) }
        guard let timeline = report.timeline else { return }
        let wanted = Set(report.results.flatMap(\.packets))
        guard !wanted.isEmpty else { return }
        var times: [Int: Duration] = [:]
        for line in timeline.connections {
            for (number, time) in line.packets(wanted) { (elements[number], times[number]) = (line.id, time) }
        }
        for request in timeline.requests.listedRequests where wanted.contains(request.packet) {
            (elements[request.packet], times[request.packet]) = (request.id, request.begin)
        }
        for (index, finding) in findings.enumerated().prefix(Self.limit) {
            findings[index].times = Array(finding.result.packets.compactMap { times[$0] }.sorted().prefix(Self.drawn))
            for id in Set(finding.result.packets.compactMap { elements[$0] }) {
                numbers[id, default: []].append(finding.number)
            }
        }
    }

    /// The numbers of the findings about an element.
    func numbers(of id: String) -> [Int] { numbers[id] ?? [] }

    /// A finding's packets, each a link to the row that shows it; nil if there are none.
    func packets(of result: RunReport.Result, limit: Int = 20) -> Markup? {
        guard !result.packets.isEmpty else { return nil }
        var words = Markup("p", ["class": "muted"])
        words.content = [.text(result.packets.count == 1 ? "Packet " : "Packets ")]
        for (index, packet) in result.packets.prefix(limit).enumerated() {
            if index > 0 { words.content.append(.text(", ")) }
            if let id = elements[packet] {
                words.append(Markup("a", ["href": "#\(id)"], text: "\(packet)"))
            } else {
                words.content.append(.text("\(packet)"))
            }
        }
        let rest = result.packets.count - limit
        words.content.append(.text((rest > 0 ? " and \(rest) more" : "") + " of packets.pcapng"))
        return words
    }
}

extension ConnectionLine {
    /// The ID of the connection's row.
    var id: String { "connection-\(packet)" }

    /// Those of the connection's packets that have one of these numbers, with the times at which they were sent.
    fileprivate func packets(_ numbers: Set<Int>) -> [(number: Int, time: Duration)] {
        let others = [connection.accepted, connection.firstRequest, connection.secured].compactMap { $0 }
        let ends = connection.endings.lazy.map(\.packet) + others
        let again = connection.retransmissions.lazy.map(\.packet)
        let all = [AnySequence(connection.attempts), .init(connection.clientPackets), .init(connection.answers)]
        return (all + [.init(ends), .init(again)]).joined().filter { numbers.contains($0.number) }
            .map { ($0.number, time($0.sent)) }
    }
}

extension RequestLog.Request {
    /// The ID of the request's row.
    var id: String { "request-\(packet)" }
}
