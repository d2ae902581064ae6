// SPDX-License-Identifier: Apache-2.0

extension UnsafeRawPointer {
    /// The two bytes at `offset`, in network byte order.
    @inline(__always) package func word(_ offset: Int) -> UInt16 {
        loadUnaligned(fromByteOffset: offset, as: UInt16.self).bigEndian
    }

    /// The four bytes at `offset`, in network byte order.
    @inline(__always) package func long(_ offset: Int) -> UInt32 {
        loadUnaligned(fromByteOffset: offset, as: UInt32.self).bigEndian
    }

    @inline(__always) package func byte(_ offset: Int) -> UInt8 {
        load(fromByteOffset: offset, as: UInt8.self)
    }
}

extension UnsafeMutableRawPointer {
    /// Writes two bytes at `offset`, in network byte order.
    @inline(__always) package func setWord(_ offset: Int, _ value: UInt16) {
        storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt16.self)
    }

    /// Writes four bytes at `offset`, in network byte order.
    @inline(__always) package func setLong(_ offset: Int, _ value: UInt32) {
        storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt32.self)
    }

    @inline(__always) package func setByte(_ offset: Int, _ value: UInt8) {
        storeBytes(of: value, toByteOffset: offset, as: UInt8.self)
    }
}
