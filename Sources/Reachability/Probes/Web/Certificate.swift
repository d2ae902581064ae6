// SPDX-License-Identifier: Apache-2.0

import Netlink

/// What a probe wants to know of an X.509 certificate (RFC 5280).
struct Certificate: Hashable {
    /// The first and the last second of its life, in seconds since 1970.
    let notBefore: Int64
    let notAfter: Int64
    /// The hosts and addresses that it is for: subjectAltName.
    let names: [String]
    let addresses: [IPAddress]
    /// Whether the subject is its own issuer.
    let isSelfIssued: Bool

    private enum Tag {
        static let sequence: UInt8 = 0x30
        static let integer: UInt8 = 0x02
        static let objectIdentifier: UInt8 = 0x06
        static let boolean: UInt8 = 0x01
        static let octetString: UInt8 = 0x04
        static let utcTime: UInt8 = 0x17
        static let generalizedTime: UInt8 = 0x18
        static let version: UInt8 = 0xA0
        static let extensions: UInt8 = 0xA3
        static let dnsName: UInt8 = 0x82
        static let ipAddress: UInt8 = 0x87
    }

    /// id-ce-subjectAltName, 2.5.29.17.
    private static let subjectAltName: [UInt8] = [0x55, 0x1D, 0x11]

    /// Reads the DER encoding; nil where that is not one of a certificate.
    init?(_ bytes: [UInt8]) {
        var file = DERReader(bytes[...])
        guard var certificate = file.next(Tag.sequence).map(DERReader.init),
            var body = certificate.next(Tag.sequence).map(DERReader.init)
        else { return nil }
        _ = body.next(Tag.version)
        guard body.next(Tag.integer) != nil, body.next(Tag.sequence) != nil,
            let issuer = body.next(Tag.sequence),
            var validity = body.next(Tag.sequence).map(DERReader.init),
            let notBefore = validity.next().flatMap(Self.time), let notAfter = validity.next().flatMap(Self.time),
            let subject = body.next(Tag.sequence)
        else { return nil }
        self.notBefore = notBefore
        self.notAfter = notAfter
        isSelfIssued = issuer == subject
        var names: [String] = []
        var addresses: [IPAddress] = []
        while let element = body.next() {
            guard element.tag == Tag.extensions else { continue }
            var general = DERReader(Self.alternativeNames(in: element.content))
            while let name = general.next() {
                switch name.tag {
                case Tag.dnsName: names.append(String(decoding: name.content, as: UTF8.self))
                case Tag.ipAddress: if let address = IPAddress(bytes: Array(name.content)) { addresses.append(address) }
                default: break
                }
            }
        }
        self.names = names
        self.addresses = addresses
    }

    private static func alternativeNames(in content: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var outer = DERReader(content)
        guard var extensions = outer.next(Tag.sequence).map(DERReader.init) else { return [] }
        while var one = extensions.next(Tag.sequence).map(DERReader.init) {
            guard let identifier = one.next(Tag.objectIdentifier), Array(identifier) == subjectAltName else { continue }
            _ = one.next(Tag.boolean)
            guard var value = one.next(Tag.octetString).map(DERReader.init) else { return [] }
            return value.next(Tag.sequence) ?? []
        }
        return []
    }

    /// Seconds since 1970 of "YYMMDDHHMMSSZ" or "YYYYMMDDHHMMSSZ", the only forms there are (RFC 5280, 4.1.2.5).
    private static func time(_ element: DERReader.Element) -> Int64? {
        let digits = element.content.dropLast().map { Int64($0) - 48 }
        let isShort = element.tag == Tag.utcTime
        guard isShort || element.tag == Tag.generalizedTime, element.content.last == UInt8(ascii: "Z"),
            digits.count == (isShort ? 12 : 14), digits.allSatisfy({ (0...9).contains($0) })
        else { return nil }
        func number(_ at: Int) -> Int64 { digits[at] * 10 + digits[at + 1] }
        let start = isShort ? 2 : 4
        let year = isShort ? number(0) + (number(0) < 50 ? 2000 : 1900) : number(0) * 100 + number(2)
        let month = number(start)
        let (day, hour, minute, second) = (number(start + 2), number(start + 4), number(start + 6), number(start + 8))
        guard (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60 else { return nil }
        // Days are counted from March, so that the leap day is the last of its year.
        let marchYear = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
        // 719468 days lie between the first of March of the year 0 and 1970.
        let days = marchYear * 365 + leapDays + dayOfYear - 719_468
        return ((days * 24 + hour) * 60 + minute) * 60 + second
    }
}

extension Certificate {
    /// Whether it is for the host of this name, or for this address (RFC 9525, section 6).
    func isFor(_ host: String) -> Bool {
        if let address = IPAddress(host) { return addresses.contains { $0.bytes == address.bytes } }
        let wanted = Self.labels(host)
        return names.contains { name in
            let labels = Self.labels(name)
            // An asterisk stands for one whole label, the first.
            guard labels.first == "*" else { return labels == wanted }
            return labels.count > 1 && labels.count == wanted.count && labels.dropFirst() == wanted.dropFirst()
        }
    }

    private static func labels(_ name: String) -> [Substring] {
        let labels = name.lowercased().split(separator: ".", omittingEmptySubsequences: false)
        return labels.last == "" ? labels.dropLast() : labels
    }
}
