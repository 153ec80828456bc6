// Gives a test file that is run by itself (`npx bun test FILE`) the time limit that `npm test` gives by a flag: Bun's
// own is 5 s, and bunfig.toml cannot name another.
import { setDefaultTimeout } from "bun:test";

setDefaultTimeout(30_000);
