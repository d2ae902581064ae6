// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// Requests that add, replace and delete routes.
package enum RouteRequest {
    /// Adds a route with the properties of a listed `route`, except its lifetime and further next hops: `ip route add
    /// ...`
    ///
    /// - Parameter preferredSource: replaces the route's own.
    package static func add(_ route: Route, preferredSource: IPAddress? = nil) -> Request {
        set("add", NLM_F_EXCL, route, preferredSource)
    }

    /// Replaces the route with this destination and metric: `ip route replace ...`
    ///
    /// - Parameter preferredSource: replaces the route's own.
    package static func replace(_ route: Route, preferredSource: IPAddress? = nil) -> Request {
        set("replace", NLM_F_REPLACE, route, preferredSource)
    }

    /// Deletes the route with this destination and metric: `ip route del ...`
    package static func delete(_ route: Route) -> Request { set("delete", 0, route, nil, type: RTM_DELROUTE) }

    private static func set(
        _ verb: String,
        _ flag: Int32,
        _ route: Route,
        _ preferredSource: IPAddress?,
        type: Int = Int(RTM_NEWROUTE)
    ) -> Request {
        let name = route.isDefault ? "default" : "\(route.destination)/\(route.prefixLength)"
        let flags = NLM_F_ACK | (type == RTM_DELROUTE ? 0 : NLM_F_CREATE | flag)
        return Request("\(verb) the route to \(name)", type: type, flags: flags) { message in
            let hop = route.nextHops.first
            var header = rtmsg()
            header.rtm_family = route.family.number
            header.rtm_dst_len = route.prefixLength
            header.rtm_table = UInt8(clamping: route.table)
            header.rtm_protocol = route.origin
            header.rtm_type = route.kind.rawValue
            let isOnLink = route.family == .ipv4 && hop?.gateway == nil
            header.rtm_scope = isOnLink ? InterfaceAddress.Scope.link.rawValue : InterfaceAddress.Scope.global.rawValue
            header.rtm_flags = (hop?.flags ?? []).intersection(.onLink).rawValue
            message.append(header)
            message.put(Int(RTA_TABLE.rawValue), route.table)
            if !route.isDefault { message.put(Int(RTA_DST.rawValue), bytes: route.destination.bytes) }
            if let gateway = hop?.gateway { message.put(Int(RTA_GATEWAY.rawValue), bytes: gateway.bytes) }
            if let hop { message.put(Int(RTA_OIF.rawValue), hop.index) }
            if route.metric != 0 { message.put(Int(RTA_PRIORITY.rawValue), route.metric) }
            if let source = preferredSource ?? route.preferredSource {
                message.put(Int(RTA_PREFSRC.rawValue), bytes: source.bytes)
            }
        }
    }
}
