# SPDX-License-Identifier: Apache-2.0
"""Runs a command by runc, with the rights that Docker gives a container, and those that a recipe adds.

What Docker's seccomp filter and its AppArmor profile refuse is modelled, by seccomp, for the calls that linkcond makes: moby/moby, profiles/seccomp/default.json and profiles/apparmor/template.go. So neither Docker nor a
kernel with AppArmor is needed.
"""

import json
import os
import stat
import subprocess
import tempfile
from pathlib import Path

from rights import Rights

CAPABILITIES = """CHOWN DAC_OVERRIDE FSETID FOWNER MKNOD NET_RAW SETGID SETUID SETFCAP SETPCAP NET_BIND_SERVICE
    SYS_CHROOT KILL AUDIT_WRITE""".split()
MOUNTS = "mount umount2 move_mount open_tree fsopen fsmount fsconfig fspick mount_setattr".split()
CLONE_FLAGS = [0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000]


def refusals(rights: Rights) -> list:
    """The system calls that fail, as rules of seccomp."""
    names, rules = [], []
    if "apparmor=unconfined" not in rights.security:
        names += MOUNTS
    if "seccomp=unconfined" not in rights.security:
        names += ["pivot_root", "keyctl", "add_key", "request_key"]
        if "SYS_ADMIN" not in rights.capabilities:
            names += MOUNTS + ["unshare", "setns", "sethostname", "setdomainname"]
            names += [] if "BPF" in rights.capabilities else ["bpf"]
            rules.append({"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": 38})
            for flag in CLONE_FLAGS:
                argument = {"index": 0, "value": flag, "valueTwo": flag, "op": "SCMP_CMP_MASKED_EQ"}
                rules.append({"names": ["clone"], "action": "SCMP_ACT_ERRNO", "errnoRet": 1, "args": [argument]})
    if names:
        rules.append({"names": sorted(set(names)), "action": "SCMP_ACT_ERRNO", "errnoRet": 1})
    return rules


class Container:
    """A container with this machine's file system, or only with files of its own, in a network that is there."""

    def __init__(
        self,
        rights: Rights,
        network: str,
        command: list,
        files: dict,
        directory="/",
        whole=True,
        environment=(),
        volumes=None,
    ):
        """files: by their path in the container, a path here; volumes: directories that it shares, likewise."""
        self.bundle = Path(tempfile.mkdtemp(prefix="recipes-"))
        self.name = self.bundle.name
        self.whole, self.files = whole, files
        subprocess.run(["runc", "spec", "--bundle", self.bundle], check=True)
        spec = json.loads((self.bundle / "config.json").read_text())
        capabilities = [f"CAP_{each}" for each in CAPABILITIES + list(rights.capabilities)]
        spec["root"] = {"path": "rootfs", "readonly": False}
        spec["process"] = {
            "terminal": False,
            "args": command,
            "env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", *environment],
            "cwd": directory,
            "user": {"uid": 0, "gid": 0},
            "noNewPrivileges": "no-new-privileges" in rights.security,
            "capabilities": {kind: capabilities for kind in ("bounding", "effective", "permitted")},
        }
        linux = spec["linux"]
        for space in linux["namespaces"]:
            if space["type"] == "network":
                space["path"] = network
        for target, source in (volumes or {}).items():
            spec["mounts"].append({"destination": target, "type": "bind", "source": str(source), "options": ["bind"]})
        rules = refusals(rights)
        if rules:
            linux["seccomp"] = {"defaultAction": "SCMP_ACT_ALLOW", "syscalls": rules}
        linux["devices"], linux["resources"] = [], {"devices": [{"allow": False, "access": "rwm"}]}
        for path in rights.devices:
            device = {"type": "c", "major": os.major(os.stat(path).st_rdev), "minor": os.minor(os.stat(path).st_rdev)}
            mode = stat.S_IMODE(os.stat(path).st_mode)
            linux["devices"].append(device | {"path": path, "fileMode": mode, "uid": 0, "gid": 0})
            linux["resources"]["devices"].append(device | {"allow": True, "access": "rwm"})
        (self.bundle / "config.json").write_text(json.dumps(spec))

    def start(self) -> None:
        """Starts it, with its file system in a mount namespace of its own."""
        lines = ["mkdir rootfs store", "mount -t tmpfs tmpfs store", "mkdir store/upper store/work"]
        if self.whole:
            lines += ["mount -t overlay overlay -o lowerdir=/,upperdir=store/upper,workdir=store/work rootfs"]
        else:
            lines += ["mkdir -p rootfs/dev rootfs/proc rootfs/run rootfs/sys rootfs/tmp"]
        for target, source in self.files.items():
            lines += [f"mkdir -p rootfs$(dirname {target})", f"cp -a {source} rootfs{target}"]
        lines += [f"exec runc run {self.name}"]
        self.process = subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", "sh", "-ec", "\n".join(lines)],
            cwd=self.bundle,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def signal(self, name: str) -> None:
        subprocess.run(["runc", "kill", self.name, name], check=False, stderr=subprocess.DEVNULL)

    def wait(self) -> tuple:
        """The exit status and the output."""
        try:
            text, _ = self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.signal("KILL")
            text, _ = self.process.communicate()
        subprocess.run(["rm", "-rf", "--one-file-system", self.bundle], check=False)
        return self.process.returncode, text

    def run(self) -> tuple:
        self.start()
        return self.wait()
