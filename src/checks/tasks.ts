import type { Check, CheckName } from "../model/index.ts";
import { checkAccessibility } from "./accessibility.ts";
import { checkAuth } from "./auth.ts";
import { checkContent } from "./content.ts";
import { checkHtml } from "./html/support.ts";
import { checkLinks, webAddresses } from "./links.ts";
import type { CheckInput } from "./mail.ts";
import { checkSpam } from "./spam.ts";

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
