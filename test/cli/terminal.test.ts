import { expect, test } from "bun:test";
import { isTerminal, takesStyle } from "../../src/cli/command/terminal.ts";

test.each([
  [{ isTTY: true }, { TERM: "xterm" }, true, true],
  [{ isTTY: true }, {}, true, true],
  [{ isTTY: true }, { NO_COLOR: "1" }, true, false],
  [{ isTTY: true }, { NO_COLOR: "" }, true, true],
  [{ isTTY: true }, { TERM: "dumb" }, false, false],
  [{ isTTY: false }, { TERM: "xterm" }, false, false],
  [{}, {}, false, false],
])("what an output can show: %p with %p", (output, environment, terminal, style) => {
  expect([isTerminal(output, environment), takesStyle(output, environment)]).toEqual([terminal, style]);
});
