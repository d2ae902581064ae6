// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// A user without privileges and the rules of root.
@Suite(.enabled(if: Kernel.isRoot && Kernel.canPump, "needs root, to become nobody, and /dev/net/tun"))
struct PermissionTests {
    private static let commands = [
        "switch LTE", "switch LTE -i near0", "off", "on", "reset", "reset --now -i near0", "confirm",
        "apply LTE -i near0", "apply LTE -i near0 --port 443",
    ]

    /// The journal of root's rules cannot be read, so that its absence proves nothing.
    @Test func sayThatTheyAreNotPermitted() throws {
        let directory = try TemporaryDirectory()
        try Program.copy(to: "\(directory.path)/linkcond")
        let lines = Self.commands.map { "try \"\($0)\"" }.joined(separator: "\n")
        let outcome = try Program.isolatedShell(
            """
            ip link add near0 type veth peer name far0 && ip link set near0 up || exit 99
            "$LINKCOND" apply 'Slow Net' -i near0 --confirm 60s 2>/dev/null || exit 98
            before=$("$LINKCOND" status | head -n 1)
            try() {
                errors=$(env -u LINKCOND_STATE_DIR -u XDG_RUNTIME_DIR setpriv --reuid 65534 --regid 65534 --clear-groups \
                    \(directory.path)/linkcond $1 2>&1)
                echo "$? $1: $errors" | tr '\\n' ' '
                echo
            }
            \(lines)
            after=$("$LINKCOND" status | head -n 1)
            "$LINKCOND" reset --now -i near0 2>/dev/null
            test "$before" = "$after"
            """
        )
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.lines.count == Self.commands.count, "\(outcome)")
        for line in outcome.lines {
            #expect(line.hasPrefix("77 ") && line.contains("CAP_NET_ADMIN"), "\(line)")
            #expect(line.contains("try: sudo linkcond") && !line.contains("journal"), "\(line)")
        }
    }
}
