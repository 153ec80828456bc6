// The time limit for tests of a single file, as in `npm test`. Bun's default is 5 s, and bunfig.toml cannot change it.
// It is for tests that hang, not for a slow machine.
import { setDefaultTimeout } from "bun:test";

setDefaultTimeout(300_000);
