// SPDX-License-Identifier: Apache-2.0

import Testing

/// How a sandbox reaches the outside.
enum Road: String, CaseIterable, CustomTestStringConvertible {
    case slirp4netnsForRoot = "slirp4netns for root"
    case slirp4netnsForUser = "slirp4netns for a user"
    case pastaForUser = "pasta for a user"

    var testDescription: String { rawValue }

    /// Those whose program refuses what the outside refuses.
    static let faithful = [slirp4netnsForRoot, slirp4netnsForUser]

    var caller: Caller { self == .slirp4netnsForRoot ? .root : .user }

    /// Lines of shell that leave linkcond no other choice, in a mount namespace that ends with them.
    var hiding: String {
        let program = self == .pastaForUser ? "slirp4netns" : "pasta"
        return "mount --bind /dev/null $(command -v \(program))"
    }
}

/// How the host says where its resolver is.
enum ResolverFile: String, CaseIterable, CustomTestStringConvertible {
    /// /etc/resolv.conf is a file.
    case plain
    /// systemd-resolved's way: a link to a file beside its sockets.
    case link

    var testDescription: String { rawValue }

    /// Lines of shell that make it so with the resolv.conf of `directory`, in a mount namespace that ends with them.
    func mounting(_ directory: String) -> String {
        switch self {
        case .plain: "mount --bind \(directory)/resolv.conf /etc/resolv.conf"
        case .link:
            """
            mkdir -p \(directory)/etc \(directory)/old /run/systemd
            mount -t tmpfs tmpfs /run/systemd
            mkdir /run/systemd/resolve
            cp \(directory)/resolv.conf /run/systemd/resolve/stub-resolv.conf
            mount --bind /etc \(directory)/old
            ln -sf \(directory)/old/* \(directory)/etc/
            ln -sf ../run/systemd/resolve/stub-resolv.conf \(directory)/etc/resolv.conf
            mount --bind \(directory)/etc /etc
            """
        }
    }
}
