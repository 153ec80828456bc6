// Two dialogs: the fault rules, with a form for common rules, and the mail that the server refused.

import { useSignal } from "@preact/signals";
import { FAULT_STAGES, type FaultStage } from "../../lib/smtp.ts";
import type { Fault, FaultRule, Rejection } from "../../model/index.ts";
import * as api from "../api/index.ts";
import { closeDialog } from "../state/layout.ts";
import { mayMakeFaults } from "../state/service.ts";
import { attempt } from "../state/toasts.ts";
import { type Field, MailText, Moment, Ready, Session, useLoaded, type Values } from "../ui/index.ts";
import { Dialog } from "./dialog.tsx";
import { Panel } from "./panel.tsx";

const EFFECTS = ["reply", "delay", "throttle", "drop", "rate_limit", "greylist"] as const;
const UNSAID: readonly string[] = ["name", "hits", "times", "expires_at", ...EFFECTS];
const STAGES = Object.fromEntries(FAULT_STAGES.map((stage) => [stage, stage]));
const SPAN = "\\d+(\\.\\d+)?(ms|[smhd])";

const FIELDS: readonly Field[] = [
  {
    name: "name",
    label: "Name",
    isWide: true,
    required: true,
    autofocus: true,
    pattern: "[A-Za-z0-9][A-Za-z0-9._\\-]{0,63}",
    title: "Letters, digits, dots, dashes and underscores",
  },
  { name: "at", label: "At", options: STAGES, defaultValue: "rcpt" },
  { name: "to", label: "Recipient", isWide: true, placeholder: "*@example.com" },
  { name: "from", label: "Sender", isWide: true, placeholder: "anyone" },
  { name: "code", label: "Reply", type: "number", min: 400, max: 599, placeholder: "450" },
  { name: "text", label: "Text of the reply", isWide: true, placeholder: "Mailbox full" },
  { name: "delay", label: "Delay", placeholder: "2s", pattern: SPAN, title: "Such as 500ms, 2s or 10m" },
  { name: "drop", label: "Connection", options: { "": "stays open", drop: "is dropped" } },
  { name: "times", label: "Times", type: "number", min: 1, placeholder: "always" },
];

export function FaultsDialog() {
  const list = useLoaded(api.listFaults, () => true);
  const add = async (values: Values, form: HTMLFormElement) => {
    const { code, text, delay, drop } = values;
    if (!(code || text || delay || drop)) throw new Error("Give a reply or a delay, or drop the connection.");
    await api.addFault(readRule(values));
    form.reset();
    list.reload();
  };
  const remove = async (name: string) => {
    await attempt("Not removed", api.removeFault(name));
    list.reload();
  };
  return (
    <Panel
      title="Faults on purpose"
      hint={
        <>
          Refuse, delay or drop mail that would succeed, to test how your code retries. Only the first rule
          that matches applies. <a href={`${api.HOME}docs`}>The API</a> can do more, such as rate limits and
          greylisting.
        </>
      }
      form={mayMakeFaults() && { fields: FIELDS, action: "Add rule", onSubmit: add }}
      list={list}
      empty="No rules. All mail is accepted."
      head={["Rule", "When", "What", "Hits"]}
      row={(rule) => [
        rule.name,
        inWords(rule, (key) => !UNSAID.includes(key)),
        inWords(rule, (key) => EFFECTS.some((effect) => effect === key)),
        rule.times ? `${rule.hits} of ${rule.times} hits` : rule.hits === 1 ? "1 hit" : `${rule.hits} hits`,
      ]}
      remove={({ name }) =>
        mayMakeFaults() ? { label: `Remove ${name}`, run: () => void remove(name) } : undefined
      }
    />
  );
}

function inWords(rule: Fault, isWanted: (key: string) => boolean): string {
  return Object.entries(rule)
    .filter(([key, value]) => isWanted(key) && value !== false)
    .map(([key, value]) => (value === true ? key : `${key} ${valueInWords(value)}`).replace("_", " "))
    .join(", ");
}

const valueInWords = (value: string | number | boolean | NonNullable<Fault["reply"]>): string =>
  typeof value === "object" ? Object.values(value).join(" ") : String(value);

function readRule({ name = "", at, code, text, drop, times, ...rest }: Values): FaultRule {
  return {
    name,
    at: at as FaultStage,
    ...rest,
    ...((code || text) && { reply: { code: Number(code ?? 450), ...(text && { text }) } }),
    ...(drop && { drop: true }),
    ...(times && { times: Number(times) }),
  };
}

export function RejectionsDialog() {
  const loaded = useLoaded(api.listRejections, () => true);
  return (
    <Dialog title="Refused mail" class="viewer" onClose={closeDialog}>
      <p class="hint">All 4xx and 5xx replies of the SMTP server, and all dropped connections.</p>
      <Ready of={loaded}>
        {({ rejections, total }) => (
          <ul class="stack">
            {total === 0 && <li class="view-empty">Nothing was refused.</li>}
            {rejections.map((rejection) => (
              <Refused key={rejection.id} rejection={rejection} />
            ))}
            {total > rejections.length && (
              <li class="hint">
                The newest {rejections.length} of {total.toLocaleString()}.
              </li>
            )}
          </ul>
        )}
      </Ready>
    </Dialog>
  );
}

function Refused({ rejection: { id, at, stage, reply, sender, recipients } }: { rejection: Rejection }) {
  const isOpen = useSignal(false);
  return (
    <li class="card">
      <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary>
          <span class="pill pill-bad">{stage}</span> <MailText text={reply || "The connection was dropped"} />{" "}
          <Moment iso={at} />
          <p class="hint">
            <MailText text={sender || "<>"} /> → <MailText text={recipients.join(", ") || "nobody yet"} />
          </p>
        </summary>
        {isOpen.value && <RefusedSession id={id} />}
      </details>
    </li>
  );
}

function RefusedSession({ id }: { id: string }) {
  const loaded = useLoaded((unwanted) => api.getRejectionTranscript(id, unwanted));
  return <Ready of={loaded}>{(transcript) => <Session transcript={transcript} />}</Ready>;
}
