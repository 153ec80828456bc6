// Adds the matchers to Jest. Import "mailkeep/jest" in a test, or add it to `setupFilesAfterEnv`.
import { type MailMatchers, matchers } from "./matchers.ts";

(globalThis as unknown as { expect: { extend(added: typeof matchers): void } }).expect.extend(matchers);

declare global {
  namespace jest {
    interface Matchers<R> extends MailMatchers<Promise<void>> {}
  }
}
