# SPDX-License-Identifier: BSL-1.0
"""full_screen.py PROGRAM: a shell with job control runs it on a pseudo-terminal. In all cases, the terminal is restored."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

ENTERED, LEFT = b"\x1b[?1049h", b"\x1b[?1049l"
PROMPT = b"READY> "


class Shell:
    def __init__(self):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ.update(TERM="xterm", LC_ALL="C.UTF-8", PS1="")
            os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        self.read = b""
        self.give("PS1='READY''> '")
        self.sees(PROMPT)

    def give(self, line):
        self.press(line.encode() + b"\n")

    def press(self, keys):
        os.write(self.terminal, keys)

    def sees(self, text):
        """Returns the output up to this text, which must appear within 30 seconds."""
        end = time.monotonic() + 30
        while text not in self.read:
            if time.monotonic() > end:
                raise SystemExit(f"the terminal did not show {text}: {self.read[-3000:]}")
            if select.select([self.terminal], [], [], 0.1)[0]:
                self.read += os.read(self.terminal, 65536)
        before, _, self.read = self.read.partition(text)
        return before

    def job(self):
        """Returns the process of the running program."""
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{number}/stat", encoding="utf-8", errors="replace") as file:
                    parent = file.read().rpartition(")")[2].split()[1]  # after the name, which may contain any character
            except OSError:  # the process has ended
                continue
            if int(parent) == self.process:
                return int(number)
        raise SystemExit("the shell runs no program")

    def begin(self, line):
        self.give(line)
        self.sees(ENTERED)

    def is_left(self, status, held=True):
        """Checks the return to the shell: exit status, printed lines, modes of the terminal as before."""
        self.sees(LEFT)
        after = self.sees(PROMPT)
        if held and b"held\r\n" not in after:
            raise SystemExit(f"the line that was held back is missing: {after}")
        self.give("echo status=$?; stty -a")
        found = self.sees(b"rows") + self.sees(PROMPT)
        code = re.search(rb"status=(\d+)", found.replace(b"status=$", b""))
        if code is None or int(code[1]) != status:
            raise SystemExit(f"expected exit status {status}, found {found}")
        for mode in (b"-icanon", b"-echo ", b"-isig", b"-opost", b"-icrnl"):
            if mode in found:
                raise SystemExit(f"the modes of the terminal changed: {found}")
        return after


def main():
    program = sys.argv[1]
    shell = Shell()

    # Suspended by its key, continued in the background without a screen, then in the foreground.
    shell.begin(program)
    shell.sees(b"running")
    shell.press(b"\x1a")
    shell.sees(LEFT)
    shell.sees(b"Stopped")
    shell.sees(PROMPT)
    shell.give("bg")
    shell.sees(PROMPT)
    for _ in range(2):  # it continues, neither suspended nor on the screen
        shell.give("jobs; echo look''ed")
        found = shell.sees(b"looked\r\n")
        if b"Running" not in found or ENTERED in found:
            raise SystemExit(f"expected a job that runs in the background, found {found}")
        shell.sees(PROMPT)
    shell.begin("fg")
    os.kill(shell.job(), signal.SIGSTOP)  # no program can handle SIGSTOP
    shell.sees(b"Stopped")
    shell.sees(PROMPT)
    shell.begin("fg")
    os.kill(shell.job(), signal.SIGTSTP)
    shell.sees(b"Stopped")
    shell.sees(PROMPT)
    shell.begin("fg")
    shell.press(b"\x03")  # a program without a handler dies
    shell.is_left(130, held=False)  # printed when it was first suspended

    # Closed by its key, the screen returns after the program is suspended and continued in the foreground.
    shell.begin(program)
    shell.sees(b"running")
    shell.press(b"q")
    shell.sees(LEFT)
    shell.sees(b"held\r\n")
    shell.press(b"\x1a")
    shell.sees(b"Stopped")
    shell.sees(PROMPT)
    shell.begin("fg")
    shell.sees(b"running")
    shell.press(b"\x03")
    shell.is_left(130, held=False)

    shell.begin(f"{program} stop")
    shell.sees(b"running")
    shell.press(b"\x03")
    if b"stopped in order\r\n" not in shell.is_left(0):
        raise SystemExit("the run was not stopped properly")

    for name in ("TERM", "INT", "HUP", "QUIT", "SEGV", "ABRT", "BUS"):
        number = getattr(signal, f"SIG{name}")
        shell.begin(program)
        shell.sees(b"running")
        os.kill(shell.job(), number)
        shell.is_left(128 + number)
    shell.begin(f"{program} exit")
    shell.is_left(3)
    shell.begin(f"{program} throw")
    after = shell.is_left(134)
    if b"nobody catches this" not in after:
        raise SystemExit(f"the text of the exception is missing after the screen: {after}")
    print("the terminal is restored")


main()
