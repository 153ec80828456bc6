// Adds the matchers to `bun test`. Import "mailkeep/bun" in a test or a preloaded file.
import { expect } from "bun:test";
import { type MailMatchers, matchers } from "./matchers.ts";

expect.extend(matchers);

declare module "bun:test" {
  interface Matchers<T> extends MailMatchers<Promise<void>> {}
}
