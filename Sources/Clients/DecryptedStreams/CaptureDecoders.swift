// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic

/// Decrypts the TLS connections of one capture with the keys in it, and decodes HTTP/2 header fields.
package final class CaptureDecoders: StreamDecoders {
    private let keys = KeyLog()
    private let waiting = WaitingRecords()

    package init() {}

    package func add(tlsKeys lines: [UInt8]) { keys.add(lines) }

    package func makeTLSDecoder() -> any TLSDecoder { TLSConnectionDecoder(keys, waiting) }

    package func makeHeaderDecoder() -> any HeaderDecoder { HeaderInflater() }
}
