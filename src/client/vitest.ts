// Adds the matchers to Vitest. Import "mailkeep/vitest" in a test or a setup file.
import { expect } from "vitest";
import { type MailMatchers, matchers } from "./matchers.ts";

expect.extend(matchers);

declare module "vitest" {
  interface Matchers<T> extends MailMatchers<Promise<void>> {}
}
