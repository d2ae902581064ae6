// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Protection against cutting the user's own connection, which is checked before the kernel is asked.
@Suite(.enabled(if: Kernel.hasNamespaces, "needs network namespaces"))
struct LockoutGuardTests {
    private static let link = """
        ip link add ssh0 type veth peer name ssh1; ip link add other0 type veth peer name other1
        ip address add 192.0.2.1/24 dev ssh0; ip link set ssh0 up; ip link set other0 up
        """
    private static let session = "SSH_CONNECTION='192.0.2.7 51234 192.0.2.1 22'"

    private func apply(_ arguments: String, session: String = Self.session) throws -> CommandResult {
        try Program.isolatedShell("\(Self.link)\n\(session) \"$LINKCOND\" apply \(arguments)")
    }

    @Test func refusesToCutTheConnection() throws {
        for profile in ["'100% Loss'", "'Black Hole'", "'Nasty Net'"] {
            let outcome = try apply("\(profile) -i ssh0")
            #expect(outcome.status == 69)
            #expect(outcome.errors.contains("would cut the SSH connection of process"))
            #expect(outcome.errors.contains("with 192.0.2.7 port 51234, which ssh0 carries"))
            #expect(outcome.errors.contains("--keep-ssh") && outcome.errors.contains("--confirm 30s"))
        }
    }

    /// sudo(8) removes the variable.
    @Test func findsTheConnectionInTheProcessesAbove() throws {
        let inner = "env -u SSH_CONNECTION \"$LINKCOND\" apply '100% Loss' -i ssh0; exit $?"
        let outcome = try Program.isolatedShell(
            "\(Self.link)\n\(Self.session) sh -c '\(inner.replacing("'", with: "\""))'"
        )
        #expect(outcome.errors.contains("would cut the SSH connection of process"), "\(outcome)")
    }

    /// Below mosh-server(1) the variable names a connection that has ended.
    @Test(arguments: [
        ("'100% Loss' -i ssh0", "would cut the mosh connection of process"),
        ("'100% Loss' -i ssh0 --keep-ssh --dry-run", "port 60001 is not conditioned"),
    ])
    func knowsMosh(arguments: String, words: String) throws {
        let server = """
            import socket, subprocess, sys
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            s.bind(("192.0.2.1", 60001))
            sys.exit(subprocess.call(["sh", "-c", sys.argv[1]]))
            """
        let outcome = try Program.isolatedShell(
            """
            \(Self.link)
            folder=$(mktemp -d); ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$folder/mosh-server"
            \(Self.session) "$folder/mosh-server" -c '\(server)' '"$LINKCOND" apply \(arguments.replacing("'", with: "\""))'
            rm -r "$folder"
            """
        )
        #expect(outcome.errors.contains(words) && outcome.errors.contains("60001"), "\(outcome)")
    }

    /// Then the kernel decides, or the absence of netem.
    @Test(arguments: [
        "'100% Loss' -i other0", "'Slow Net' -i ssh0", "'100% Loss' -i ssh0 --port 443",
        "'100% Loss' -i ssh0 --exclude 'port 22'", "'100% Loss' -i ssh0 --keep-ssh",
        "'100% Loss' -i ssh0 --confirm 30s",
    ])
    func letsOtherTrafficBeConditioned(arguments: String) throws {
        #expect(!(try apply(arguments)).errors.contains("would cut"))
    }

    /// The address belongs to the upper device; the packets pass the lower one.
    @Test func knowsWhatCarriesTheInterface() throws {
        let setting = """
            ip link add ssh0 type veth peer name ssh1; ip link add other0 type veth peer name other1
            ip link add bridge0 type bridge; ip link set ssh0 master bridge0
            ip link add link bridge0 name lan0 type macvlan; ip address add 192.0.2.1/24 dev lan0
            for name in ssh0 ssh1 other0 bridge0 lan0; do ip link set $name up; done
            for name in lan0 bridge0 ssh0 ssh1 other0; do
                \(Self.session) "$LINKCOND" apply '100% Loss' -i $name 2>&1 | grep -q "would cut" && echo $name
            done
            true
            """
        #expect(try Program.isolatedShell(setting).output == "lan0\nbridge0\nssh0\n")
    }

    /// A command has no time limit by default; with a limit the connection recovers.
    @Test func refusesToRunOverTheConnectionWithoutALimit() throws {
        let run = "\(Self.link)\n\(Self.session) \"$LINKCOND\" run '100% Loss' -i ssh0"
        let refused = try Program.isolatedShell("\(run) -- true")
        #expect(refused.status == 125 && refused.errors.contains("would cut the SSH connection"), "\(refused)")
        #expect(refused.errors.contains("--timeout 60s"))
        #expect(!(try Program.isolatedShell("\(run) --timeout 5s -- true")).errors.contains("would cut"))
    }

    /// The conditions may have been applied without the connection, by another process.
    @Test(
        .enabled(if: PrivateLink.isAvailable, PrivateLink.need),
        arguments: [
            ("apply LTE -i ssh0 --engine userspace", "switch '100% Loss' -i ssh0"),
            ("apply '100% Loss' -i ssh0 --engine userspace && \"$LINKCOND\" off", "on"),
        ]
    )
    func refusesToCutTheConnectionLater(before: String, command: String) throws {
        let outcome = try Program.isolatedShell(
            """
            \(Self.link)
            ip link set ssh1 up; ip link set lo up
            "$LINKCOND" \(before) || exit 99
            \(Self.session) "$LINKCOND" \(command); status=$?
            "$LINKCOND" reset --now; exit $status
            """
        )
        #expect(outcome.status == 69 && outcome.errors.contains("would cut the SSH connection"), "\(outcome)")
    }

    @Test func leavesTheConnectionOutWhereAsked() throws {
        let outcome = try apply("'100% Loss' -i ssh0 --keep-ssh --dry-run")
        #expect(outcome.status == 0 && outcome.output.contains("except on port 22"), "\(outcome)")
        #expect(try apply("'100% Loss' -i ssh0 --keep-ssh --dry-run", session: "SSH_CONNECTION=").status == 64)
    }
}
