// SPDX-License-Identifier: Apache-2.0

import Glibc

@testable import Netlink

/// The links, qdiscs and filters of one network, which answers rtnetlink(7) requests in bytes as Linux does. What it does
/// not know it refuses.
struct SimulatedKernel {
    struct Device: Hashable {
        let index: Int32
        let name: String
        var kind: String?
        var address: [UInt8] = []
        var alias: [UInt8] = []
        var mtu: UInt32 = 1500
        var isUp = false
    }

    /// A qdisc or a filter: the message that made it, which the kernel lists with the same attributes.
    struct Object: Hashable {
        let link: Int32
        let parent: UInt32
        let handle: UInt32
        /// A filter's preference and protocol.
        let info: UInt32
        var attributes: [UInt8]
        /// The device to which a filter redirects, which the kernel forgets with the device.
        var target: Int32?
    }

    var devices: [Device] = []
    var qdiscs: [Object] = []
    var filters: [Object] = []
    /// How many deletions of devices it refuses for want of memory.
    var refusedDeletions = 0
    /// Whether lanes hold packets.
    var isBusy = false
    private var nextIndex: Int32 = 7100

    /// Deletes a device with its qdiscs and filters.
    mutating func delete(_ index: Int32) {
        devices.removeAll { $0.index == index }
        qdiscs.removeAll { $0.link == index }
        filters.removeAll { $0.link == index }
        for place in filters.indices where filters[place].target == index { filters[place].target = 0 }
    }

    /// Returns the datagram of the answer.
    mutating func answer(_ request: [UInt8]) -> [UInt8] {
        let type: UInt16 = request[...].load(at: 4) ?? 0
        let flags: UInt16 = request[...].load(at: 6) ?? 0
        let body = request.dropFirst(16)
        let isDump = flags & 0x300 == 0x300
        do {
            let listed = try perform(type, flags, Array(body), isDump: isDump)
            return listed.flatMap { Self.message($0.type, $0.body) } + Self.message(isDump ? 3 : 2, [0, 0, 0, 0])
        } catch {
            return Self.message(2, Self.bytes(-error.code) + request.prefix(16))
        }
    }

    private struct Refusal: Error {
        let code: CInt
    }

    private mutating func perform(
        _ type: UInt16,
        _ flags: UInt16,
        _ body: [UInt8],
        isDump: Bool
    ) throws(Refusal) -> [(type: UInt16, body: [UInt8])] {
        let isNew = flags & 0x400 != 0
        switch type {
        case 16: try isNew ? add(body) : change(body)
        case 17 where refusedDeletions > 0:
            refusedDeletions -= 1
            throw Refusal(code: ENOMEM)
        case 17: delete(try device(body).index)
        case 18 where isDump: return devices.map { (16, list($0)) }
        case 18: return [(16, list(try device(body)))]
        case 36: try addQdisc(body, changes: flags & 0x200 == 0)
        case 37:
            let place = qdiscs.firstIndex { $0.link == Self.link(body) && $0.parent == Self.parent(body) }
            guard let place else { throw Refusal(code: ENOENT) }
            let qdisc = qdiscs.remove(at: place)
            filters.removeAll { $0.link == qdisc.link && Self.holder(of: $0.parent) == Self.holder(of: qdisc.parent) }
        case 38: return qdiscs.map { (36, list($0)) }
        case 44: try addFilter(body, replaces: flags & 0x100 != 0)
        case 45: filters.remove(at: try place(of: body))
        case 46:
            let listed = filters.filter { $0.link == Self.link(body) && $0.parent == Self.parent(body) }
            return listed.sorted { $0.info < $1.info }.map { (44, list($0)) }
        case 48: throw Refusal(code: EINVAL)
        default: throw Refusal(code: EOPNOTSUPP)
        }
        return []
    }

    // MARK: Links

    private func device(_ body: [UInt8]) throws(Refusal) -> Device {
        guard let name = AttributeReader(body[16...]).text(3) else { throw Refusal(code: EINVAL) }
        guard let device = devices.first(where: { $0.name == name }) else { throw Refusal(code: ENODEV) }
        return device
    }

    private mutating func add(_ body: [UInt8]) throws(Refusal) {
        let attributes = AttributeReader(body[16...])
        // A device without a queue: a question whether there is this kind.
        guard attributes[31] == nil, let name = attributes.text(3) else { throw Refusal(code: EINVAL) }
        guard !devices.contains(where: { $0.name == name }) else { throw Refusal(code: EEXIST) }
        devices.append(Device(index: nextIndex, name: name, kind: attributes.nested(18)?.text(1)))
        nextIndex += 1
    }

    private mutating func change(_ body: [UInt8]) throws(Refusal) {
        let device = try device(body)
        guard let place = devices.firstIndex(of: device) else { return }
        let attributes = AttributeReader(body[16...])
        if let alias = attributes[20] { devices[place].alias = Array(alias) }
        if let mtu: UInt32 = attributes.value(4) { devices[place].mtu = mtu }
        let changed: UInt32 = body[...].load(at: 12) ?? 0
        let flags: UInt32 = body[...].load(at: 8) ?? 0
        if changed & 1 != 0 { devices[place].isUp = flags & 1 != 0 }
    }

