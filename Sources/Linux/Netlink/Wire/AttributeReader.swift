// SPDX-License-Identifier: Apache-2.0

/// The attributes of a received message, read by type.
///
/// Uses bounds-checked slices instead of libnl's `nla_*`, which use raw pointers.
struct AttributeReader {
    /// The mask that removes the flags for nesting and byte order (NLA_TYPE_MASK, a macro that Swift does not import).
    private static let typeMask = 0x3FFF

    /// The payloads by type.
    let payloads: [Int: ArraySlice<UInt8>]

    /// Parses `bytes` as attributes, up to the first malformed one.
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

    /// Returns the attributes nested in the attribute `type`.
    func nested(_ type: Int) -> AttributeReader? { payloads[type].map { AttributeReader($0) } }

    /// Returns the payload of the attribute `type` as a value; nil if it is missing or too short.
    func value<Value: BitwiseCopyable>(_ type: Int, as _: Value.Type = Value.self) -> Value? {
        payloads[type]?.load(Value.self)
    }

    /// Returns the payload of the attribute `type` as a string, without its terminating zero.
    func text(_ type: Int) -> String? {
        payloads[type].map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

extension ArraySlice<UInt8> {
    /// Returns the value at `offset` bytes from the start; nil if the slice is too short.
    func load<Value: BitwiseCopyable>(_: Value.Type = Value.self, at offset: Int = 0) -> Value? {
        guard count >= offset + MemoryLayout<Value>.size else { return nil }
        return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Value.self) }
    }

    /// Returns the structure at the start, and the attributes after it; nil if the slice is too short.
    func parse<Header: BitwiseCopyable>(_: Header.Type) -> (Header, AttributeReader)? {
        load(Header.self).map { ($0, AttributeReader(dropFirst(MemoryLayout<Header>.size))) }
    }
}
