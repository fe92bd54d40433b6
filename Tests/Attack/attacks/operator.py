"""What an operator does wrong while the gateway runs."""
import os
import signal
import time

from scene import attack

TYPOS = ["[#", "[=", "[.a]", "[[[upstream]]", "[bounds]\nconnections = [}", "a = {", "= 1", "[bounds", '"', "x = 1e",
         "\0", "[a]\n[a]", "a.b = 1\na = 2", "x = 0x", "a = " + "[" * 5000, 'é = "\\uD800"', "x = 1979-13-41",
         "a = '''"]
# The gateway reads the file when it hears the signal: the next one is written a little later.
READING_SECONDS = 0.02


def said(words, fewest=10):
    """A judgement of the log: the gateway has read the file so often, and said this of it."""
    def judge(gateway, counts):
        times = sum(words in line for line in gateway.log)
        return [f"nothing was shown: the log says {times} times {words!r}"] if times < fewest else []
    return judge


@attack("typos", reaches=("told",), afterwards=[said("the configuration stays as it was")])
def typos(scene):
    """Files with typos, of which the running gateway is told by SIGHUP"""
    right = scene.file.read_text()
    scene.begin()
    while not scene.is_finished:
        typo = TYPOS[scene.counts["told"] % len(TYPOS)]
        scene.file.write_text(right + typo + "\n" if scene.counts["told"] % 2 else typo + "\n" + right)
        os.kill(scene.process, signal.SIGHUP)
        scene.counts["told"] += 1
        time.sleep(READING_SECONDS)


@attack("reloads", reaches=("told",), afterwards=[said("configuration reloaded")])
def reloads(scene):
    """SIGHUP without end, with the file as it was"""
    scene.begin()
    while not scene.is_finished:
        os.kill(scene.process, signal.SIGHUP)
        scene.counts["told"] += 1
        time.sleep(READING_SECONDS / 10)
