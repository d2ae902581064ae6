# SPDX-License-Identifier: Apache-2.0
# What OwnProfileTests.swift does at a terminal.


def editAgain():
    os.environ.update(HOME="/tmp/home", VISUAL="/tmp/editor")
    os.mkdir("/tmp/home")
    profile = "/tmp/home/.config/linkcond/profiles/mine.json"
    if end(start([PROGRAM, "new", "Mine", "--downlink", "delay=5 ms"])):
        fail("no profile was made")
    # The first time it makes a mistake, the second time another, then it is right.
    with open("/tmp/editor", "w") as file:
        file.write("#!/bin/sh\ncase $(cat \"$1\") in *'5 ms'*) sed -i 's/5 ms/6/' \"$1\";; "
                   "*'\"6\"'*) sed -i 's/\"6\"/7/' \"$1\";; *) sed -i 's/: 7/: \"8 ms\"/' \"$1\";; esac\n")
    os.chmod("/tmp/editor", 0o755)
    terminal = Terminal([PROGRAM, "edit", "mine"])
    terminal.expect(r'"6" has no unit[^\n]*\n[^\n]*again\? \[Y/n\]')
    terminal.type("\n")
    terminal.expect(r"7 has no unit[^\n]*\n[^\n]*again\? \[Y/n\]")
    terminal.type("y\n")
    terminal.expect('changed "Mine"')
    if b'"8 ms"' not in read(profile):
        fail("the profile is %r" % read(profile))
    with open("/tmp/editor", "w") as file:
        file.write("#!/bin/sh\necho x >>\"$1\"\n")
    terminal = Terminal([PROGRAM, "edit", "mine"])
    terminal.expect(r"again\? \[Y/n\]")
    terminal.type("n\n")
    terminal.expect("your text is in /tmp/home/.config/linkcond/profiles/.mine.draft.json")
    terminal.expect("try: linkcond edit mine")