    private func list(_ device: Device) -> [UInt8] {
        let header: [UInt8] = [0, 0] + Self.bytes(UInt16(device.name == "lo" ? 772 : 1)) + Self.bytes(device.index)
        var body = header + Self.bytes(UInt32(device.isUp ? 1 : 0)) + [0, 0, 0, 0]
        body += Self.attribute(3, Array(device.name.utf8) + [0]) + Self.attribute(4, Self.bytes(device.mtu))
        if !device.address.isEmpty { body += Self.attribute(1, device.address) }
        if !device.alias.isEmpty { body += Self.attribute(20, device.alias + [0]) }
        if let kind = device.kind { body += Self.attribute(18, Self.attribute(1, Array(kind.utf8) + [0])) }
        return body + Self.attribute(23, [UInt8](repeating: 0, count: 192))
    }

    // MARK: Qdiscs and filters

    private static func link(_ body: [UInt8]) -> Int32 { body[...].load(at: 4) ?? 0 }
    private static func parent(_ body: [UInt8]) -> UInt32 { body[...].load(at: 12) ?? 0 }

    /// The qdisc that filters of `parent` belong to: that of the hook serves both directions.
    private static func holder(of parent: UInt32) -> UInt32 { parent >= 0xFFFF_FFF1 ? 0xFFFF_FFF1 : parent }

    private static func object(_ body: [UInt8]) -> Object {
        let handle: UInt32 = body[...].load(at: 8) ?? 0
        let info: UInt32 = body[...].load(at: 16) ?? 0
        return Object(
            link: link(body),
            parent: parent(body),
            handle: handle,
            info: info,
            attributes: Array(body[20...]),
            target: indexPlace(body).flatMap { body[...].load(at: $0) }
        )
    }

    private mutating func addQdisc(_ body: [UInt8], changes: Bool) throws(Refusal) {
        let qdisc = Self.object(body)
        // Without options: a question whether there is this kind.
        guard qdisc.handle != 0x7FC0_0000 else { throw Refusal(code: EINVAL) }
        guard devices.contains(where: { $0.index == qdisc.link }) else { throw Refusal(code: ENODEV) }
        guard let place = qdiscs.firstIndex(where: { $0.link == qdisc.link && $0.parent == qdisc.parent }) else {
            qdiscs.append(qdisc)
            return
        }
        guard changes, qdiscs[place].handle == qdisc.handle else { throw Refusal(code: EEXIST) }
        qdiscs[place] = qdisc
    }

    private func place(of body: [UInt8]) throws(Refusal) -> Int {
        let filter = Self.object(body)
        try requireHolder(of: filter)
        let place = filters.firstIndex {
            $0.link == filter.link && $0.parent == filter.parent && $0.info == filter.info
        }
        guard let place else { throw Refusal(code: ENOENT) }
        return place
    }

    /// "Parent Qdisc doesn't exists"
    private func requireHolder(of filter: Object) throws(Refusal) {
        guard devices.contains(where: { $0.index == filter.link }) else { throw Refusal(code: ENODEV) }
        let isThere = qdiscs.contains {
            guard $0.link == filter.link else { return false }
            return filter.parent >= 0xFFFF_FFF1 ? $0.parent == 0xFFFF_FFF1 : $0.handle == filter.parent
        }
        guard isThere else { throw Refusal(code: EINVAL) }
    }

    private mutating func addFilter(_ body: [UInt8], replaces: Bool) throws(Refusal) {
        let filter = Self.object(body)
        if let target = filter.target, !devices.contains(where: { $0.index == target }) { throw Refusal(code: ENODEV) }
        let place: Int
        do {
            place = try self.place(of: body)
        } catch {
            guard error.code == ENOENT else { throw error }
            filters.append(filter)
            return
        }
        guard replaces else { throw Refusal(code: EEXIST) }
        filters[place] = filter
    }

    /// Where a filter's message has the index of the device to which it redirects.
    private static func indexPlace(_ body: [UInt8]) -> Int? {
        guard body.count > 20 else { return nil }
        let action = AttributeReader(body[20...]).nested(2)?.nested(1)?.nested(1)
        guard action?.text(1) == "mirred", let parameters = action?.nested(2)?[2] else { return nil }
        return parameters.startIndex + 24
    }

    private func list(_ object: Object) -> [UInt8] {
        let handle = object.handle == 0 && object.info != 0 ? 1 : object.handle
        var body = [0, 0, 0, 0] + Self.bytes(object.link) + Self.bytes(handle) + Self.bytes(object.parent)
        body += Self.bytes(object.info) + object.attributes
        if let target = object.target, let place = Self.indexPlace(body) {
            body.replaceSubrange(place..<(place + 4), with: Self.bytes(target))
        }
        guard object.info == 0 else { return body }
        let queued = Self.bytes(UInt32(isBusy ? 1 : 0)) + [UInt8](repeating: 0, count: 16)
        return body + Self.attribute(7, Self.attribute(1, [UInt8](repeating: 0, count: 12)) + Self.attribute(3, queued))
    }

    // MARK: Bytes

    static func bytes<Value: BitwiseCopyable>(_ value: Value) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

    private static func attribute(_ type: UInt16, _ payload: [UInt8]) -> [UInt8] {
        let padding = [UInt8](repeating: 0, count: (4 - payload.count % 4) % 4)
        return bytes(UInt16(payload.count + 4)) + bytes(type) + payload + padding
    }

    private static func message(_ type: UInt16, _ body: [UInt8]) -> [UInt8] {
        bytes(UInt32(16 + body.count)) + bytes(type) + [UInt8](repeating: 0, count: 10) + body
    }
}
