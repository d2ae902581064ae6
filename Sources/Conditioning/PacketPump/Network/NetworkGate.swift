// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Netlink

/// Decides which packets are lost because of the state of the network.
struct NetworkGate {
    /// Whether the link is up.
    private(set) var isUp = true
    /// Whether any packet may be lost: a quick test for each packet.
    private var isActive = false
    private var addresses: [IPAddress]?
    private var carriesIPv6 = true
    private var rebinds = 0
    /// Translates ports; nil until the network has its first address translator.
    var translation: PortTranslation?
    /// Translates between IPv6 and IPv4; nil if the host has IPv4.
    var families: FamilyTranslation?

    /// Applies `state` from now on.
    mutating func use(_ state: NetworkState, now: Int64) {
        (isUp, addresses, carriesIPv6) = (state.isUp, state.addresses, [.works, .only].contains(state.ipv6))
        families =
            families.flatMap { state.translatedAddress == $0.host ? $0 : nil }
            ?? state.translatedAddress.flatMap(FamilyTranslation.init)
        isActive = !isUp || addresses != nil || !carriesIPv6 || families != nil
        if translation == nil {
            translation = state.translation.map { PortTranslation(PortMappings($0, now: now)) }
        } else {
            // Existing flows keep their ports after the translator is gone.
            translation?.use(state.translation ?? AddressTranslation())
        }
        if state.rebinds != rebinds { translation?.rebind() }
        rebinds = state.rebinds
    }

    /// The reason why the network loses a frame; nil if it does not.
    @inline(__always) func loss(of frame: StoredFrame, isDownlink: Bool) -> DropReason? {
        isActive ? reason(UnsafeRawPointer(frame.bytes), frame.record.pointee.layout, isDownlink: isDownlink) : nil
    }

    private func reason(_ bytes: UnsafeRawPointer, _ layout: FrameLayout, isDownlink: Bool) -> DropReason? {
        guard isUp else { return .linkDown }
        if layout.isIPv6, !carriesIPv6 { return .noIPv6 }
        if !isDownlink, let families, !families.carries(bytes, layout) { return .noMapping }
        guard let addresses else { return nil }
        let start = layout.addresses + (isDownlink ? layout.addressLength : 0)
        let address = UnsafeRawBufferPointer(start: bytes + start, count: layout.addressLength)
        let isKnown = addresses.contains { known in
            known.length == address.count && known.withUnsafeBytes { $0.elementsEqual(address) }
        }
        return isKnown || Self.isShared(address) ? nil : .oldAddress
    }

    /// Whether an address is unspecified, multicast, broadcast or link-local, and stays when the host gets other
    /// addresses.
    private static func isShared(_ address: UnsafeRawBufferPointer) -> Bool {
        if address.allSatisfy({ $0 == 0 }) { return true }
        // 224.0.0.0/4 and broadcast; ff00::/8 and fe80::/10.
        guard address.count == 16 else { return address[0] >= 224 || address[0] == 169 && address[1] == 254 }
        return address[0] == 0xFF || address[0] == 0xFE && address[1] & 0xC0 == 0x80
    }
}
