// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Sandboxing

@Suite struct ListeningSocketsTests {
    /// As Linux 6.12 prints them.
    static let tcp = """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000   109        0 20417 1 0 100 0 0 10 0
           1: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 19012 1 0 100 0 0 10 0
           2: 3500007F:0035 00000000:0000 0A 00000000:00000000 00:00000000 00000000   102        0 17351 1 0 100 0 0 10 5
           3: 0A02000A:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 31337 1 0 100 0 0 10 0
           4: 0100007F:D2F0 0100007F:1538 01 00000000:00000000 00:00000000 00000000  1000        0 40961 1 0 20 4 30 10 -1
           5: 0100007F:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 20418 1 0 100 0 0 10 0
           6: 0200007F:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 20419 1 0 100 0 0 10 0

        """

    static let tcp6 = """
          sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 00000000000000000000000000000000:0016 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 19023 1 0 100 0 0 10 0
           1: 00000000000000000000000001000000:1538 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000   109        0 20416 1 0 100 0 0 10 0
           2: 00000000000000000000000000000000:1F91 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 31338 1 0 100 0 0 10 0
           3: 0000000000000000FFFF00000100007F:2328 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 31339 1 0 100 0 0 10 0
           4: B80D0120000000000000000001000000:2329 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 31340 1 0 100 0 0 10 0

        """

    static let udp = """
           sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
         2231: 3500007F:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000   102        0 17350 2 0000000000000000 0
         2246: 00000000:0044 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 18011 2 0000000000000000 0
         3801: 0100007F:B1F0 0100007F:0035 01 00000000:00000000 00:00000000 00000000  1000        0 51234 2 0000000000000000 0

        """

    static let everything: ListeningSockets = {
        var sockets = ListeningSockets()
        sockets.add(tcp, .tcp)
        sockets.add(tcp6, .tcp)
        sockets.add(udp, .udp)
        return sockets
    }()

    @Test(
        arguments: [
            ("5432", ["127.0.0.1", "::1"]), ("22", ["127.0.0.1", "::1"]), ("53", ["127.0.0.53"]),
            ("80", ["127.0.0.1", "127.0.0.2"]), ("8081", ["127.0.0.1", "::1"]), ("9000", ["127.0.0.1"]),
            ("53/udp", ["127.0.0.53"]), ("68/udp", ["127.0.0.1"]), ("5432/udp", []),
        ] as [(String, [String])]
    )
    func findsTheLoopbackAddressesOfAPort(port: String, addresses: [String]) throws {
        #expect(Self.everything.addresses(of: try #require(HostPort(port))).map(\.description) == addresses)
    }

    @Test(arguments: ["8080", "9001", "54000", "45552/udp", "1"])
    func leavesOutWhatLoopbackDoesNotReach(port: String) throws {
        #expect(Self.everything.addresses(of: try #require(HostPort(port))).isEmpty)
    }

    @Test func listsTheTCPPorts() {
        #expect(Self.everything.tcpPorts.map(\.description) == ["22", "53", "80", "5432", "8081", "9000"])
    }

    @Test func makesNothingOfOtherText() {
        var sockets = ListeningSockets()
        sockets.add("\n\n 0: 0100007F 00000000:0000 0A\n 1: 0100007:0016 00000000:0000 0A 0\n 0: x:y z 0A\n:\n", .tcp)
        #expect(sockets == ListeningSockets())
    }

    @Test(arguments: [HostPort.Transport.tcp, .udp], LoopbackAddress.ofEachKind)
    func findsASocketOfThisMachine(transport: HostPort.Transport, address: LoopbackAddress) throws {
        let socket = try TestSocket.listening(transport, address)
        let port = HostPort(port: socket.port, transport: transport)
        let sockets = try ListeningSockets.current()
        #expect(sockets.addresses(of: port).contains(address))
        #expect(sockets.tcpPorts.contains(port) == (transport == .tcp))
    }
}
