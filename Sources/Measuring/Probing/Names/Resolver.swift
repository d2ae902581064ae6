// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import InternetAddresses
import Synchronization

/// Looks up names as the C library does, in hosts(5) and by the servers of resolv.conf(5), but reports the precise
/// reason of a failure, and runs any number of lookups at once.
public final class Resolver: Sendable {
    let prober: any Prober
    let port: UInt16
    private let hosts: WatchedFile<HostsFile>
    let configuration: WatchedFile<ResolverConfiguration>

    /// Makes a resolver that sends its queries through `prober`.
    public convenience init(_ prober: any Prober) {
        self.init(prober, hosts: "/etc/hosts", configuration: "/etc/resolv.conf", port: 53)
    }

    /// Makes a resolver that uses other files and another port.
    package init(_ prober: any Prober, hosts: String, configuration: String, port: UInt16) {
        self.prober = prober
        self.port = port
        self.hosts = WatchedFile(hosts) { HostsFile($0) }
        self.configuration = WatchedFile(configuration) { ResolverConfiguration($0) }
    }

    /// Looks up `name`. Calls `done` once, when the result is known or `timeout` has passed: on the prober's thread, or
    /// immediately for an address, "localhost" (RFC 6761 section 6.3) and names in hosts(5).
    @discardableResult
    public func resolve(
        _ name: String,
        timeout: Duration,
        done: @escaping @Sendable (Resolution) -> Void
    ) -> ProbeHandle {
        if let known = addressesKnown(of: name) {
            done(Resolution(known))
            return ProbeHandle {}
        }
        let task = LookupTask(
            name,
            self,
            until: lc_monotonic_time() &+ max(timeout.wholeNanoseconds, 0),
            done: done
        )
        task.begin()
        return ProbeHandle { task.cancel() }
    }

    private func addressesKnown(of name: String) -> [IPAddress]? {
        let bare = (name.hasSuffix(".") ? String(name.dropLast()) : name).lowercased()
        if let address = IPAddress(name) { return [address] }
        let listed = hosts.value.addresses(of: bare)
        if !listed.isEmpty { return listed }
        guard bare == "localhost" || bare.hasSuffix(".localhost") else { return nil }
        return ["127.0.0.1", "::1"].compactMap { IPAddress($0) }
    }
}
