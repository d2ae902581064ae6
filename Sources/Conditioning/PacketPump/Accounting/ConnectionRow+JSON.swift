// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses
package import LinkProfiles

extension ConnectionRow {
    package var json: JSON {
        func bytes(_ bytes: Bytes) -> JSON? {
            bytes == Bytes() ? nil : JSON(("up", .number(bytes.up)), ("down", .number(bytes.down)))
        }
        func seconds(_ seconds: Double?) -> JSON? { .number(seconds.map { ($0 * 10).rounded() / 10 }) }
        return JSON(
            ("id", .text(id)),
            ("process", .text(process)),
            ("transport", .text(transport)),
            ("client", .text(client.text)),
            ("peer", .text(peer.text)),
            ("name", .text(name)),
            ("state", .text(state)),
            ("rule", .text(rule)),
            ("seen", bytes(seen)),
            ("delivered", bytes(delivered)),
            ("retransmissions", .number(retransmissions)),
            ("lost", lost.map { losses in JSON(members: losses.map { ($0.cause, .number($0.packets)) }) }),
            ("own", .number(own)),
            ("age", seconds(age)),
            ("idle", seconds(idle))
        )
    }

    /// Reads what `json` made; nil for anything else.
    package init?(json: JSON) {
        guard let id: String = json.required("id"), let transport: String = json.required("transport"),
            let client = json["client"].flatMap({ String(json: $0) }).flatMap({ End(text: $0) }),
            let peer = json["peer"].flatMap({ String(json: $0) }).flatMap({ End(text: $0) }),
            let state: String = json.required("state")
        else { return nil }
        func bytes(_ json: JSON?) -> Bytes {
            Bytes(up: json?["up"].flatMap { UInt64(json: $0) }, down: json?["down"].flatMap { UInt64(json: $0) })
        }
        func seconds(_ json: JSON?) -> Double? {
            if case .number(let text)? = json?.value { Double(text) } else { nil }
        }
        self.init(id: id, transport: transport, client: client, peer: peer, state: state)
        process = json["process"].flatMap { String(json: $0) }
        name = json["name"].flatMap { String(json: $0) }
        rule = json["rule"].flatMap { String(json: $0) }
        (seen, delivered) = (bytes(json["seen"]), bytes(json["delivered"]))
        retransmissions = json["retransmissions"].flatMap { UInt64(json: $0) }
        lost = json["lost"]?.members.compactMap { member in
            UInt64(json: member.value).map { Loss(member.name, $0) }
        }
        own = json["own"].flatMap { UInt64(json: $0) }
        age = seconds(json["age"])
        idle = seconds(json["idle"])
    }
}

extension ConnectionRow.End {
    /// Reads what `text` made; nil for anything else.
    init?(text: String) {
        if let address = IPAddress(text) {
            self.init(address, port: 0)
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]),
            let address = IPAddress(text[..<colon].filter { $0 != "[" && $0 != "]" })
        else { return nil }
        self.init(address, port: port)
    }
}
