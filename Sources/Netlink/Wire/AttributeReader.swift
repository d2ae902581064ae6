// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// The attributes of a received message, read by type.
///
/// Reads checked slices rather than through libnl's `nla_*`, which walk raw pointers.
struct AttributeReader {
    /// Without the flags for nesting and byte order (NLA_TYPE_MASK, a macro that Swift does not import).
    private static let typeMask = 0x3FFF

    private let payloads: [Int: ArraySlice<UInt8>]

    /// Reads the attributes that `bytes` consists of; a malformed rest is passed over.
    init(_ bytes: ArraySlice<UInt8>) {
        var payloads: [Int: ArraySlice<UInt8>] = [:]
        var rest = bytes
        while let length = rest.load(UInt16.self), let type = rest.load(UInt16.self, at: 2),
            length >= 4, length <= rest.count
        {
            payloads[Int(type) & Self.typeMask] = rest.prefix(Int(length)).dropFirst(4)
            rest = rest.dropFirst((Int(length) + 3) & ~3)
        }
        self.payloads = payloads
    }

    /// The payload of the attribute `type`.
    subscript(type: Int) -> ArraySlice<UInt8>? { payloads[type] }

    /// The types present, in rising order.
    var types: [Int] { payloads.keys.sorted() }

    /// The attributes that the attribute `type` holds.
    func nested(_ type: Int) -> AttributeReader? { payloads[type].map { AttributeReader($0) } }

    /// The payload of the attribute `type` as a value; nil where it is shorter.
    func value<Value: BitwiseCopyable>(_ type: Int, as _: Value.Type = Value.self) -> Value? {
        payloads[type]?.load(Value.self)
    }

    /// The payload of the attribute `type` as a text, without its zero byte.
    func text(_ type: Int) -> String? {
        payloads[type].map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

extension ArraySlice<UInt8> {
    /// The value that begins `offset` bytes into the slice; nil where the slice ends before it.
    func load<Value: BitwiseCopyable>(_: Value.Type = Value.self, at offset: Int = 0) -> Value? {
        guard count >= offset + MemoryLayout<Value>.size else { return nil }
        return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Value.self) }
    }
}
