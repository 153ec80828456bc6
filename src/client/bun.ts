// `import "mailkeep/bun"` in a test or a file that is preloaded.
import { expect } from "bun:test";
import { type MailMatchers, matchers } from "./matchers.ts";

expect.extend(matchers);

declare module "bun:test" {
  interface Matchers<T> extends MailMatchers<Promise<void>> {}
}
