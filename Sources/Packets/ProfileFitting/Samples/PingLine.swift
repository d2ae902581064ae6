// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses
internal import LinkProfiles
internal import ProfileFormats

/// A parsed line of a ping log: of iputils, BSD, BusyBox and Go, with any words before it, such as a date; of fping
/// with -l, -c and -C; of Windows. Figures are recognized by their form, since the words differ between languages.
struct PingLine {
    struct Answer {
        /// The round trip in seconds.
        var trip: Double
        /// The length of the ICMP message.
        var bytes: Int
        var isDuplicate = false
    }

    enum Content {
        /// The start of a log. `first` is the number of its first request; nil if this ping does not number requests.
        case header(target: String, first: Int?)
        case answer(number: Int, Answer)
        /// An answer in a log of Windows' ping, which does not number requests.
        case unnumberedAnswer(target: String, Answer)
        /// A request that was sent and not answered, or that a router refused.
        case unanswered(number: Int, isRefused: Bool)
        /// A request of fping, with its answer if there was one.
        case fping(target: String, number: Int, Answer?)
        /// The round trips in seconds of all fping requests to a target, nil for each unanswered one.
        case fpingSummary(target: String, trips: [Double?])
        /// The totals at the end of a log; `target` is nil if the line does not name it.
        case statistics(target: String?, sent: Int, received: Int?, duration: Double?)
    }

    let content: Content
    /// The timestamp before the answer, which ping prints with -D.
    private(set) var stamp: Double?

    /// Returns nil for a line of unknown form; throws if the line is an answer whose figures cannot be read.
    init?(_ text: Substring, at location: String) throws(ImportError) {
        var words = PingWords.split(text)
        if let first = words.first, first.hasPrefix("["), let stamp = Double(first.dropFirst().prefix { $0 != "]" }) {
            self.stamp = stamp
            words.removeFirst()
        }
        guard words.count >= 2 else { return nil }
        let reader = PingWords(words: words, location: location)
        guard let content = try reader.content() else { return nil }
        self.content = content
    }

    /// Whether a line is an answer that was cut before the unit of its time.
    static func isCut(_ text: Substring) -> Bool { PingWords(words: PingWords.split(text), location: "").isCut }
}

/// The words of a line.
private struct PingWords {
    let words: [Substring]
    let location: String

    static func split(_ text: Substring) -> [Substring] {
        text.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map { $0.hasSuffix(",") ? $0.dropLast() : $0 }
    }

    private static let icmpHeader = 8
    private static let usualBytes = 64

    private func failure(_ reason: String) -> ImportError {
        let line = words.joined(separator: " ")
        return .invalid(
            location: location,
            reason: "\(JSON.quoted(line.count > 80 ? "\(line.prefix(80))..." : line)): \(reason)"
        )
    }

    func content() throws(ImportError) -> PingLine.Content? {
        if let content = try fping() { return content }
        if let content = try numbered() { return content }
        if let content = try statistics() { return content }
        return try windows()
    }

    // MARK: ping

    /// Reads "PING HOST (ADDRESS)", and lines with a sequence number.
    func numbered() throws(ImportError) -> PingLine.Content? {
        if let index = words.firstIndex(of: "PING"), index + 1 < words.count {
            // Pings that number requests from 0 print a colon after the address.
            let first = words.contains { $0.hasSuffix("):") } ? 0 : 1
            return .header(target: String(words[index + 1].prefix { $0 != "(" }), first: first)
        }
        guard let index = words.firstIndex(where: { Self.key(of: $0).map(Self.numberKeys.contains) ?? false }) else {
            // "Request timeout for icmp_seq 1" of macOS.
            guard let index = words.firstIndex(of: "icmp_seq"), index + 1 < words.count,
                let number = Int(words[index + 1]), 0...Int(UInt16.max) ~= number
            else { return nil }
            return .unanswered(number: number, isRefused: false)
        }
        guard let number = Int(words[index].drop { $0 != "=" }.dropFirst()), 0...Int(UInt16.max) ~= number else {
            throw failure("the sequence number cannot be read")
        }
        let trip = try trip()
        let length = words[..<index].indices.last { index in
            words[index].allSatisfy(\.isNumber) && !(words[index + 1].first?.isNumber ?? true)
        }
        guard let trip else {
            // "64 bytes from 192.0.2.1: icmp_seq=1 ttl=64"
            let isAnswer = length.map { Self.byteWords.contains(words[$0 + 1].lowercased()) } ?? false
            guard !isAnswer else { throw failure("the answer has no time; ping prints one with \"-s 16\" and more") }
            return .unanswered(number: number, isRefused: index + 1 < words.count)
        }
        guard let length, let bytes = Int(words[length]), 0...0xFFFF ~= bytes else {
            throw failure("the length of the answer cannot be read")
        }
        let isDuplicate = words.contains { $0.hasPrefix("(DUP") }
        return .answer(number: number, PingLine.Answer(trip: trip, bytes: bytes, isDuplicate: isDuplicate))
    }

