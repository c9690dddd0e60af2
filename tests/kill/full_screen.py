# SPDX-License-Identifier: BSL-1.0
"""full_screen.py PROGRAM: a shell with jobs runs it on a pseudo-terminal; whatever happens, the terminal is as before."""
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
        """What was written up to this text, which must come within 30 seconds."""
        end = time.monotonic() + 30
        while text not in self.read:
            if time.monotonic() > end:
                raise SystemExit(f"expected {text} of the terminal, found {self.read[-3000:]}")
            if select.select([self.terminal], [], [], 0.1)[0]:
                self.read += os.read(self.terminal, 65536)
        before, _, self.read = self.read.partition(text)
        return before

    def job(self):
        """The process of the program that runs there."""
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{number}/stat", encoding="utf-8", errors="replace") as file:
                    parent = file.read().rpartition(")")[2].split()[1]  # behind the name, which may be anything
            except OSError:  # it has ended meanwhile
                continue
            if int(parent) == self.process:
                return int(number)
        raise SystemExit("expected a program that the shell runs, found none")

    def begin(self, line):
        self.give(line)
        self.sees(ENTERED)

    def is_left(self, status, held=True):
        """Back at the shell with this exit status, lines printed, modes as they were."""
        self.sees(LEFT)
        after = self.sees(PROMPT)
        if held and b"held\r\n" not in after:
            raise SystemExit(f"expected the line that was held, found {after}")
        self.give("echo status=$?; stty -a")
        found = self.sees(b"rows") + self.sees(PROMPT)
        code = re.search(rb"status=(\d+)", found.replace(b"status=$", b""))
        if code is None or int(code[1]) != status:
            raise SystemExit(f"expected exit status {status}, found {found}")
        for mode in (b"-icanon", b"-echo ", b"-isig", b"-opost", b"-icrnl"):
            if mode in found:
                raise SystemExit(f"expected the modes of before, found {found}")
        return after


def main():
    program = sys.argv[1]
    shell = Shell()

    # Stopped by its key, on in the background without a screen, and again in front.
    shell.begin(program)
    shell.sees(b"running")
    shell.press(b"\x1a")
    shell.sees(LEFT)
    shell.sees(b"Stopped")
    shell.sees(PROMPT)
    shell.give("bg")
    shell.sees(PROMPT)
    for _ in range(2):  # it goes on, neither stopped nor on the screen
        shell.give("jobs; echo look''ed")
        found = shell.sees(b"looked\r\n")
        if b"Running" not in found or ENTERED in found:
            raise SystemExit(f"expected a job that runs in the background, found {found}")
        shell.sees(PROMPT)
    shell.begin("fg")
    os.kill(shell.job(), signal.SIGSTOP)  # which no program can see
    shell.sees(b"Stopped")
    shell.sees(PROMPT)
    shell.begin("fg")
    os.kill(shell.job(), signal.SIGTSTP)
    shell.sees(b"Stopped")
    shell.sees(PROMPT)
    shell.begin("fg")
    shell.press(b"\x03")  # a program that does nothing about it dies of it
    shell.is_left(130, held=False)  # that was printed when it was first stopped

    # Left by its key, it comes again where the program is stopped and goes on in front.
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
        raise SystemExit("expected that the run was stopped in order")

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
        raise SystemExit(f"expected what was thrown, after the screen, found {after}")
    print("the terminal is as before")


main()
