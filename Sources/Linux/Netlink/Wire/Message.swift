// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// A netlink request under construction, in a buffer of libnl (`nlmsg_alloc_size`, `nla_put`).
final class Message {
    /// A table of 4096 delays takes 8 KiB, so a page, libnl's default, is not enough.
    private static let capacity = 65536

    private let message: OpaquePointer

    /// Starts a request. The socket sets sequence number and port.
    init(type: Int, flags: Int32) {
        guard let message = nlmsg_alloc_size(Self.capacity),
            nlmsg_put(message, 0, 0, CInt(type), 0, flags) != nil
        else { fatalError("out of memory for a netlink message of \(Self.capacity) bytes") }
        self.message = message
    }

    /// Makes a message that owns `message`, which libnl has encoded.
    init(owning message: OpaquePointer) { self.message = message }

    deinit { nlmsg_free(message) }

    /// Appends a fixed structure: the header after netlink's own, or the first bytes of an attribute.
    func append<Structure: BitwiseCopyable>(_ structure: Structure) {
        checked(
            withUnsafeBytes(of: structure) { bytes in
                nlmsg_append(
                    message,
                    UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                    bytes.count,
                    CInt(NLMSG_ALIGNTO)
                )
            }
        )
    }

    /// Appends an attribute whose payload is the memory of `value`.
    func put<Value: BitwiseCopyable>(_ type: Int, _ value: Value) {
        checked(withUnsafeBytes(of: value) { nla_put(message, CInt(type), CInt($0.count), $0.baseAddress) })
    }

    /// Appends an attribute with the payload `bytes`.
    func put(_ type: Int, bytes: [UInt8]) {
        checked(nla_put(message, CInt(type), CInt(bytes.count), bytes))
    }

    /// Appends an attribute with a sequence of structures.
    func put<Element: BitwiseCopyable>(_ type: Int, elements: [Element]) {
        checked(elements.withUnsafeBytes { nla_put(message, CInt(type), CInt($0.count), $0.baseAddress) })
    }

    /// Appends an attribute with a zero-terminated string.
    func put(_ type: Int, text: String) { checked(nla_put_string(message, CInt(type), text)) }

    /// Appends an attribute with the nested attributes that `body` appends.
    func nest(_ type: Int, _ body: () -> Void) {
        guard let start = nla_nest_start(message, CInt(type)) else { return checked(-NLE_NOMEM) }
        body()
        checked(nla_nest_end(message, start))
    }

    /// The encoded request, including headers.
    var bytes: [UInt8] {
        guard let header = nlmsg_hdr(message) else { return [] }
        return Array(UnsafeRawBufferPointer(start: header, count: Int(header.pointee.nlmsg_len)))
    }

    /// Checks a result of libnl. A call fails only if the buffer is full, which is eight times as large as the largest
    /// request.
    private func checked(_ result: CInt) {
        precondition(result >= 0, "a netlink message grew beyond \(Self.capacity) bytes")
    }
}
