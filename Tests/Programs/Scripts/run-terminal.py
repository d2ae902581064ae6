# SPDX-License-Identifier: Apache-2.0
# What RunTerminalTests.swift does in a private world, one function a test.


def showTheSameTerminal():
    terminal = shell(size=(33, 97))
    for command in ["stty size", "tty", "stty -a"]:
        plain, wrapped = terminal.say(command), terminal.say("$RUN " + command)
        if plain != wrapped:
            fail("%r became %r" % (plain, wrapped))
    if terminal.say("$RUN stty size") != "33 97\r\nready:":
        fail("the size is another")
    terminal.hang_up("an idle shell")


def endALoopWithOneKey():
    terminal = shell()
    for number in range(30):
        terminal.type("while :; do $RUN sleep 1000; done\n")
        if number % 5:
            # A key before that is the shell's own, which may keep it until the job ends.
            until(lambda: named("linkcond"), "the program")
            pause(0.06)
        else:
            sleeping()
        terminal.type("\x03")
        terminal.expect("ready:")
        if named("sleep"):
            fail("the command goes on in round %d" % number)
    if terminal.say("$RUN sh -c 'kill -INT $$'; echo not reached").count("not reached"):
        fail("the shell does not see what ended the command")
    terminal.hang_up("an idle shell")


def stopWithAKeyAndContinueInForeground():
    terminal = shell()
    terminal.type("$RUN cat\none\n")
    terminal.expect("one\r\n")
    for number in range(3):
        terminal.type("\x1a")
        terminal.expect("Stopped")
        terminal.expect("ready:")
        if "Stopped" not in terminal.say("jobs"):
            fail("the job is not stopped")
        terminal.type("fg\ntwo\n")
        terminal.expect("two\r\n")
    terminal.type("\x04")
    terminal.expect("ready:")
    if terminal.say("echo $?") != "0\r\nready:":
        fail("the command did not end by itself")
    terminal.hang_up("an idle shell")


def goOnInTheBackground():
    terminal = shell()
    terminal.type("$RUN sleep 1000\n")
    sleeping()
    terminal.type("\x1a")
    terminal.expect("Stopped")
    terminal.expect("ready:")
    job = named("sleep") + named("linkcond")
    if states(*job) != ["T", "T"]:
        fail("the states are %s" % states(*job))
    terminal.say("bg")
    until(lambda: states(*job) == ["S", "S"], "the job to go on")
    if "Running" not in terminal.say("jobs"):
        fail("the shell does not know that the job runs")
    if "Terminated" not in terminal.say("kill %1; wait"):
        fail("the shell does not know what ended the job")

    terminal.say("$RUN cat &")
    until(lambda: [states(each) for each in named("linkcond")] == [["T"]], "a reader in the background to stop")
    # fg continues no job of which the shell does not know yet that it has stopped.
    until(lambda: "Stopped" in terminal.say("jobs"), "the shell to know that")
    terminal.type("fg\nthree\n")
    terminal.expect("three\r\n")
    terminal.type("\x03")
    terminal.expect("ready:")
    terminal.hang_up("an idle shell")


def controlJobsInside():
    terminal = shell()
    terminal.type("$RUN " + " ".join(BASH) + "\n")
    # What a shell without job control says comes before its prompt.
    if terminal.expect("ready:") != "ready:":
        fail("the shell complains")
    if "Running" not in terminal.say("sleep 1000 & jobs"):
        fail("the job does not run")
    sleeping()
    terminal.type("fg\n")
    terminal.lead(named("sleep")[0])
    terminal.type("\x1a")
    terminal.expect("Stopped")
    terminal.expect("ready:")
    terminal.type("fg\n")
    terminal.lead(named("sleep")[0])
    terminal.type("\x03")
    terminal.expect("ready:")
    if terminal.say("exit 9") != "exit\r\nready:" or terminal.say("echo $?") != "9\r\nready:":
        fail("the shell inside did not end as told")
    terminal.type("cat\none\n")
    terminal.expect("one\r\n")
    terminal.type("\x04")
    terminal.expect("ready:")
    terminal.hang_up("an idle shell")


def endWithTheTerminal():
    for line in ["$RUN sleep 1000", "$RUN sleep 1000 &", "$RUN sh -c 'sleep 1000; true'"]:
        terminal = shell()
        terminal.type(line + "\n")
        sleeping()
        terminal.hang_up(line)
    # Without a shell: the kernel tells the leader of the session, which is the program.
    for number in range(10):
        terminal = Terminal(RUN + ["sh", "-c", "echo begun; exec sleep 1000"])
        terminal.expect("begun")
        pause(0.02)
        terminal.hang_up("the program in the place of a shell")


def typeNothingForTheCaller():
    # The kernel takes the lower 32 bits of a request.
    script = """
import ctypes, errno
library = ctypes.CDLL(None, use_errno=True)
for request in TIOCSTI, TIOCLINUX, TIOCSTI | 1 << 40, TCGETS:
    result = library.ioctl(0, ctypes.c_ulong(request), ctypes.create_string_buffer(b"x", 100))
    print("answer:", errno.errorcode[ctypes.get_errno()] if result else "fine", flush=True)
"""
    for name, number in [("TIOCSTI", 0x5412), ("TIOCLINUX", 0x541C), ("TCGETS", 0x5401)]:
        script = script.replace(name, str(number))
    command = ["/usr/bin/python3", "-ISc", script]
    terminal = Terminal([PROGRAM, "run", "--offline", "--user", "nobody", "--"] + command)
    answers = [terminal.expect("answer: \\w+\r").split()[-1] for number in range(4)]
    if answers != ["EPERM", "EPERM", "EPERM", "fine"]:
        fail("the answers are %s" % answers)
    gone("the command")
