// Faults on purpose, to test how an application retries.
import type { Transport } from "./transport.ts";
import type { Fault, FaultList, FaultRule } from "./types.ts";

type Stage = FaultRule["at"];

export interface FaultOptions extends Omit<FaultRule, "name" | "at" | "reply"> {
  /** By default a random one. */
  readonly name?: string;
  readonly at: Stage | Uppercase<Stage>;
  /** A code alone, or with enhanced code and text. */
  readonly reply?: number | FaultRule["reply"];
}

export interface InjectedFault {
  readonly name: string;
  /** The number of hits. After the rule has ended, the last count that was read. */
  hits(): Promise<number>;
  /** Removes the rule. Does nothing if it has ended. */
  remove(): Promise<void>;
}

const ROUTE = "/api/v1/faults";

export async function injectFault(transport: Transport, options: FaultOptions): Promise<InjectedFault> {
  const [missing] = Object.entries(options).find(([, value]) => value === undefined) ?? [];
  // Without this condition the rule would apply to everybody's mail.
  if (missing !== undefined) throw new TypeError(`fail(): '${missing}' is undefined`);
  const { name: given, at, reply, ...conditions } = options;
  const name = given ?? `fail-${crypto.randomUUID()}`;
  const rule = {
    ...conditions,
    name,
    at: String(at).toLowerCase(),
    ...(reply !== undefined && { reply: typeof reply === "number" ? { code: reply } : reply }),
  };
  await transport.json<Fault>(ROUTE, "hits", { method: "POST", json: rule });
  let seen = 0;
  const hits = async () => {
    const { rules } = await transport.json<FaultList>(ROUTE, "rules");
    seen = rules.find((one) => one.name === name)?.hits ?? seen;
    return seen;
  };
  return {
    name,
    hits,
    remove: async () => {
      await hits();
      await transport.send(`${ROUTE}/${encodeURIComponent(name)}`, { method: "DELETE", accept: [404] });
    },
  };
}
