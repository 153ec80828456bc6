// The checks as tasks of a worker.
import type { Check, CheckName } from "../model/index.ts";
import { checkAccessibility } from "./accessibility.ts";
import { type AuthInput, checkAuth } from "./auth.ts";
import { checkContent } from "./content.ts";
import { checkHtml } from "./html/support.ts";
import { checkLinks, type LinksInput, webAddresses } from "./links.ts";
import { checkSpam, type SpamInput } from "./spam.ts";

/** Everything that a check may need. `raw` is empty for checks that do not use it. */
export interface CheckInput extends AuthInput, LinksInput, SpamInput {
  readonly clients: readonly string[];
}

export type CheckTasks = Readonly<Record<CheckName, (input: CheckInput) => Check | Promise<Check>>> & {
  readonly webAddresses: typeof webAddresses;
};

export const CHECK_TASKS: CheckTasks = {
  html: checkHtml,
  links: checkLinks,
  auth: checkAuth,
  content: checkContent,
  accessibility: checkAccessibility,
  spam: checkSpam,
  webAddresses,
};