    /// Reads "5 packets transmitted, 2 received, 60% packet loss, time 4000ms".
    func statistics() throws(ImportError) -> PingLine.Content? {
        // In English, skips a date before the words; in other languages, rejects a line with a colon, which shows a
        // date.
        let english = words.indices.dropFirst().first {
            words[$0] == "packets" && words[$0...].dropFirst().first == "transmitted"
        }
        let isEnglish = english != nil
        let counts = words[(english.map { $0 - 1 } ?? 0)...]
        guard
            isEnglish || counts.contains(where: { $0.hasSuffix("%") }) && !counts.contains(where: { $0.contains(":") }),
            let sent = counts.first.flatMap({ Int($0) })
        else { return nil }
        guard 0...PingLog.maximumProbes ~= sent else {
            throw failure("more than \(PingLog.maximumProbes) packets would be missing")
        }
        let received = counts.dropFirst().prefix { !$0.hasSuffix("%") }.lazy.compactMap { Int($0) }.first
        guard isEnglish || received != nil else { return nil }
        let last = words[words.count - 1]
        let time = last.hasSuffix("ms") ? Double(last.dropLast(2)).map { $0 / 1000 } : nil
        let duration = time.flatMap { 0...1e9 ~= $0 ? $0 : nil }
        return .statistics(target: nil, sent: sent, received: received, duration: duration)
    }

    // MARK: fping

    /// Reads "HOST : [0], 64 bytes, 0.123 ms (0.123 avg, 0% loss)" or "HOST : [0], timed out"; "HOST : 1.23 - 4.56";
    /// and "HOST : xmt/rcv/%loss = 3/2/33%".
    func fping() throws(ImportError) -> PingLine.Content? {
        guard words.count >= 3, words[1] == ":",
            words[0].allSatisfy({ $0.isLetter || $0.isNumber || ".:-_%".contains($0) })
        else { return nil }
        let target = String(words[0])
        if words[2].hasPrefix("["), words[2].hasSuffix("]"), words.count >= 5 {
            guard let number = Int(words[2].dropFirst().dropLast()), 0..<PingLog.maximumProbes ~= number else {
                throw failure("the number of the request cannot be read")
            }
            guard words.count >= 7, words[4] == "bytes" else { return .fping(target: target, number: number, nil) }
            guard let bytes = Int(words[3]), 0...0xFFFF ~= bytes else {
                throw failure("the length of the answer cannot be read")
            }
            guard let trip = Self.seconds(words[5], unit: words[6]) else { throw failure("its time cannot be read") }
            return .fping(target: target, number: number, PingLine.Answer(trip: trip, bytes: bytes))
        }
        if words[2] == "xmt/rcv/%loss", words.count >= 5 {
            let counts = words[4].split(separator: "/").map { Int($0) }
            guard counts.count == 3, let sent = counts[0], let received = counts[1], 0...PingLog.maximumProbes ~= sent
            else {
                throw failure("its sums cannot be read")
            }
            return .statistics(target: target, sent: sent, received: received, duration: nil)
        }
        let figures = words[2...]
        guard figures.allSatisfy({ $0 == "-" || Double($0) != nil }) else { return nil }
        var trips: [Double?] = []
        for figure in figures {
            guard figure != "-" else {
                trips.append(nil)
                continue
            }
            guard let trip = Self.seconds(figure, unit: "ms") else { throw failure("\(figure) is no time in ms") }
            trips.append(trip)
        }
        return .fpingSummary(target: target, trips: trips)
    }

    // MARK: Windows

