// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import PacketPump

extension ConnectionQuery {
    /// A word of a search: text that a row contains, `port:443`, `state:open`, or `lost:>0`.
    enum Condition: Sendable {
        case text(String)
        case contains(Column, String)
        case port(UInt16)
        case number(Column, Comparison, Double)

        enum Comparison: String, Sendable {
            case more = ">"
            case less = "<"
            case equal = ""
        }

        init(_ word: Substring) throws(Mistake) {
            let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            // The colons of an address follow digits.
            guard parts.count == 2, !parts[0].isEmpty, parts[0].allSatisfy(\.isLetter) else {
                self = .text(word.lowercased())
                return
            }
            let (name, value) = (parts[0].lowercased(), String(parts[1]))
            if name == "port" {
                guard let port = UInt16(value), port > 0 else {
                    throw Mistake(message: "\"\(value.shortened)\" is not a port, such as port:443", field: "search")
                }
                self = .port(port)
                return
            }
            guard let column = Column(rawValue: name == "protocol" ? "transport" : name) else {
                let message = "cannot search by \"\(name.shortened)\": use port, protocol, \(Column.list)"
                throw Mistake(message: message, field: "search")
            }
            guard column.isNumber else {
                guard !value.isEmpty else {
                    throw Mistake(message: "\(name): what? Such as \(name):text", field: "search")
                }
                self = .contains(column, value.lowercased())
                return
            }
            let comparison = value.first.flatMap { Comparison(rawValue: String($0)) } ?? .equal
            let digits = comparison == .equal ? value : String(value.dropFirst())
            guard let number = Self.number(digits) else {
                let message = "\"\(value.shortened)\" is not a number, such as \(name):>0 or \(name):>1MB"
                throw Mistake(message: message, field: "search")
            }
            self = .number(column, comparison, number)
        }

        /// A number, alone or with a unit of bytes.
        private static func number(_ text: String) -> Double? {
            let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            let factors: [Substring: Double] = ["": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "s": 1]
            guard let number = Double(digits), number.isFinite,
                let factor = factors[Substring(text.dropFirst(digits.count).lowercased())]
            else { return nil }
            return number * factor
        }

        func matches(_ row: ConnectionRow) -> Bool {
            switch self {
            case .text(let text):
                [row.process, row.client.text, row.peer.text, row.name, row.rule, row.transport].contains {
                    $0?.lowercased().contains(text) == true
                }
            case .contains(let column, let text):
                if case .text(let value)? = column.key(row) { value.lowercased().contains(text) } else { false }
            case .port(let port): row.client.port == port || row.peer.port == port
            case .number(let column, let comparison, let limit):
                column.number(row).map { value in
                    switch comparison {
                    case .more: value > limit
                    case .less: value < limit
                    case .equal: value == limit
                    }
                } ?? false
            }
        }
    }
}
