# SPDX-License-Identifier: Apache-2.0
# What UnreadableJournalTests.swift calls: a journal, or an entry of it, that even root cannot read.
import glob

def run(arguments):
    """The command's status, and what it said."""
    output = sh(PROGRAM + " " + arguments + "; echo \"status $?\"")
    return int(output.rsplit("status ", 1)[1]), output

def refuses(arguments, *others):
    code, output = run(arguments)
    expect(code == 74 and "the journal cannot be read" in output, "%s: %d, %s" % (arguments, code, output))
    expect("nothing is" not in output and all(word in output for word in others), "%s: %s" % (arguments, output))

def hide():
    """Puts a directory in the place of the only entry, and returns what puts the entry back."""
    entry, = glob.glob("/run/linkcond/*.entry")
    os.rename(entry, entry + ".kept")
    os.mkdir(entry)
    def restore():
        os.rmdir(entry)
        os.rename(entry + ".kept", entry)
    return restore

def keepsWhatIsSuspended():
    linkcond("apply --engine userspace LTE -i near0")
    linkcond("off")
    until(lambda: dump() == before and not ours(), "off")
    restore = hide()
    for arguments in "on", "apply --engine userspace Wi-Fi -i near0", "status", "off -i near0":
        if arguments.startswith("off"):
            run(arguments)
        else:
            refuses(arguments, "Is a directory")
        expect(dump() == before and not ours(), arguments)
    restore()
    expect('resumed "LTE"' in linkcond("on"), "on")
    linkcond("reset")
    clean("reset")

def keepsWhatIsApplied():
    linkcond("apply --engine userspace LTE -i near0")
    during = dump()
    restore = hide()
    for arguments in "switch Wi-Fi", "off", "apply --engine userspace Wi-Fi -i near0", "status":
        refuses(arguments, *(["LTE"] if arguments == "status" else []))
        expect(dump() == during and len(ours()) == 3, arguments)
    restore()
    linkcond("off")
    linkcond("on")
    expect(dump() != before, "on")
    linkcond("reset")
    clean("reset")

def isResetAllTheSame():
    linkcond("apply --engine userspace LTE -i near0")
    restore = hide()
    code, output = run("reset -i near0")
    expect(code == 74 and "the journal cannot be read" in output and 'removed "LTE"' in output, "%d %s" % (code, output))
    expect("their journal entry stays: cannot delete" in output, output)
    expect(dump() == before, "reset")
    restore()
    linkcond("status")
    clean("reset")

def isDeletedByAReset():
    linkcond("apply --engine userspace LTE -i near0")
    linkcond("off")
    entry, = glob.glob("/run/linkcond/*.entry")
    # It cannot be read, and can be deleted.
    os.rename(entry, entry + ".kept")
    os.symlink("/proc/self/mem", entry)
    refuses("on")
    code, output = run("reset -i near0")
    expect(code == 0, "%d %s" % (code, output))
    os.unlink(entry + ".kept")
    clean("reset")

def keepsNoGuardianFromItsDuties():
    """One is told to end, one loses its pump, and one the command that its rule belongs to."""
    def started(line):
        known = ours()
        process = start(["ip", "netns", "exec", "near", "sh", "-c", "exec %s %s" % (PROGRAM, line)])
        # One that was just made has its parent's name.
        new = lambda: {name(each): each for each in ours() if each not in known}
        until(lambda: len(new()) == 3, line)
        return process, new()
    engine = " -i near0 --engine userspace"
    asked = started("apply LTE" + engine)[1]["lc-guardian"]
    pump = started("apply 'Slow Net' --port 443" + engine)[1]["lc-pump"]
    command, _ = started("run Wi-Fi --port 80%s -- sleep 1000" % engine)
    sleeping()
    restore = hide()
    os.kill(asked, signal.SIGTERM)
    os.kill(pump, signal.SIGKILL)
    killAtOnce([command] + named("lc-supervisor"))
    # Ten seconds of patience with the journal, and what removals take.
    until(lambda: dump() == before and not ours(), "the end of all rules", 120)
    restore()
    linkcond("status")
    clean("status")
