// The inboxes that the settings declare.
import { Value } from "@sinclair/typebox/value";
import { type ServeSettings, UsageError } from "../../config/index.ts";
import { type DeclaredInbox, DeclaredInboxes } from "../../model/index.ts";

export function declaredInboxes({ inbox }: Pick<ServeSettings, "inbox">): DeclaredInbox[] {
  // A variable has an array of them.
  const given: unknown = inbox.flat();
  const error = Value.Errors(DeclaredInboxes, given).First();
  if (error) {
    const [, index = "0", field = ""] = /^\/(\d+)\/?(.*)$/.exec(error.path) ?? [];
    const reason = error.schema.description ?? error.message;
    throw new UsageError(
      `--inbox: inbox ${Number(index) + 1}: ${field.replaceAll("/", ".") || "it"}: ${reason}`,
    );
  }
  const declared = given as DeclaredInboxes;
  const names = declared.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw new UsageError(`--inbox: ${twice} is declared twice`);
  return declared;
}
