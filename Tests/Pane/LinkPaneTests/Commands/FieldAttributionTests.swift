// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkPane

@Suite struct FieldAttributionTests {
    @Test(arguments: [
        ("--port 0 is not a port from 1 to 65535", "port"),
        ("--protocol x is not one of tcp, udp, icmp", "protocol"),
        ("--to -x is not an address, a network or a known host name", "to"),
        ("--exclude 'y' is not 'port N', 'to ADDRESS' or 'protocol NAME'", "exclude"),
        ("the value 'x' is invalid for '--for TIME': 'x' is not a time such as \"90s\" or \"5m\"", "for"),
        ("the value '' is invalid for '--dns' is invalid for '--engine ENGINE'; expected one of 'auto'", "engine"),
        ("--keep-ssh: this process has no SSH or mosh connection", "keepSSH"),
        ("$.downlink.rate: \"1\" has no unit; expected a rate\n$.uplink.delay: \"z\"", "downlink.rate"),
        ("$.dns: unknown key", "dns"),
        ("$.schedule.steps[0].downlink.rate: \"1\" has no unit", nil),
        ("no profile is called \"--to\"", nil),
        ("cannot find the interface eth9: No such device", nil),
        ("", nil),
    ])
    func findsTheFieldThatAMessageNames(message: String, field: String?) {
        #expect(RuleFields.field(named: message) == field)
    }
}
