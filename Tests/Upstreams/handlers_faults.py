#!/usr/bin/env python3
"""Puts faults into copies of the Python handler, one at a time; handlers.py has to find each of them.

    python3 handlers_faults.py
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "Clients"))
from typeahead_faults import find_all  # noqa: E402

# Longer than what is open at the end is given.
PATIENCE_SECONDS = 10
HANDLER = HERE.parent.parent / "examples/upstreams/python/upstream.py"

CANCEL = """            if task and not self.server.ignores_cancel:
                task.cancel()
"""
PIECE = """            await asyncio.sleep(0)
            count +="""
LOST = """        for task in self.open.values():
            task.cancel()

"""
BEGIN = "asyncio.create_task(work.methods[method](params))"
ANSWERED = f"""        task = self.open[key] = {BEGIN}
        task.add_done_callback(lambda task: self.end(key))
        task.add_done_callback(ended)
"""
FORGOTTEN = """        begun = []

        async def whole():
            begun.append(True)
            return await work.methods[method](params)
        task = self.open[key] = asyncio.create_task(whole())
        task.add_done_callback(lambda task: self.end(key))
        task.add_done_callback(lambda task: begun and ended(task))
"""
LATE = """self.transport.write(text.encode() + b"\\n")
            if members.get("error", {}).get("code") == CANCELLED:
                late = json.dumps({"jsonrpc": "2.0", "id": identifier, "result": None}).encode() + b"\\n"
                asyncio.get_running_loop().call_later(0.2, self.transport.write, late)"""

# What is wrong then, and what is put in the place of what.
FAULTS = [
    ("cancelling is ignored", CANCEL, ""),
    ("cancelling is answered, and that is all", CANCEL, """            if task:
                self.answer(member(params, "id"), failed(Failure(CANCELLED, "Request cancelled")))
"""),
    ("cancelled work goes on behind its answer", BEGIN,
     "asyncio.create_task(asyncio.wait_for(asyncio.shield(work.methods[method](params)), None))"),
    ("a cancelled request gets its result late, too", 'self.transport.write(text.encode() + b"\\n")', LATE),
    ("a cancelled request is never answered", "    if was_cancelled(task):\n        return failed(",
     "    if was_cancelled(task):\n        raise ("),
    ("a cancelled request has another code", 'Failure(CANCELLED, "', 'Failure(-32000, "'),
    ("everything is answered twice", 'write(text.encode() + b"\\n")', 'write(2 * (text.encode() + b"\\n"))'),
    ("work blocks the reader", PIECE, "            count +="),
    ("work looks at the token too seldom", PIECE, """            if first == 0:
                await asyncio.sleep(0)
            count +="""),
    ("what is cancelled before it began is forgotten", ANSWERED, FORGOTTEN),
    ("only what has begun can be cancelled", "if task and not", "if task and task.get_coro().cr_await and not"),
    ("cancelling something unknown ends the connection", "self.open.get(", "self.open.__getitem__("),
    ("cancelling cancels everything", CANCEL, """            for task in self.open.values():
                task.cancel()
"""),
    ("a text and a number are the same id", "self.begin(json.dumps(identifier),", "self.begin(str(identifier),"),
    ("a lost connection leaves its work behind", LOST, "\n"),
    ("a part of the work that is cancelled is taken for all of it", " and task.cancelling() > 0", ""),
    ("work says itself that it was cancelled", " and error.code != CANCELLED", ""),
    ("a cancel without an id is one of the id null", 'if isinstance(params, dict) and "id" in params:',
     'if params := {"id": member(params, "id")}:'),
    ("a lost connection cancels the others' work, too", LOST, """        for other in {self, *self.server.connections}:
            for task in other.open.values():
                task.cancel()

"""),
    ("bad JSON ends the connection", "except (ValueError, RecursionError):", "except RecursionError:"),
    ("deep nesting ends the connection", "except (ValueError, RecursionError):", "except ValueError:"),
    ("numbers are taken that are none", "parse_constant=refuse", "parse_constant=float"),
    ("large ids come back as others",
     "parse_float=finite,", "parse_float=finite, parse_int=lambda text: int(float(text)),"),
    ("true is an id", "(bool, dict, list)", "(dict, list)"),
    ("any version will do", 'message.get("jsonrpc") != "2.0" or ', ""),
    ("params may be anything", "(dict, list, type(None)))", "object)"),
    ("an unknown method is an internal error", 'raise Failure(METHOD_NOT_FOUND, "Method not found")', "pass"),
    ("true is a number", "type(value) is not int", "not isinstance(value, int)"),
    ("a mistake ends the connection", "return failed(Failure(INTERNAL_ERROR",
     "sys.exit(1); return failed(Failure(INTERNAL_ERROR"),
    ("notifications are answered", "self.begin(object(), method, params, outcome)",
     "self.begin(object(), method, params, lambda task: self.answer(None, outcome(task)))"),
    ("notifications are not worked on", "self.begin(object(), method, params, outcome)", "pass"),
    ("answers are answered", 'if "method" not in message and (', "if False and ("),
    ("lines may be as long as they like", "if max(map(len, (self.rest, *lines))) > LINE_LIMIT_BYTES:", "if False:"),
    ("lines may not be as long as is said", "> LINE_LIMIT_BYTES", ">= LINE_LIMIT_BYTES"),
    ("as much may be open as there comes", "len(self.open) >= OPEN_LIMIT", "False"),
    ("one less may be open than is said", "len(self.open) >= OPEN_LIMIT", "len(self.open) >= OPEN_LIMIT - 1"),
    ("an id may be open twice", "if key in self.open:", "if False:"),
    ("answers pile up", "self.transport.pause_reading()", "pass"),
    ("nobody is listened to again", "self.transport.resume_reading()", "pass"),
    ("it dies at once when it is told to stop", "await server.finish()", "os._exit(0)"),
    ("it takes more when it is told to stop", "if self.server.stopping.is_set():", "if False:"),
    ("it accepts more when it is told to stop", "    listener.close()\n", ""),
    ("it waits for ever when it is told to stop", "timeout=GRACE_SECONDS", "timeout=None"),
    ("it leaves its socket behind", "        os.unlink(arguments.unix)", "        pass"),
    ("it removes a socket that is another's by now", "os.path.samestat(", "(lambda *_: True)("),
    ("it ends with another status", "    asyncio.run(main())", "    asyncio.run(main())\n    sys.exit(1)"),
    ("it prints more than its address", "print(address, flush=True)", "print(address, address, flush=True)"),
    ("it counts wrong", "number > 1 and all(", "number > 0 and all("),
]


if __name__ == "__main__":
    find_all(FAULTS, HANDLER, HERE / "handlers.py", PATIENCE_SECONDS)
