// SPDX-License-Identifier: Apache-2.0

import Netlink
import Testing

@testable import Probing

@Suite struct ResolverFileTests {
    @Test func readsHosts() {
        let hosts = HostsFile(
            """
            # a comment
            127.0.0.1\tlocalhost
            192.0.2.1   Web.example  www  # after it
            2001:db8::1 web.example
            192.0.2.1 web.example
            nonsense    web.example
            192.0.2.7
            """
        )
        #expect(hosts.addresses(of: "WEB.example.") == ["192.0.2.1", "2001:db8::1"].map { IPAddress(literal: $0) })
        #expect(hosts.addresses(of: "www") == [IPAddress(literal: "192.0.2.1")])
        #expect(hosts.addresses(of: "after") == [])
        #expect(hosts.addresses(of: "other") == [])
    }

    @Test func readsTheResolversConfiguration() {
        let configuration = ResolverConfiguration(
            """
            ; a comment
            domain old.example
            search a.example b.example.
            nameserver 192.0.2.1
            nameserver 2001:db8::1
            nameserver nonsense
            nameserver 192.0.2.3
            nameserver 192.0.2.4
            options ndots:2 timeout:3 attempts:9 rotate ndots:x edns0
            """
        )
        #expect(configuration.servers == ["192.0.2.1", "2001:db8::1", "192.0.2.3"].map { IPAddress(literal: $0) })
        #expect(configuration.dots == 2)
        #expect(configuration.timeout == .seconds(3))
        #expect(configuration.attempts == 5)
        #expect(configuration.candidates(for: "x.y") == ["x.y.a.example", "x.y.b.example", "x.y"])
        #expect(configuration.candidates(for: "x.y.z") == ["x.y.z", "x.y.z.a.example", "x.y.z.b.example"])
        #expect(configuration.candidates(for: "x.") == ["x"])
    }

    @Test func asksTheLocalServerWhereNoneIsNamed() {
        #expect(ResolverConfiguration().servers == [IPAddress(literal: "127.0.0.1")])
    }

    @Test func survivesGarbage() {
        for _ in 0..<2000 {
            let noise = (0..<200).map { _ in UInt8.random(in: 0...255) }
            let text = String(decoding: noise, as: UTF8.self)
            #expect(!ResolverConfiguration("options " + text + "\nnameserver " + text).servers.isEmpty)
            #expect(HostsFile(text + "\n192.0.2.1 a").addresses(of: "a").contains(IPAddress(literal: "192.0.2.1")))
        }
    }
}
