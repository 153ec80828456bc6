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
        const client = await openServer(server, raw.size, name);
        const {
          deferred,
          reason = `refused for now: ${deferred.join(", ")}`,
          ...answer
        } = await sendOver(client, server, envelope, raw).then(
          (receipt) => ({ ...receipt, reason: undefined }),
          (error) => ({
            accepted: [],
            rejected: envelope.recipients,
            deferred: deferredBy(error) ?? envelope.recipients,
            reason: reasonOf(error),
          }),
        );
        const accepted = [...(earlier?.accepted ?? []), ...answer.accepted];
        const refused = answer.rejected.filter((recipient) => !deferred.includes(recipient));
        const rejected = [...(earlier?.rejected ?? []), ...refused];
        if (deferred.length > 0) return { kind: "deferred", reason, accepted, rejected, deferred };
        if (accepted.length === 0) return { kind: "refused", reason };
        return { kind: "delivered", ...answer, accepted, rejected };
      };
      const failed = (error: unknown): DeliveryOutcome => ({ kind: "failed", reason: reasonOf(error) });
      return Promise.race([send().catch(failed), stopped(stop)]);
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

/** Recipients for whom another try may go better: nobody, if the server refused the mail for good; null for all. */
function deferredBy(error: unknown): readonly string[] | null {
  if (!(error instanceof DeliveryError)) return null;
  const { failure, reply, deferred } = error;
  if (deferred !== null) return deferred;
  return failure === "unsendable" || (failure === "refused" && !reply?.startsWith("4")) ? [] : null;
}
