// SPDX-License-Identifier: Apache-2.0

import Testing

/// The kind of /etc/resolv.conf on the host.
enum ResolverFile: String, CaseIterable, CustomTestStringConvertible {
    /// /etc/resolv.conf is a file.
    case plain
    /// As with systemd-resolved: a symbolic link to a file beside its sockets.
    case link

    var testDescription: String { rawValue }

    /// The shell commands that install the resolv.conf of `directory` so, in a mount namespace that ends with them.
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
