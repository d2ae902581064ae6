# SPDX-License-Identifier: Apache-2.0
"""Two network namespaces with a cable between them: eth0 of a machine or container, and a host beyond it."""

import os
import re
import subprocess

HERE, FAR = "10.98.0.1", "10.98.0.2"
# Slow Net: 100 ms each way, and 24.5 ms each way for ping's frame. A busy machine adds to it.
SLOW, PLAIN = range(240, 2000), range(0, 150)


def output(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


class Network:
    def __enter__(self) -> "Network":
        self.name, self.far = f"recipes-{os.getpid()}", f"recipes-far-{os.getpid()}"
        script = f"""
            ip netns add {self.name}; ip netns add {self.far}
            ip -n {self.name} link add eth0 type veth peer name eth0 netns {self.far}
            for each in "{self.name} {HERE}" "{self.far} {FAR}"; do
                set -- $each
                ip -n $1 address add $2/24 dev eth0; ip -n $1 link set eth0 up; ip -n $1 link set lo up
            done
            # As Docker and systemd set it.
            ip netns exec {self.name} sysctl -qw net.ipv4.ping_group_range="0 2147483647"
        """
        subprocess.run(["sh", "-e"], input=script, check=True, text=True)
        self.plain = self.state()
        return self

    def __exit__(self, *_) -> None:
        for name in (self.name, self.far):
            subprocess.run(["ip", "netns", "delete", name], check=False)

    @property
    def path(self) -> str:
        return f"/run/netns/{self.name}"

    def state(self) -> str:
        """All that conditions could have changed."""
        return output("tc", "-n", self.name, "qdisc", "show") + output("ip", "-n", self.name, "-brief", "link")

    def round_trip(self) -> str:
        """What ping prints."""
        ping = ["ip", "netns", "exec", self.name, "ping", "-n", "-c", "1", "-W", "3", FAR]
        return subprocess.run(ping, check=False, stdout=subprocess.PIPE, text=True).stdout


def milliseconds(text: str) -> int:
    """The last round trip in the output of ping, or -1 if it had no answer."""
    times = re.findall(r"time=([0-9.]+) ms", text)
    return int(float(times[-1])) if times else -1
