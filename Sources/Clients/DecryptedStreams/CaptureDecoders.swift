// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic

/// Opens the TLS connections of one capture by the keys in it, and decodes the header fields of HTTP/2.
package final class CaptureDecoders: StreamDecoders {
    private let keys = KeyLog()
    private let waiting = WaitingRecords()

    package init() {}

    package func add(tlsKeys lines: [UInt8]) { keys.add(lines) }

    package func makeTLSDecoder() -> any TLSDecoder { TLSConnectionDecoder(keys, waiting) }

    package func makeHeaderDecoder() -> any HeaderDecoder { HeaderInflater() }
}
