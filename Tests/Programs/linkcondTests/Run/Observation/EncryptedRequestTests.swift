// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Verdicts on the requests of curl in TLS and HTTP/2.
@Suite(.enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"))
struct EncryptedRequestTests {
    /// Runs a line of shell beside a server of TLS on port 8443, and returns what linkcond says of the requests.
    private func verdicts(
        _ client: String,
        server: String = "openssl s_server -quiet -www -key key -cert certificate -accept 8443",
        listeningAt ports: [Int] = [8443],
        keys: String = "keys",
        atMost limits: [Int]
    ) throws -> [String] {
        let files = try TemporaryDirectory()
        let expectations = limits.map { "--expect 'at most \($0) requests'" }.joined(separator: " ")
        let result = try Program.shell(
            """
            cd \(files.path) && echo hello >a
            openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out certificate -subj /CN=localhost 2>errors
            SSLKEYLOGFILE=\(keys) "$LINKCOND" run --offline 3G \(expectations) -- sh -c '
                \(server) >server 2>&1 &
                for port in \(ports.map { String($0, radix: 16, uppercase: true) }.joined(separator: " ")); do
                    until cat /proc/net/tcp /proc/net/tcp6 | grep -q ":$port .* 0A "; do sleep 0.1; done
                done
                \(client)'
            """
        )
        return result.errors.split(separator: "\n").map(String.init).filter {
            $0.contains(" at most ") && !$0.contains("to repeat")
        }
    }

    private let curl =
        "curl -sk --http1.1 --max-time 120 https://127.0.0.1:8443/ https://127.0.0.1:8443/a -o one -o two"

    @Test func countsRequestsWhoseKeysAreLogged() throws {
        #expect(
            try verdicts(curl, atMost: [2, 1]) == [
                "linkcond: pass  at most 2 requests: 2 requests",
                "linkcond: FAIL  at most 1 request: 2 requests: GET 127.0.0.1:8443/, GET 127.0.0.1:8443/a",
            ]
        )
    }

    @Test func passesNothingWithoutKeys() throws {
        let words = try #require(try verdicts(curl, keys: "", atMost: [2]).first)
        #expect(
            words.hasPrefix(
                "linkcond: inconclusive  at most 2 requests: 0 requests seen; requests in TLS to 127.0.0.1:8443"
            )
        )
        #expect(words.hasSuffix("set SSLKEYLOGFILE, or expect connections or bytes"), "\(words)")
    }

    private static let hasServer = (try? Program.start(["sh", "-c", "command -v nghttpd"]).status) == 0

    /// Two requests at the same time in TLS, and one in the clear.
    @Test(.enabled(if: hasServer, "needs nghttpd, of Debian's nghttp2-server"))
    func countsRequestsOfHTTP2() throws {
        let server = "nghttpd -d . 8443 key certificate & nghttpd --no-tls -d . 8080"
        let client = """
            curl -skZ --http2 --max-time 120 https://127.0.0.1:8443/a https://127.0.0.1:8443/b -o one -o two
            curl -s --http2-prior-knowledge --max-time 120 http://127.0.0.1:8080/a -o three
            """
        let lines = try verdicts(client, server: server, listeningAt: [8443, 8080], atMost: [3, 2])
        #expect(lines.first == "linkcond: pass  at most 3 requests: 3 requests")
        #expect(lines.last?.hasPrefix("linkcond: FAIL  at most 2 requests: 3 requests: GET 127.0.0.1:8") == true)
    }
}
