// SPDX-License-Identifier: Apache-2.0

extension HelpTopic {
    static let scenariosText = """
        Scenarios: a timeline of profiles while a command runs

        The first profile holds from the start. Each step waits for something; then its profile replaces the one
        before. Connections stay open:

        {
          "name": "Into the lift",
          "profile": "3G",
          "steps": [
            { "label": "in the lift", "after": { "bytes": "10 kB" },
              "profile": "Black Hole" },
            { "label": "out again", "after": "20 s", "profile": "3G" }
          ],
          "expect": [
            "times out within 10 s of 'in the lift'",
            "recovers within 5 s of 'out again'"
          ]
        }

        Keys of a scenario:

          name, summary   as in a profile
          profile         the conditions from the start: a name, a path relative to the file, or a profile
          paths           several uplinks, each with its conditions
          steps           the steps, in their order
          repeat          the number of times that the steps run: 1 to 1000
          expect          an array of expectations: "linkcond help expectations"

        Keys of a step:

          label       its name, which expectations use
          after       a time after the step before, such as "20 s", or one of
                        {"bytes": "10 kB"}     the link has carried so much, both ways together
                        {"connections": 2}     so many TCP connections were begun
                        {"mark": "cancelled"}  the command set this mark: "linkcond mark cancelled"
          profile     the conditions from then on
          queued      "dropped" loses the packets that are on the link; by default they still arrive
          faults      in place of the profile's faults: "linkcond help faults"
          link        "down" or "up"
          address     "new": the host gets other addresses
          nat         "rebind": open connections come from other ports

        To use one, a file or a built-in scenario:

          linkcond run --scenario lift.json -- ./test
          linkcond run --scenario nat-rebinding -- ./test
          linkcond show ./lift.json

        "linkcond validate FILE" reports every mistake of a file. scenario.schema.json describes the format to an
        editor.
        """

    static let faultsText = """
        Faults: what goes wrong with some packets, beside the figures of a link

        "faults" is an array in a profile or in a step of a scenario. The first fault that matches a packet happens to
        it:

        {
          "name": "Resets In Transfer",
          "faults": [
            { "match": { "port": 443, "connection": "first 2" }, "do": "reset" },
            { "match": { "dns": "api.test" }, "do": { "answer": "SERVFAIL" } },
            { "match": { "protocol": "udp", "port": 443 }, "do": "lose" }
          ]
        }

        Keys of "match"; all that are given must hold, and {} is every packet:

          to, port, protocol, exclude
                        as in a rule: "linkcond help rules"
          version       4 or 6
          packet        "syn", "quic initial", "tls hello *.test", or of each connection "nth 3", "every 10", "first 2"
          connection    "nth 2", "first 2", "after the first"
          after         "20 kB" or "5 s" of its connection, or {"idle": "5 s"}
          dns, type     the name of a query, such as "*.test", and its type, such as "AAAA"
          larger        packets of more than these bytes: "1280 bytes"
          probability   a share of the packets, such as "10 %"
          lane          "uplink" or "downlink"

        "do" is one of:

          "lose"                      the packet is lost
          "lose silently from here"   so is all that follows of its connection
          {"refuse": "reset"}         it is lost, and its sender is told: "reset", "port", "host", "net", \
        "prohibited" or "packet too big"
          "reset"                     both ends get an RST
          "close", "half close"       both ends get a FIN
          "stall"                     it is acknowledged, and nothing is delivered
          {"answer": "NXDOMAIN"}      a DNS query is answered: "NXDOMAIN", "SERVFAIL", "REFUSED", "empty", \
        "truncated", or an address
          {"answer": {"after": "6 s"}}
                                      a DNS query waits
          {"portal": "http://portal.test/"}
                                      HTTP on port 80 is redirected, TLS is reset

        Built-in profiles and scenarios have faults, too:

          linkcond list --broken
          linkcond run reset-by-middlebox -- ./test
          linkcond matrix --broken -- ./test

        A fault that met no packet is named at the end; with --strict, the run is then inconclusive.
        """
}
