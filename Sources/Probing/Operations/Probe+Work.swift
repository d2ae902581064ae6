// SPDX-License-Identifier: Apache-2.0

/// What `probe` does on a socket of its own; nil for those that the loop does not know.
func makeWork(for probe: Probe, _ contexts: inout TLSContexts?) -> (any ProbeWork)? {
    switch probe {
    case .tcp(let address, let port): TCPConnect(address, port)
    case .udp(let address, let port): UDPEcho(address, port)
    case .unix(let path): UnixConnect(path)
    case .dns(let question, let server, let port, let overTCP):
        DNSExchange(question, server: server, port: port, overTCP: overTCP)
    case .tls(let address, let port, let name):
        contexts == nil ? nil : WebProbe(.session(name: name), address, port, contexts?.current())
    case .http(let question, let address):
        contexts == nil
            ? nil
            : WebProbe(.web(question), address, question.port, question.isSecure ? contexts?.current() : nil)
    case .icmp: nil
    }
}
