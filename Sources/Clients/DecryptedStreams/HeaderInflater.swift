// SPDX-License-Identifier: Apache-2.0

internal import CNghttp2
internal import ClientTraffic

/// Decompresses one side's header blocks with nghttp2, which holds the dynamic table.
final class HeaderInflater: HeaderDecoder {
    /// The maximum table size, more than any client or server allows. A smaller size is announced in the header blocks.
    private static let largestTable = 1 << 20

    /// nghttp2's inflater; nil if there was no memory for it.
    private var inflater: OpaquePointer?
    private var isBroken = false

    init() {
        nghttp2_hd_inflate_new(&inflater)
        isBroken = inflater == nil || nghttp2_hd_inflate_change_table_size(inflater, Self.largestTable) != 0
    }

    deinit { nghttp2_hd_inflate_del(inflater) }

    func decode(
        _ part: ArraySlice<UInt8>,
        isLast: Bool,
        _ field: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        guard !isBroken else { return false }
        isBroken = !Array(part).withUnsafeBufferPointer { bytes in
            var left = bytes[...]
            while true {
                var pair = nghttp2_nv()
                var flags: Int32 = 0
                let start = left.isEmpty ? nil : UnsafeBufferPointer(rebasing: left).baseAddress
                let count = nghttp2_hd_inflate_hd2(inflater, &pair, &flags, start, left.count, isLast ? 1 : 0)
                guard count >= 0 else { return false }
                left = left.dropFirst(count)
                let isField = flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0
                if isField {
                    field(
                        UnsafeRawBufferPointer(start: pair.name, count: pair.namelen),
                        UnsafeRawBufferPointer(start: pair.value, count: pair.valuelen)
                    )
                }
                if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
                    return nghttp2_hd_inflate_end_headers(inflater) == 0
                }
                if !isField, left.isEmpty { return !isLast }
            }
        }
        return !isBroken
    }
}
