# SPDX-License-Identifier: Apache-2.0
# What ContainerTests.swift does with containers of runc, one function a test.


def knowsARealContainer():
    """Without an engine: by runc's own state, under its ID."""
    for each in "/tmp/bundle", "/tmp/root/proc", "/tmp/root/usr":
        os.makedirs(each)
    subprocess.run(["mount", "--bind", "/usr", "/tmp/root/usr"], check=True)
    for each in "lib", "lib64":
        os.symlink("usr/" + each, "/tmp/root/" + each)
    kinds = [{"type": each} for each in ("pid", "mount")] + [{"type": "network", "path": "/run/netns/near"}]
    with open("/tmp/bundle/config.json", "w") as file:
        json.dump({"ociVersion": "1.0.2", "annotations": {"linkcond.profile": "Wi-Fi"}, "root": {"path": "/tmp/root"}, "linux": {"namespaces": kinds},
                   "mounts": [{"destination": "/proc", "type": "proc", "source": "proc"}],
                   "process": {"args": ["/usr/bin/sleep", "1000"], "cwd": "/", "env": [],
                               "user": {"uid": 0, "gid": 0}}}, file)
    subprocess.run(["runc", "run", "--detach", "--bundle", "/tmp/bundle", "cafe-1"], check=True,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    until(lambda: outside(["status", "--container", "cafe-1"])[0] == 0, "the container")
    status, said = outside(["apply", "LTE", "-i", "near0", "--container", "cafe"])
    expect(status == 0 and min(times()) >= 115, said)
    status, said = outside(["reset", "--container", "cafe-1"])
    expect("restored near0" in said, said)
    clean("reset")
    watch = Watch()
    watch.says("cafe-1: near0 has \"Wi-Fi\"")
    expect(watch.end() == 0, watch.text)
    clean("SIGTERM", 15)
    # Its state file stays, as after a crash of the machine, and names a process that is another's.
    process = [each for each in named("sleep") if each not in (HERE.pid, NEAR.pid)][0]
    os.kill(process, 9)
    until(lambda: process not in others(), "its end")
    refused(["apply", "LTE", "-i", "near0", "--container", "cafe-1"], 66, "does not run: exited")
