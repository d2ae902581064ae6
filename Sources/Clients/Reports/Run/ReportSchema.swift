// SPDX-License-Identifier: Apache-2.0

/// The JSON Schema of report.json (draft 2020-12), which is written beside it.
package enum ReportSchema {
    package static let text = #"""
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "Report of a run",
          "description": "How a command behaved on a conditioned link. Times named seconds, and all times of the timeline, are in seconds; those of the timeline count from the start of the command.",
          "type": "object",
          "required": ["version", "verdict", "command", "seed", "engine", "kernel", "linkcond", "repeat", "begin", "durationSeconds", "outcome", "expectations", "totals"],
          "additionalProperties": false,
          "properties": {
            "version": { "description": "The version of the format.", "const": 1 },
            "verdict": { "$ref": "#/$defs/verdict" },
            "command": { "description": "The command and its arguments.", "$ref": "#/$defs/words" },
            "profile": { "description": "The profile at the begin.", "type": "string" },
            "scenario": { "type": "string" },
            "seed": { "description": "The same seed loses the same packets, with the same random sequence.", "type": "integer", "minimum": 0 },
            "randomSequence": { "description": "The version of the decisions that a seed makes; 1 if absent.", "type": "integer", "minimum": 1 },
            "engine": { "enum": ["userspace", "netem"] },
            "serverCongestion": { "description": "The congestion control of the uplink's far end; absent without an uplink.", "type": "string" },
            "kernel": { "description": "The kernel's release.", "type": "string" },
            "linkcond": { "description": "The version of linkcond.", "type": "string" },
            "repeat": { "description": "The command line that repeats the run.", "$ref": "#/$defs/words" },
            "begin": { "description": "When the command was started, in nanoseconds since 1970.", "type": "integer" },
            "durationSeconds": { "type": "number", "minimum": 0 },
            "outcome": {
              "description": "How the command ended.",
              "oneOf": [
                { "type": "object", "required": ["exited"], "properties": { "exited": { "type": "integer" } }, "additionalProperties": false },
                { "type": "object", "required": ["signal"], "properties": { "signal": { "type": "integer" } }, "additionalProperties": false },
                { "type": "object", "required": ["timedOut"], "properties": { "timedOut": { "const": true } }, "additionalProperties": false },
                { "type": "object", "required": ["failedFast"], "properties": { "failedFast": { "const": true } }, "additionalProperties": false },
                { "type": "object", "required": ["notStarted"], "properties": { "notStarted": { "const": true } }, "additionalProperties": false }
              ]
            },
            "expectations": { "$ref": "#/$defs/expectations" },
            "testCount": { "description": "All tests inside of the run that were judged; absent for none.", "$ref": "#/$defs/count" },
            "tests": {
              "description": "What tests inside of the run were told, such as those of pytest: the first 1000. The verdict of the run does not count them, but how the command exited.",
              "type": "array",
              "items": {
                "type": "object",
                "required": ["begin", "end", "verdict", "expectations"],
                "additionalProperties": false,
                "properties": {
                  "name": { "description": "What the test is called; absent if it did not say so.", "type": "string" },
                  "begin": { "description": "The start of what was judged, in seconds from the start of the command.", "type": "number" },
                  "end": { "type": "number" },
                  "verdict": { "description": "The worst of the expectations.", "$ref": "#/$defs/verdict" },
                  "expectations": { "$ref": "#/$defs/expectations" }
                }
              }
            },
            "conditions": {
              "description": "The faults of the conditions, the steps of schedules and scenarios, and changes, and how many packets each met.",
              "type": "array",
              "items": {
                "type": "object",
                "required": ["part", "packets", "verdict"],
                "additionalProperties": false,
                "properties": {
                  "part": { "description": "Its name in a sentence.", "type": "string" },
                  "packets": { "$ref": "#/$defs/count" },
                  "reason": { "description": "Why it met none; absent if it met some.", "type": "string" },
                  "effect": { "description": "What it did to packets, where their number does not tell.", "type": "string" },
                  "ofCommand": { "description": "A process inside of the run asked for it, and not the command line.", "const": true },
                  "verdict": { "description": "skipped if it met no packet, or inconclusive with --strict.", "enum": ["pass", "skipped", "inconclusive"] }
                }
              }
            },
            "totals": {
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "connections": { "$ref": "#/$defs/count" },
                "accepted": { "$ref": "#/$defs/count" },
                "requests": { "$ref": "#/$defs/count" },
                "nameQueries": { "$ref": "#/$defs/count" },
                "retransmissions": { "$ref": "#/$defs/count" },
                "packets": { "$ref": "#/$defs/count" },
                "dropped": { "$ref": "#/$defs/count" },
                "undelivered": { "description": "Packets that were on the link when the run ended.", "$ref": "#/$defs/count" },
                "bytes": { "description": "Of all packets with their Ethernet headers, as the link carries them; those of a connection are of its IP packets.", "$ref": "#/$defs/count" }
              }
            },
            "timeOfDaySet": {
              "description": "When the time of day was set during the run, and by how much, backwards if negative. All times are by the clock of the start.",
              "type": "array",
              "items": {
                "type": "object",
                "required": ["seconds", "bySeconds"],
                "additionalProperties": false,
                "properties": { "seconds": { "type": "number" }, "bySeconds": { "type": "number" } }
              }
            },
            "timeline": { "$ref": "#/$defs/timeline" },
            "output": {
              "description": "Where the command's standard output and standard error went, and their last lines if that was a file.",
              "type": "array",
              "items": {
                "type": "object",
                "required": ["streams", "destination"],
                "additionalProperties": false,
                "properties": {
                  "streams": { "type": "array", "items": { "enum": ["standard output", "standard error"] } },
                  "destination": { "enum": ["file", "terminal", "pipe", "socket", "device", "nowhere"] },
                  "path": { "description": "The file, relative to the report if it is in its directory.", "type": "string" },
                  "bytes": { "description": "What was written to the file during the run.", "$ref": "#/$defs/count" },
                  "lastLines": { "description": "At most 100, within 16 KiB; invalid UTF-8 is replaced.", "$ref": "#/$defs/words" }
                }
              }
            }
          },
          "$defs": {
            "verdict": { "enum": ["pass", "fail", "inconclusive", "skipped"] },
            "expectations": {
              "type": "array",
              "items": {
                "type": "object",
                "required": ["expectation", "verdict", "finding", "packets"],
                "additionalProperties": false,
                "properties": {
                  "expectation": { "type": "string" },
                  "verdict": { "$ref": "#/$defs/verdict" },
                  "finding": { "description": "What was seen.", "type": "string" },
                  "packets": { "description": "Numbers of packets in packets.pcapng, 1 for the first.", "type": "array", "items": { "type": "integer", "minimum": 1 } },
                  "remedy": { "description": "What usually helps.", "type": "string" }
                }
              }
            },
            "words": { "type": "array", "items": { "type": "string" } },
            "count": { "type": "integer", "minimum": 0 },
            "times": { "type": "array", "items": { "type": "number" } },
            "lengths": { "description": "Lengths of time; null where there is none.", "type": "array", "items": { "type": ["number", "null"] } },
            "spans": { "description": "Begins and ends.", "type": "array", "items": { "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2 } },
            "timeline": {
              "type": "object",
              "required": ["conditionCount", "conditions", "markCount", "marks", "monitorCount", "monitor", "connectionCount", "connections", "begin", "step", "openConnections", "uplink", "downlink", "roundTripsByTime", "busyCount", "busy"],
              "additionalProperties": false,
              "properties": {
                "conditionCount": { "description": "All conditions that held for a time.", "$ref": "#/$defs/count" },
                "conditions": {
                  "description": "The first 500.",
                  "type": "array",
                  "items": {
                    "type": "object",
                    "required": ["begin", "end"],
                    "additionalProperties": false,
                    "properties": {
                      "label": { "description": "The step of the scenario.", "type": "string" },
                      "profile": { "type": "string" },
                      "changes": { "description": "What the step changed of the uplink's network.", "$ref": "#/$defs/words" },
                      "begin": { "type": "number" },
                      "end": { "type": "number" },
                      "figures": { "description": "The profile's figures, in words.", "type": "string" },
                      "uplinkRate": { "description": "The rate that the profile asks for, such as \"100 kbit/s\".", "type": "string" },
                      "downlinkRate": { "type": "string" }
                    }
                  }
                },
                "markCount": { "description": "All marks.", "$ref": "#/$defs/count" },
                "marks": {
                  "description": "The first 500.",
                  "type": "array",
                  "items": {
                    "type": "object",
                    "required": ["name", "time"],
                    "additionalProperties": false,
                    "properties": { "name": { "type": "string" }, "time": { "type": "number" } }
                  }
                },
                "monitorCount": { "description": "All verdicts of a monitor.", "$ref": "#/$defs/count" },
                "monitor": {
                  "description": "What a monitor said of its targets, with --monitor: the first 500.",
                  "type": "array",
                  "items": {
                    "type": "object",
                    "required": ["target", "status", "reachable", "begin", "end"],
                    "additionalProperties": false,
                    "properties": {
                      "target": { "type": "string" },
                      "status": { "type": "string" },
                      "reachable": { "type": "boolean" },
                      "reason": { "type": "string" },
                      "begin": { "type": "number" },
                      "end": { "type": "number" }
                    }
                  }
                },
                "connectionCount": { "description": "All connections; more than are listed if there were too many.", "$ref": "#/$defs/count" },
                "connections": { "type": "array", "items": { "$ref": "#/$defs/connection" } },
                "begin": { "description": "The begin of the first piece of time of the lists below.", "type": "number" },
                "step": { "description": "The length of a piece.", "type": "number", "exclusiveMinimum": 0 },
                "openConnections": { "description": "The most that were open in each piece.", "type": "array", "items": { "$ref": "#/$defs/count" } },
                "uplink": { "$ref": "#/$defs/carried" },
                "downlink": { "$ref": "#/$defs/carried" },
                "roundTrips": { "description": "Those of all established TCP connections.", "$ref": "#/$defs/roundTrips" },
                "roundTripsByTime": {
                  "description": "Those that ended in each piece of time.",
                  "type": "object",
                  "required": ["count", "least", "median", "most"],
                  "additionalProperties": false,
                  "properties": {
                    "count": { "type": "array", "items": { "$ref": "#/$defs/count" } },
                    "least": { "$ref": "#/$defs/lengths" },
                    "median": { "$ref": "#/$defs/lengths" },
                    "most": { "$ref": "#/$defs/lengths" }
                  }
                },
                "busyCount": { "description": "All such times.", "$ref": "#/$defs/count" },
                "busy": { "description": "When processes of the command waited for a processor, be it for a short while: the first 500 times.", "$ref": "#/$defs/spans" },
                "requestCount": { "description": "All HTTP requests that could be read.", "$ref": "#/$defs/count" },
                "unansweredRequestCount": { "description": "Those without an answer.", "$ref": "#/$defs/count" },
                "repeatedRequestCount": { "description": "Those with the method, the target and the host of an earlier one without a whole answer.", "$ref": "#/$defs/count" },
                "requests": { "description": "The first 500.", "type": "array", "items": { "$ref": "#/$defs/request" } },
                "nameQueryCount": { "description": "All DNS queries; one that is sent again is one more.", "$ref": "#/$defs/count" },
                "nameQueries": { "description": "The first 500.", "type": "array", "items": { "$ref": "#/$defs/nameQuery" } },
                "encryptedConnectionCount": { "description": "Connections with TLS or QUIC: requests inside are not seen.", "$ref": "#/$defs/count" }
              }
            },
            "carried": {
              "description": "What one way of the link carried in each piece of time: what was delivered, its delays, and what was dropped, by reason. The median and the 95th percentile of the delays are within 3 %.",
              "type": "object",
              "required": ["bytes", "packets", "leastDelay", "mostDelay", "dropped"],
              "additionalProperties": false,
              "properties": {
                "bytes": { "type": "array", "items": { "$ref": "#/$defs/count" } },
                "packets": { "type": "array", "items": { "$ref": "#/$defs/count" } },
                "leastDelay": { "$ref": "#/$defs/lengths" },
                "medianDelay": { "$ref": "#/$defs/lengths" },
                "delay95": { "description": "The delay that 95 % did not exceed.", "$ref": "#/$defs/lengths" },
                "mostDelay": { "$ref": "#/$defs/lengths" },
                "dropped": { "type": "object", "additionalProperties": { "type": "array", "items": { "$ref": "#/$defs/count" } } }
              }
            },
            "roundTrips": {
              "description": "Round trips as the client saw them: from a segment with data to its acknowledgement, and from a packet without data to the first echo of its timestamp, without the server's wait before it; nothing if there were none. The median is within 3 %.",
              "type": "object",
              "required": ["count", "least", "median", "most"],
              "additionalProperties": false,
              "properties": {
                "count": { "type": "integer", "minimum": 1 },
                "least": { "type": "number" },
                "median": { "type": "number" },
                "most": { "type": "number" }
              }
            },
            "request": {
              "description": "A request of HTTP/1 or HTTP/2, in the clear or in TLS whose keys were logged.",
              "type": "object",
              "required": ["method", "target", "packet", "connection", "begin"],
              "additionalProperties": false,
              "properties": {
                "method": { "type": "string" },
                "target": { "description": "Cut in its middle if it is long.", "type": "string" },
                "host": { "type": "string" },
                "packet": { "description": "The number of the packet that its first byte was in.", "type": "integer", "minimum": 1 },
                "connection": { "description": "The number of the first packet of its connection.", "type": "integer", "minimum": 1 },
                "begin": { "type": "number" },
                "status": { "description": "The status of the answer.", "type": "integer" },
                "firstByte": { "description": "When the first byte of the answer arrived.", "type": "number" },
                "end": { "description": "When the answer was complete.", "type": "number" },
                "repeats": { "description": "The packet of the request without an answer that this one sends again.", "type": "integer", "minimum": 1 }
              }
            },
            "nameQuery": {
              "description": "A DNS query.",
              "type": "object",
              "required": ["name", "type", "packet", "begin"],
              "additionalProperties": false,
              "properties": {
                "name": { "type": "string" },
                "type": { "description": "The type of record, such as \"AAAA\".", "type": "string" },
                "packet": { "type": "integer", "minimum": 1 },
                "begin": { "type": "number" },
                "answer": { "description": "When the answer arrived.", "type": "number" },
                "code": { "description": "The response code: 0 for success.", "$ref": "#/$defs/count" }
              }
            },
            "connection": {
              "type": "object",
              "required": ["carrier", "client", "server", "packet", "begin", "attempts", "end", "ending", "sentAgain", "silences", "requests", "bytes"],
              "additionalProperties": false,
              "properties": {
                "carrier": { "enum": ["tcp", "udp", "quic"] },
                "client": { "description": "Address and port.", "type": "string" },
                "server": { "type": "string" },
                "serverName": { "type": "string" },
                "owner": { "description": "The process that held it.", "type": "string" },
                "packet": { "description": "The number of its first packet.", "type": "integer", "minimum": 1 },
                "begin": { "type": "number" },
                "attempts": { "description": "The first 200.", "$ref": "#/$defs/times" },
                "attemptCount": { "description": "All attempts.", "$ref": "#/$defs/count" },
                "accepted": { "description": "When it was accepted, unless the client had given it up before.", "type": "number" },
                "secured": { "description": "When its TLS handshake was complete.", "type": "number" },
                "firstByte": { "description": "When the first byte of an answer arrived.", "type": "number" },
                "lastByte": { "type": "number" },
                "end": { "type": "number" },
                "ending": { "enum": ["finished", "reset", "given up", "silent", "open"] },
                "endedBy": { "enum": ["client", "server", "fault"] },
                "sentAgain": {
                  "description": "When each side sent something again: the first 200 of each.",
                  "type": "object",
                  "additionalProperties": false,
                  "properties": { "client": { "$ref": "#/$defs/times" }, "server": { "$ref": "#/$defs/times" } }
                },
                "sentAgainCount": {
                  "description": "How often each side did.",
                  "type": "object",
                  "additionalProperties": false,
                  "properties": { "client": { "$ref": "#/$defs/count" }, "server": { "$ref": "#/$defs/count" } }
                },
                "silences": { "description": "Times of a second or more in which nothing arrived: the first 200.", "$ref": "#/$defs/spans" },
                "roundTrips": { "$ref": "#/$defs/roundTrips" },
                "requests": { "$ref": "#/$defs/count" },
                "bytes": {
                  "description": "Bytes of IP packets that each side sent.",
                  "type": "object",
                  "additionalProperties": false,
                  "properties": { "client": { "$ref": "#/$defs/count" }, "server": { "$ref": "#/$defs/count" } }
                }
              }
            }
          }
        }

        """#
}
