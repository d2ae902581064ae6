# SPDX-License-Identifier: Apache-2.0
# What ContainerTests.swift does with containers of runc, one function a test.


def makeRoot():
    """A container's root, with this machine's /usr and the program."""
    for each in ("/tmp/root/proc", "/tmp/root/usr", "/tmp/root/run", "/tmp/root/sys", "/tmp/root/dev", "/tmp/root/bin"):
        os.makedirs(each)
    subprocess.run(["mount", "--bind", "/usr", "/tmp/root/usr"], check=True)
    for each in "lib", "lib64":
        os.symlink("usr/" + each, "/tmp/root/" + each)
    subprocess.run(["cp", PROGRAM, "/tmp/root/bin/linkcond"], check=True)
    # A program for debugging has libraries elsewhere.
    libraries = subprocess.run(["ldd", PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    for place in set(re.findall(r"=> (/\S+)/[^/]+ ", libraries)):
        if not place.startswith(("/usr/", "/lib")):
            os.makedirs("/tmp/root" + place)
            subprocess.run(["mount", "--bind", place, "/tmp/root" + place], check=True)


def contained(identity, words, network, capabilities, mounts=(), ownProcesses=True):
    """Runs a command by runc with these rights only, /dev/net/tun among the devices, as an image of linkcond would."""
    bundle = "/tmp/" + identity
    os.makedirs(bundle)
    rights = ["CAP_" + each for each in capabilities]
    kinds = [{"type": each} for each in ["mount"] + (["pid"] if ownProcesses else [])]
    kinds.append({"type": "network", **({"path": network} if network else {})})
    tun = {"path": "/dev/net/tun", "type": "c", "major": 10, "minor": 200, "fileMode": 0o666}
    with open(bundle + "/config.json", "w") as file:
        json.dump({"ociVersion": "1.0.2", "root": {"path": "/tmp/root", "readonly": False},
                   "linux": {"namespaces": kinds, "devices": [tun],
                             "resources": {"devices": [{"allow": False, "access": "rwm"},
                                                       {"allow": True, "type": "c", "major": 10, "minor": 200,
                                                        "access": "rwm"}]},
                             "readonlyPaths": ["/proc/sys"], "maskedPaths": ["/proc/kcore"]},
                   "mounts": [{"destination": "/proc", "type": "proc", "source": "proc"},
                              {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["mode=755"]},
                              {"destination": "/run", "type": "tmpfs", "source": "tmpfs", "options": ["mode=755"]}]
                   + [{"destination": each, "type": "bind", "source": each, "options": ["rbind"]} for each in mounts],
                   "process": {"args": words, "cwd": "/", "env": ["PATH=/bin:/usr/bin"], "noNewPrivileges": True,
                               "user": {"uid": 0, "gid": 0},
                               "capabilities": {each: rights for each in ("bounding", "effective", "permitted")}}}, file)
    output = open(bundle + "/said", "w+")
    process = subprocess.Popen(["runc", "run", "--bundle", bundle, identity], stdin=subprocess.DEVNULL, stdout=output,
                               stderr=output)
    return process, lambda: open(bundle + "/said").read()


def conditionsAPodFromASidecar(words, capabilities):
    """With the command and the rights of the guide's manifest, in the network of another container."""
    makeRoot()
    words = [{"eth0": "near0", "link:eth0": "link:near0"}.get(each, each) for each in words]
    sidecar, said = contained("sidecar", ["/bin/linkcond"] + words, "/run/netns/near", capabilities)
    until(lambda: "reachable" in said() or sidecar.poll() is not None, "the sidecar")
    # 3G is 100 ms each way.
    found = times()
    expect(found and min(found) >= 190, "%s: %s" % (found, said()))
    subprocess.run(["runc", "kill", "sidecar", "TERM"], check=True)
    sidecar.wait(HANG)
    clean("the end of the sidecar", 60)


def conditionsNeighboursFromAService(words, capabilities):
    """With the command and the rights of the guide's service, and the process IDs of the host."""
    makeRoot()
    serve()
    start("web", "5ca1ab1e", profile="LTE")
    os.makedirs("/run/linkcond", exist_ok=True)
    service, said = contained("service", ["/bin/linkcond"] + words, None, capabilities,
                              ["/run/docker.sock", "/run/linkcond"], ownProcesses=False)
    until(lambda: "web: near0 has" in said() or service.poll() is not None, "the service")
    found = times()
    expect(found and min(found) >= 115, "%s: %s" % (found, said()))
    subprocess.run(["runc", "kill", "service", "TERM"], check=True)
    service.wait(HANG)
    clean("the end of the service", 60)


def knowsARealContainer():
    """Without an engine: by runc's own state, under its ID."""
    makeRoot()
    os.makedirs("/tmp/bundle")
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
    clean("SIGTERM", 60)
    # Its state file stays, as after a crash of the machine, and names a process that is another's.
    process = [each for each in named("sleep") if each not in (HERE.pid, NEAR.pid)][0]
    os.kill(process, 9)
    until(lambda: process not in others(), "its end")
    refused(["apply", "LTE", "-i", "near0", "--container", "cafe-1"], 66, "does not run: exited")
