"""A Neovim without a screen, which is typed into and asked what it shows."""
import json
import subprocess
import time

from recipe import PATIENCE_SECONDS, Program, expect

GLANCE_SECONDS = 0.05
# Neovim shortens what it says if it is long.
MENU_LINES = 20


class Neovim(Program):
    """Started as a README says, in a directory, with an address under which others reach it."""

    def __init__(self, command, directory, environment):
        self.directory, self.environment = directory, environment | {
            "XDG_RUNTIME_DIR": str(directory), "NVIM_LOG_FILE": str(directory / "nvim.log")}
        program, *words = command.split()
        self.name = [program, "--server", "./socket"]
        super().__init__([program, "--headless", "--listen", "./socket", *words], cwd=directory,
                         env=self.environment)

    def await_listening(self):
        self.eventually("it listens", lambda: (self.directory / "socket").exists())

    def remote(self, *words):
        # What is asked for comes on standard error in old versions.
        done = subprocess.run([*self.name, *words], cwd=self.directory, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=PATIENCE_SECONDS)
        expect(done.returncode == 0, f"{words}: {done.stdout}")
        return done.stdout.strip()

    def type(self, keys):
        self.remote("--remote-send", keys)

    def ask(self, expression):
        """The value of an expression of Vim's."""
        text = self.remote("--remote-expr", f"json_encode({expression})")
        try:
            return json.loads(text)
        except ValueError:
            raise AssertionError(f"{expression} is {text!r}") from None

    def do(self, lua):
        """Runs a line of Lua; gives what it returns."""
        quoted = lua.replace("'", "''")
        return self.ask(f"luaeval('(function() {quoted} end)()')")

    def eventually(self, what, holds):
        """What holds at last."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            if found := holds():
                return found
            expect(self.process.poll() is None, f"Neovim ended before {what}")
            time.sleep(GLANCE_SECONDS)
        raise AssertionError(f"not within {PATIENCE_SECONDS} s: {what}")

    # MARK: What somebody who uses it sees

    def offered(self):
        """What the menu offers first, if there is one."""
        return self.ask(f"""pumvisible() ? map(complete_info(["items"]).items[:{MENU_LINES}], "v:val.word") : []""")

    def floating(self):
        """The text of all floating windows."""
        return self.do("""local lines = {}
            for _, window in ipairs(vim.api.nvim_list_wins()) do
              if vim.api.nvim_win_get_config(window).relative ~= "" then
                vim.list_extend(lines, vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false))
              end
            end
            return table.concat(lines, "\\n")""")

    def messages(self):
        return self.ask('execute("messages")').strip()
