// SPDX-License-Identifier: Apache-2.0

/// What `probe` does on a socket of its own; nil for those that the loop does not know.
func makeWork(for probe: Probe) -> (any ProbeWork)? {
    switch probe {
    case .tcp(let address, let port): TCPConnect(address, port)
    case .udp(let address, let port): UDPEcho(address, port)
    case .unix(let path): UnixConnect(path)
    case .dns(let question, let server, let port, let overTCP):
        DNSExchange(question, server: server, port: port, overTCP: overTCP)
    case .icmp, .tls, .http: nil
    }
}
