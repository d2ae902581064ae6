// SPDX-License-Identifier: Apache-2.0

public import Netlink

/// Prevents conditions that would cut the user's own SSH or mosh connection.
public struct LockoutGuard {
    /// The login connection; nil if there is none.
    let connection: LoginConnection?
    /// The names of the interface with the connection's local address, and of the interfaces below it.
    let carriers: Set<String>

    /// Finds the login connection of this process. The thread must be in the network that is about to be changed: a
    /// connection that ends in another network is not affected. `isInitialNetwork` is whether the process started in
    /// this network.
    public static func current(isInitialNetwork: Bool, _ network: RouteConnection) -> LockoutGuard {
        let connection = LoginConnection.current()
        guard let connection else { return LockoutGuard(connection: nil, carriers: []) }
        let addresses = (try? network.addresses()) ?? []
        var interface = addresses.first { $0.address.bytes == connection.local.bytes }?.index
        // If no interface has the local address, it was translated (NAT).
        if interface == nil, isInitialNetwork { interface = try? network.defaultRouteInterface(.ipv4) }
        return LockoutGuard(connection: connection, carriers: interface.map(network.interfaces(below:)) ?? [])
    }

    /// Excludes the login connection from `selection`, and returns a note for the user; returns `selection` unchanged
    /// if `device` does not carry the connection.
    ///
    /// - Throws: `invalidRequest` if there is no login connection.
    public func keeping(
        _ selection: Selection,
        _ facing: Facing = .host,
        on device: String
    ) throws(ConditioningError) -> (selection: Selection, note: String?) {
        guard let connection else {
            throw ConditioningError(.invalidRequest, "this process has no SSH or mosh connection")
        }
        guard carriers.contains(device), selection.includes(connection.traffic(facing)) else { return (selection, nil) }
        var selection = selection
        guard selection.exclusions.add("port", String(connection.keptPort)) else { return (selection, nil) }
        return (selection, "keeping \(connection): port \(connection.keptPort) is not conditioned")
    }

    /// Whether the login connection gets the conditions.
    public func isConditioned(by request: RuleRequest, on device: String) -> Bool {
        guard let connection, carriers.contains(device) else { return false }
        return request.selection.includes(connection.traffic(request.facing))
    }

    /// Throws if the conditions would cut the login connection, so that the user could not remove them.
    public func check(
        _ request: RuleRequest,
        on device: String,
        remedy: Remedy = Remedy(.keepLogin)
    ) throws(ConditioningError) {
        guard let connection, isConditioned(by: request, on: device) else { return }
        let traffic = connection.traffic(request.facing)
        guard let reason = request.profile.lockoutReason ?? request.profile.faultReason(against: traffic) else {
            return
        }
        throw ConditioningError(
            .unsupported,
            "\"\(request.profile.name)\" would cut \(connection), which \(device) carries: \(reason)",
            remedy: remedy
        )
    }
}
