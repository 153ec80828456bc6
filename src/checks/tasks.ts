// The checks as tasks of a worker. They may be slow on a hostile mail: the pool ends a worker that overruns its time.
import type { CheckName } from "../lib/check-names.ts";
import type { Check } from "../model/index.ts";
import { checkAccessibility } from "./accessibility.ts";
import { checkContent } from "./content.ts";
import { checkHtml } from "./html/support.ts";
import { checkLinks } from "./links.ts";
import type { CheckedMail } from "./mail.ts";

/** Everything that a check may need; plain data. */
export interface CheckInput {
  readonly mail: CheckedMail;
  /** Empty for the checks that do not look at it. */
  readonly raw: Uint8Array;
  readonly clients: readonly string[];
}

export type CheckTasks = Readonly<
  Record<Exclude<CheckName, "auth" | "spam">, (input: CheckInput) => Check | Promise<Check>>
>;

export const CHECK_TASKS: CheckTasks = {
  html: checkHtml,
  links: checkLinks,
  content: checkContent,
  accessibility: checkAccessibility,
};
