// Mailpit's interface (its version 1.30) below /compat/mailpit, over our own parts.
import { type CompatOptions, routesBelow } from "../route.ts";
import { MAILBOX } from "./mailbox.ts";
import { MESSAGE } from "./message.ts";
import { SERVICE } from "./service.ts";

export const mailpit = (options: CompatOptions) =>
  routesBelow("/compat/mailpit", options, { ...MAILBOX, ...MESSAGE, ...SERVICE });
