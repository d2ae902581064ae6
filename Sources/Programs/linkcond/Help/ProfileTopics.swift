// SPDX-License-Identifier: Apache-2.0

extension HelpTopic {
    static let profilesText = """
        Profiles: named descriptions of a link, seen from the conditioned host

        A name can be typed in any spelling: "Slow Net", slow-net, slownet. A path has a "/" or ends in ".json"; "-" is
        standard input. Options override a profile's figures, or are a link by themselves:

          linkcond run slow-net -- ./test
          linkcond run lte --loss '2 %' -- ./test
          linkcond run --rate '1 Mbit/s' --delay '50 ms' -- ./test
          linkcond run wifi --competing 'bulk up' -- ./test

        "linkcond list" shows the profiles. "linkcond new NAME --from PROFILE" makes one of your own; own profiles are
        files in ~/.config/linkcond/profiles, those of a machine in /etc/linkcond/profiles. A file has one profile:

        {
          "name": "Train",
          "summary": "A train in the country",
          "downlink": { "rate": "4 Mbit/s", "delay": "60 ms", "loss": "1 %" },
          "uplink": { "rate": "1 Mbit/s", "delay": "60 ms" },
          "dns": { "delay": "200 ms" }
        }

        Keys of "downlink" (towards the host) and "uplink" (away from it); an absent one leaves the link as it is:

          rate        "32 kbit/s", "1.5 Mbit/s", "2 Gbit/s"; "kB/s" are bytes
          trace       instead of a rate, a recording: {"file": "lte.down", "format": "mahimahi"}
          delay       one way: "100 ms", "1.5 s"
          jitter      "20 ms", or {"amount": "20 ms", "distribution": "normal"}
          loss        "10 %", or in bursts: {"gilbertElliott": {"loss": "1 %", "burst": 3}}
          duplicate   a share of the packets: "1 %"
          corrupt     a share of the packets: "1 %"
          reorder     packets that skip the delay: {"probability": "5 %", "gap": 5}
          queue       the bottleneck's buffer: "300 ms", "64 kB" or "50 packets";
                      a discipline: "drop-tail", "drop-head", "codel", "fq_codel",
                      "pie", "cake" or "dualpi2"; or both:
                      {"size": "300 ms", "discipline": "codel", "target": "5 ms"}
          competing   traffic of others on the link: {"bulk": 1}, or "video",
                      "call" ("100 kbit/s"), "web" ("3 pages a minute"), or an array
          overhead    bytes that the link layer adds: {"packet": 24}
          ecn         true: mark packets instead of dropping them

        Keys of a profile beside them:

          dns         queries to port 53 have this delay in addition: {"delay": "200 ms"}
          faults      an array: "linkcond help faults"
          schedule    other figures after a time: {"steps": [{"at": "5 s", "uplink": {"loss": "100 %"}}]}
          mtu         of a command's uplink: "1400 bytes"
          nat         of a command's uplink: {"idle": "30 s"}
          ipv6        of a command's uplink: "works", "dead", "absent" or "only"
          seed        a number that makes the random sequences repeat
          source      the origin of the figures

        "linkcond validate FILE" reports every mistake of a file. profile.schema.json describes the format to an editor.
        """

    static let rulesText = """
        Rules: other profiles for parts of a command's traffic

        "run --rules FILE" gives parts of the traffic profiles of their own. The profile of the command line has the
        rest:

        {
          "rules": [
            { "to": "10.1.0.0/16", "profile": "GEO Satellite" },
            { "port": [80, 443], "exclude": { "to": "10.0.2.2" }, "profile": "3G" },
            {
              "port": 5432,
              "profile": { "name": "Far", "uplink": { "delay": "120 ms" } }
            }
          ]
        }

        Keys of a rule:

          to          the remote end: an address, a network or a host name, or an array of these
          port        a port at either end, or an array
          protocol    "tcp", "udp" or "icmp", or an array
          exclude     the same three keys: traffic that the rule never has
          profile     a name, a path relative to the file, or a profile

        All keys of a rule must hold, and of an array one entry. Of several rules for a packet, the most specific one
        has it: the one that restricts more of address, port and protocol, then the one with the longer prefix.

          linkcond run lte --rules rules.json -- ./test

        On an interface, "apply" makes one rule at a time:

          linkcond apply 3g -i eth0 --to 10.1.0.0/16 --port 443

        rules.schema.json describes the format to an editor.
        """
}
