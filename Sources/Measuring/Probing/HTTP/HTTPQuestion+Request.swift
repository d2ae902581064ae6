// SPDX-License-Identifier: Apache-2.0

import InternetAddresses

extension HTTPQuestion {
    /// The request as sent on the wire (RFC 9112, section 3).
    var request: [UInt8] {
        Array(
            """
            GET \(requestTarget) HTTP/1.1\r
            Host: \(authority)\r
            User-Agent: linkcond/1\r
            Accept: */*\r
            Connection: close\r
            \r

            """.utf8
        )
    }

    /// The value of the Host header: the name, and the port unless it is the scheme's default (RFC 9110, section 7.2).
    var authority: String {
        // Removes characters that would end the line or the name.
        let name = String(
            host.unicodeScalars.filter { $0.value > 0x20 && $0.value < 0x7F && $0 != "/" }.map(Character.init)
        )
        // The zone of a link-local address means nothing to the server (RFC 4007, section 11).
        let bare = IPAddress(name)?.family == .ipv6 ? "[\(name.prefix { $0 != "%" })]" : name
        return port == (isSecure ? 443 : 80) ? bare : "\(bare):\(port)"
    }

    /// The path as sent: characters that a request line must not contain are percent-encoded.
    var requestTarget: String {
        let hex = Array("0123456789ABCDEF".utf8)
        let bytes = path.prefix { $0 != "#" }.utf8.flatMap { byte -> [UInt8] in
            byte > 0x20 && byte < 0x7F ? [byte] : [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
        }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.hasPrefix("/") ? text : "/" + text
    }
}