    /// Reads, in any language, "Reply from 192.0.2.7: bytes=32 time=46ms TTL=57", "Pinging a.test [192.0.2.7] with 32
    /// bytes of data:", and "Packets: Sent = 4, Received = 4, Lost = 0 (0% loss)".
    func windows() throws(ImportError) -> PingLine.Content? {
        if let (address, isFollowed) = address, isFollowed, let trip = try trip() {
            let bytes = words.lazy.compactMap { word in
                Self.key(of: word).flatMap {
                    Self.otherKeys.contains($0) ? nil : Int(word.drop { $0 != "=" }.dropFirst())
                }
            }.first
            guard 0...0xFFFF ~= bytes ?? 0 else { throw failure("the length of the answer cannot be read") }
            let length = bytes.map { $0 + Self.icmpHeader } ?? Self.usualBytes
            return .unnumberedAnswer(target: address, PingLine.Answer(trip: trip, bytes: length))
        }
        if let address = address?.text, words.last?.hasSuffix(":") ?? false, words.contains(where: { Int($0) != nil }),
            words.contains(where: { $0.lowercased().contains("ping") })
        {
            return .header(target: address, first: nil)
        }
        let sums = words.indices.dropLast().filter { words[$0] == "=" }.compactMap { Int(words[$0 + 1]) }
        guard sums.count == 3, words.contains(where: { $0.contains("%") }),
            sums.allSatisfy({ 0...PingLog.maximumProbes ~= $0 })
        else { return nil }
        return .statistics(target: nil, sent: sums[0], received: sums[1], duration: nil)
    }

    /// The first IP address in the line, in brackets or not, and whether a colon follows it.
    private var address: (text: String, isFollowed: Bool)? {
        for (index, word) in words.enumerated() {
            let bare = word.drop { $0 == "[" }.prefix { $0 != "]" }
            if bare.hasSuffix(":"), let address = IPAddress(String(bare.dropLast())) { return ("\(address)", true) }
            guard let address = IPAddress(String(bare)) else { continue }
            return ("\(address)", index + 1 < words.count && words[index + 1] == ":")
        }
        return nil
    }

    // MARK: Figures

    var isCut: Bool {
        let rest = words.drop { !(Self.key(of: $0).map(Self.numberKeys.contains) ?? false) }
        let hasTime = (try? trip()) ?? nil
        return !rest.isEmpty && hasTime == nil && !rest.contains { Self.units[$0.lowercased()] != nil }
    }

    private static let numberKeys: Set = ["icmp_seq", "seq"]
    /// Keys before "=" whose values are not times.
    private static let otherKeys: Set = ["icmp_seq", "seq", "ttl", "hlim", "ident", "id"]
    /// The word "bytes" in iputils' translations.
    private static let byteWords: Set = ["byte", "bytes", "octets", "bajtów", "бит", "байт", "字节", "バイト応答"]

    /// The part of a word before "=" or "<", in lower case; nil without either.
    private static func key(of word: Substring) -> String? {
        word.firstIndex { $0 == "=" || $0 == "<" }.map { word[..<$0].lowercased() }
    }

    /// The round trip of an answer in seconds, from "time=40.1 ms", "time=40.1ms" or "Zeit<1ms"; nil if the line has
    /// none.
    private func trip() throws(ImportError) -> Double? {
        var doubtful: Substring?
        for (index, word) in words.enumerated() {
            guard let key = Self.key(of: word), !key.isEmpty, !Self.otherKeys.contains(key) else { continue }
            let figure = word.drop { $0 != "=" && $0 != "<" }.dropFirst()
            let digits = figure.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == ",") }
            let unit = figure.dropFirst(digits.count)
            let next = index + 1 < words.count ? words[index + 1] : ""
            if let seconds = Self.seconds(digits, unit: unit.isEmpty ? next : unit) { return seconds }
            // "bytes=32" has no unit.
            if index + 1 == words.count || !unit.isEmpty || digits.isEmpty || Self.key(of: next) == nil {
                doubtful = word
            }
        }
        guard let doubtful else { return nil }
        throw failure("\(JSON.quoted(String(doubtful))) is no time with a unit, such as 40.1 ms")
    }

    /// Parses a time, in seconds; nil if it is not a number with a known unit, or exceeds an hour.
    private static func seconds(_ digits: Substring, unit: Substring) -> Double? {
        guard let factor = units[unit.lowercased()],
            let number = Double(digits.map { $0 == "," ? "." : String($0) }.joined())
        else { return nil }
        let seconds = number * factor
        return 0...3600 ~= seconds ? seconds : nil
    }

    /// The units of time in seconds, including the units in iputils' translations and in Go.
    private static let units: [String: Double] = [
        "s": 1, "sec": 1, "с": 1, "秒": 1,
        "ms": 1e-3, "msec": 1e-3, "мс": 1e-3, "мсек": 1e-3, "毫秒": 1e-3, "ミリ秒": 1e-3,
        "us": 1e-6, "usec": 1e-6, "\u{B5}s": 1e-6, "\u{3BC}s": 1e-6, "мкс": 1e-6, "微秒": 1e-6,
        "ns": 1e-9, "nsec": 1e-9,
    ]
}
