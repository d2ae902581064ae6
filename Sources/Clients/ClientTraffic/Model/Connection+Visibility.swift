// SPDX-License-Identifier: Apache-2.0

/// Connections whose requests cannot be read, and the reason.
extension Connection {
    /// Whether the connection is encrypted and its content could not be read.
    package var isOpaque: Bool {
        guard carrier == .tcp else { return carrier == .quic }
        guard let tls else { return tlsVersion != nil }
        return tls.hasClientContent && tls.obstacle != nil
    }

    /// The reason why the connection's requests cannot be seen; nil if they can, or if there are none.
    package var hiddenRequests: String? {
        let advice = "expect connections or bytes"
        if carrier == .quic { return "requests in QUIC to \(peerName) cannot be seen; \(advice)" }
        guard carrier == .tcp, firstRequest != nil else { return nil }
        if let tls {
            // The client sent only a handshake, which may have failed.
            guard tls.hasClientContent else { return nil }
            if let obstacle = tls.obstacle {
                let remedy = obstacle == .keysMissing ? "set SSLKEYLOGFILE, or \(advice)" : advice
                return "requests in TLS to \(peerName) cannot be seen, since \(obstacle.words); \(remedy)"
            }
        } else if isOpaque || secured != nil {
            return "requests in TLS to \(peerName) cannot be seen; \(advice)"
        }
        if requests.contains(where: {
            $0.method == "CONNECT" && 200...299 ~= $0.status ?? 0 && !$0.isExtendedConnect
        }) {
            return "requests in the tunnel through \(peerName) cannot be seen; \(advice)"
        }
        if hasUnreadRequests { return "not all that was sent to \(peerName) could be read" }
        return requests.isEmpty && !hasUnkeptRequests ? "what was sent to \(peerName) is not HTTP; \(advice)" : nil
    }
}
