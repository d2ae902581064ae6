# SPDX-License-Identifier: Apache-2.0
# A terminal, and a user at it; see PrivateWorld.swift.
BASH = ["bash", "--norc", "--noprofile", "--noediting", "-i"]

class Terminal:
    """A command on a terminal of its own, which does not echo what is typed."""

    def __init__(self, command, size=(24, 80)):
        self.master, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        settings = termios.tcgetattr(inner)
        settings[3] &= ~termios.ECHO
        termios.tcsetattr(inner, termios.TCSANOW, settings)
        if CALLER:
            os.fchown(inner, 65534, -1)
        self.text = ""
        self.process = os.fork()
        if self.process == 0:
            os.close(self.master)
            os.environ.update(TERM="dumb", PS1="ready:", RUN=" ".join([PROGRAM, "run", "--offline", "--"]))
            os.setsid()
            fcntl.ioctl(inner, termios.TIOCSCTTY, 0)
            for number in range(3):
                os.dup2(inner, number)
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            os.execvp(command[0], command)
        os.close(inner)

    def type(self, text):
        os.write(self.master, text.encode())

    def expect(self, pattern, limit=HANG):
        """Waits for the pattern, and gives the text up to its end."""
        deadline = time.monotonic() + limit
        while True:
            match = re.search(pattern, self.text)
            if match:
                text, self.text = self.text[:match.end()], self.text[match.end():]
                return text
            if not select.select([self.master], [], [], max(0, deadline - time.monotonic()))[0]:
                fail("waited in vain for %r in %r" % (pattern, self.text))
            try:
                self.text += os.read(self.master, 65536).decode()
            except OSError:
                fail("the terminal ended without %r in %r" % (pattern, self.text))

    def say(self, text):
        """Types a line to the shell, and gives what it shows up to its next prompt."""
        self.type(text + "\n")
        return self.expect("ready:")

    def lead(self, process):
        """Waits until a job of this process's own is in front, and goes on."""
        until(lambda: os.tcgetpgrp(self.master) == process and states(process) == ["S"], "the job in front")

    def hang_up(self, words):
        os.close(self.master)
        gone("the terminal was closed with " + words)

def shell(size=(24, 80)):
    terminal = Terminal(CALLER + BASH, size)
    terminal.expect("ready:")
    return terminal

def states(*processes):
    return [stat(each)[0] for each in processes]
