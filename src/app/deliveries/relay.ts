// Relays a new mail through the server named by `--relay`, to the recipients that the rules allow.
import { createHash } from "node:crypto";
import { hostAndPort } from "../../lib/hosts.ts";
import type { MessageSummary } from "../../model/index.ts";
import { DeliveryError } from "../../smtp-client/index.ts";
import type { RawMessage, Store } from "../../store/index.ts";
import { asReleaseError, mayReceive, openServer, type RelayRules, sendOver, textOf } from "../release.ts";
import type { DeliveryOutcome, Target } from "./deliveries.ts";

export interface RelayOptions {
  readonly rules: RelayRules;
  readonly store: Store;
  /** Our name in EHLO. */
  readonly name: string;
}

/** This many relays of the same mail, each within a minute of the last, count as a mail loop. */
const MAX_SAME = 100;
const COMES_BACK_WITHIN_MS = 60_000;
const MAX_REMEMBERED = 10_000;
const MAIL_LOOP = `mail loop: the same mail was relayed ${MAX_SAME} times in a row`;

async function digestOf({ sender, recipients }: MessageSummary, raw: RawMessage): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify([sender, recipients]));
  for await (const chunk of raw.stream()) hash.update(chunk);
  return hash.digest("base64");
}

export function relayTarget({ rules, store, name }: RelayOptions): Target {
  const { server } = rules;
  const relayed = new Map<string, { readonly times: number; readonly at: number }>();
  const recipientsOf = ({ recipients }: { readonly recipients: readonly string[] }) =>
    recipients.filter((recipient) => mayReceive(rules, recipient));
  const reasonOf = (error: unknown) =>
    error instanceof DeliveryError ? asReleaseError(error, server).message : String(error);
  return {
    kind: "relay",
    origin: hostAndPort(server.host, server.port),
    wants: (message) => recipientsOf(message).length > 0,
    deliver: (message, stop, earlier) => {
      const send = async (): Promise<DeliveryOutcome> => {
        const raw = await store.raw(message.id);
        if (raw === null) return { kind: "gone" };
        const envelope = { sender: message.sender, recipients: earlier?.deferred ?? recipientsOf(message) };
        const digest = await digestOf(message, raw);
        const last = relayed.get(digest);
        const times = last && performance.now() - last.at < COMES_BACK_WITHIN_MS ? last.times : 0;
        if (times >= MAX_SAME) return { kind: "refused", reason: MAIL_LOOP, rejected: [] };
        const client = await openServer(server, raw.size, name);
        const { deferred, refusals, failure, ...answer } = await sendOver(client, envelope, raw).then(
          (receipt) => ({ ...receipt, failure: null }),
          (error) => ({
            accepted: [],
            rejected: envelope.recipients,
            deferred: deferredBy(error) ?? envelope.recipients,
            refusals: [],
            failure: reasonOf(error),
          }),
        );
        const isFinal = (recipient: string) => !deferred.includes(recipient);
        const refusedNow = refusals.filter(({ recipient }) => isFinal(recipient)).map(textOf);
        const accepted = [...(earlier?.accepted ?? []), ...answer.accepted];
        const rejected = [...(earlier?.rejected ?? []), ...answer.rejected.filter(isFinal)];
        const known = earlier?.refusals ?? [];
        const reason = failure ?? [...known, ...refusals.map(textOf)].join("; ");
        if (deferred.length > 0)
          return {
            kind: "deferred",
            reason,
            accepted,
            rejected,
            deferred,
            refusals: [...known, ...refusedNow],
          };
        if (accepted.length === 0) return { kind: "refused", reason, rejected };
        // Moves the mail to the end of the map, because the first one is forgotten first.
        relayed.delete(digest);
        relayed.set(digest, { times: times + 1, at: performance.now() });
        const [oldest] = relayed.keys();
        if (relayed.size > MAX_REMEMBERED && oldest !== undefined) relayed.delete(oldest);
        return { kind: "delivered", ...answer, accepted, rejected, ...(reason && { reason }) };
      };
      const failed = (error: unknown): DeliveryOutcome => ({ kind: "failed", reason: reasonOf(error) });
      const { promise, resolve } = Promise.withResolvers<DeliveryOutcome>();
      const onStop = () => resolve(STOPPED);
      stop.addEventListener("abort", onStop);
      send().catch(failed).then(resolve);
      return promise.finally(() => stop.removeEventListener("abort", onStop));
    },
  };
}

/** The mail is sent again after the next start, even if the server has already accepted it. */
const STOPPED: DeliveryOutcome = { kind: "failed", reason: "Mailkeep stopped" };

/** Recipients that may be tried again; null for all. */
function deferredBy(error: unknown): readonly string[] | null {
  if (!(error instanceof DeliveryError)) return null;
  const { failure, reply, deferred } = error;
  if (deferred !== null) return deferred;
  return failure === "unsendable" || (failure === "refused" && !reply?.startsWith("4")) ? [] : null;
}
