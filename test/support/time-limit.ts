// The time limit of a test in a file that is run by itself, as `npm test` does: Bun's own is 5 s, and bunfig.toml cannot
// name another. A busy machine is slow, not wrong: this is for what hangs.
import { setDefaultTimeout } from "bun:test";

setDefaultTimeout(300_000);
