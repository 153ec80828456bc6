// Forwards a new mail through the server of `--relay`, to those of its recipients that the rules let through.
import { hostAndPort } from "../../lib/host-and-port.ts";
import { DeliveryError } from "../../smtp-client/index.ts";
import type { Store } from "../../store/index.ts";
import { asReleaseError, mayReceive, openServer, type RelayRules, sendOver } from "../release.ts";
import type { DeliveryOutcome, Target } from "./deliveries.ts";

export interface RelayOptions {
  readonly rules: RelayRules;
  readonly store: Store;
  /** Our name in EHLO. */
  readonly name: string;
}

export function relayTarget({ rules, store, name }: RelayOptions): Target {
  const { server } = rules;
  const recipientsOf = ({ recipients }: { readonly recipients: readonly string[] }) =>
    recipients.filter((recipient) => mayReceive(rules, recipient));
  const failure = (error: unknown, kind: "failed" | "refused" = "failed"): DeliveryOutcome => ({
    kind,
    reason: error instanceof DeliveryError ? asReleaseError(error, server).message : String(error),
  });
  return {
    kind: "relay",
    origin: hostAndPort(server.host, server.port),
    wants: (message) => recipientsOf(message).length > 0,
    deliver: (message, stop) => {
      const send = async (): Promise<DeliveryOutcome> => {
        const raw = await store.raw(message.id);
        if (raw === null) return { kind: "gone" };
        const envelope = { sender: message.sender, recipients: recipientsOf(message) };
        const client = await openServer(server, raw.size, name);
        return sendOver(client, server, envelope, raw).then(
          (receipt): DeliveryOutcome => ({ kind: "delivered", ...receipt }),
          (error) => failure(error, isFinal(error) ? "refused" : "failed"),
        );
      };
      return Promise.race([send().catch((error) => failure(error)), stopped(stop)]);
    },
  };
}

/** The mail may have been taken by then; it is sent again after the next start. */
const stopped = (stop: AbortSignal) =>
  new Promise<DeliveryOutcome>((resolve) => {
    stop.addEventListener("abort", () => resolve({ kind: "failed", reason: "Mailkeep stopped" }), {
      once: true,
    });
  });

/** What the server says of this mail, and for good. Before that, a wrong password would cost all that come. */
const isFinal = (error: unknown): boolean =>
  error instanceof DeliveryError &&
  (error.failure === "unsendable" || (error.failure === "refused" && !error.reply?.startsWith("4")));
