// SPDX-License-Identifier: Apache-2.0

import Glibc
import InternetAddresses
import LinkMeasuring
import LinkProbes
import LinkProfiles

/// Another machine, on which "linkcond reflect" runs, as given by the user.
enum PeerOption {
    /// The key is in an environment variable, since every user can read the arguments of a command.
    static let keyVariable = "LINKCOND_KEY"
    static let usualPort: UInt16 = 7373

    /// Prepares to measure the path to the peer that `--peer` and `--interface` name.
    static func measurement(of peer: String, device: String?, _ profile: Profile) throws -> PeerMeasurement {
        guard PeerMeasurement.canMeasure(profile) else {
            throw Failure(.usage, "\(profile.name) changes with time, and when it started is unknown here")
        }
        guard let key = try key() else {
            throw Failure(
                .usage,
                "no key: set \(keyVariable) to what \"linkcond reflect\" has printed on the other machine"
            )
        }
        let address = try address(peer)
        if let device, if_nametoindex(device) == 0 {
            throw Failure(.notFound, "there is no interface \(device)")
        }
        return PeerMeasurement(address, device: device, key, profile)
    }

    /// The key in the environment; nil if it is not set.
    static func key() throws -> ReflectionKey? {
        guard let text = getenv(keyVariable).map({ String(cString: $0) }), !text.isEmpty else { return nil }
        guard let key = ReflectionKey(text) else {
            throw Failure(.usage, "\(keyVariable) has less than \(ReflectionKey.minimumLength) characters")
        }
        return key
    }

    /// Parses "HOST", "HOST:PORT", "ADDRESS" or "[ADDRESS]:PORT".
    static func address(_ text: String) throws -> PeerAddress {
        var (host, port) = (text, usualPort)
        if IPAddress(text) == nil, let colon = text.lastIndex(of: ":") {
            guard let number = UInt16(text[text.index(after: colon)...]), number > 0 else {
                throw Failure(.usage, "'\(text)' has no port after its colon")
            }
            (host, port) = (String(text[..<colon]), number)
            if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        }
        let words = IPAddress(host) == nil ? TrafficOptions.addresses(of: host).first : host
        guard let address = words.flatMap({ IPAddress($0) }),
            let peer = PeerAddress(address.bytes, scope: address.scope, port: port)
        else { throw Failure(.notFound, "the host \(host) has no known address") }
        return peer
    }
}
