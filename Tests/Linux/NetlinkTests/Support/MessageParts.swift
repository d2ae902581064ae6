// SPDX-License-Identifier: Apache-2.0

import CNetlink

@testable import Netlink

/// A request taken apart, with a name for each part: "TCA_OPTIONS/TCA_NETEM_LOSS/NETEM_LOSS_GE".
///
/// Stricter than AttributeReader, and independent of it: malformed, duplicate or surplus parts are
/// errors. Sequence and port are left out; the socket fills them in.
struct MessageParts {
    struct Malformed: Error {
        let part: String
        let reason: String
    }

    private(set) var values: [String: [UInt8]] = [:]

    init(_ bytes: [UInt8]) throws {
        let header = MemoryLayout<nlmsghdr>.size
        guard bytes.count >= header else { throw Malformed(part: "message", reason: "is shorter than its header") }
        try read(bytes[..<header], as: .header, path: "nlmsghdr")
        values["nlmsghdr/sequence"] = nil
        values["nlmsghdr/port"] = nil
        guard let length: UInt32 = bytes[...].load(), Int(length) == bytes.count,
            let type: UInt16 = bytes[...].load(at: 4)
        else { throw Malformed(part: "message", reason: "has a length that is not its own") }
        // Lengths follow from the rest.
        values["nlmsghdr/length"] = nil
        let body = bytes[header...]
        let isLink = type == RTM_NEWLINK || type == RTM_DELLINK
        let kind = isLink ? nil : AttributeReader(body.dropFirst(MemoryLayout<tcmsg>.size)).text(TCA_KIND)
        try read(body, as: isLink ? .link : .trafficControl(kind: kind ?? ""), path: "")
    }

    private mutating func read(_ bytes: ArraySlice<UInt8>, as layout: Layout, path: String) throws {
        var rest = bytes
        for field in layout.fields {
            guard rest.count >= field.size else { throw Malformed(part: path, reason: "ends before \(field.name)") }
            values[Self.name(field.name, in: path)] = Array(rest.prefix(field.size))
            rest = rest.dropFirst(field.size)
        }
        if layout.attributes.isEmpty {
            if layout.fields.isEmpty { values[path] = Array(rest) }
            guard layout.fields.isEmpty || rest.isEmpty else { throw Malformed(part: path, reason: "is too long") }
        }
        var seen: Set<Int> = []
        while !rest.isEmpty, !layout.attributes.isEmpty {
            guard let length = rest.load(UInt16.self), let rawType = rest.load(UInt16.self, at: 2),
                length >= 4, (Int(length) + 3) & ~3 <= rest.count
            else { throw Malformed(part: path, reason: "has an attribute that does not fit") }
            // NLA_TYPE_MASK: whether a nest says that it is one makes no difference to the parsers concerned.
            let type = Int(rawType & 0x3FFF)
            guard seen.insert(type).inserted else { throw Malformed(part: path, reason: "has \(type) twice") }
            var attribute = layout.attributes[type] ?? ("attribute \(type)", .bytes)
            if attribute.name == "TCA_ACT_OPTIONS" {
                let kind = values[Self.name("TCA_ACT_KIND", in: path)] ?? []
                attribute.layout = .actionOptions(kind: String(decoding: kind.prefix { $0 != 0 }, as: UTF8.self))
            }
            try read(
                rest.prefix(Int(length)).dropFirst(4),
                as: attribute.layout,
                path: Self.name(attribute.name, in: path)
            )
            let padding = rest.prefix((Int(length) + 3) & ~3).dropFirst(Int(length))
            guard padding.allSatisfy({ $0 == 0 }) else { throw Malformed(part: path, reason: "has filled padding") }
            rest = rest.dropFirst((Int(length) + 3) & ~3)
        }
    }

    private static func name(_ name: String, in path: String) -> String {
        path.isEmpty ? name : path + "/" + name
    }
}
