// Faults on purpose: the rules by which the SMTP server refuses, delays and drops, how often each was carried out, and a
// form for the usual ones. The API takes more of them.
import { FAULT_STAGES, type FaultStage } from "../../lib/fault-stages.ts";
import type { Fault, FaultRule } from "../../model/index.ts";
import { HOME } from "../api/address.ts";
import { addFault, listFaults, removeFault } from "../api/server.ts";
import { mayMakeFaults } from "../state/access.ts";
import { closeDialog } from "../state/layout.ts";
import { attempt } from "../state/toasts.ts";
import { type Field, Form } from "../ui/form.tsx";
import { Table } from "../ui/table.tsx";
import { useLoaded, Waiting } from "../ui/waiting.tsx";
import { Dialog } from "./dialog.tsx";

const EFFECTS = ["reply", "delay", "throttle", "drop", "rate_limit", "greylist"] as const;
const UNSAID: readonly string[] = ["name", "hits", "times", "expires_at", ...EFFECTS];
const STAGES = Object.fromEntries(FAULT_STAGES.map((stage) => [stage, stage]));
const SPAN = "\\d+(\\.\\d+)?(ms|[smhd])";

const FIELDS: readonly Field[] = [
  {
    name: "name",
    label: "Name",
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
  { name: "drop", label: "Connection", options: { "": "stays", drop: "is dropped" } },
  { name: "times", label: "Times", type: "number", min: 1, placeholder: "always" },
];

export function FaultsDialog() {
  const loaded = useLoaded(listFaults, () => true);
  const add = async (values: Readonly<Record<string, string>>, form: HTMLFormElement) => {
    await addFault(readRule(values));
    form.reset();
    loaded.reload();
  };
  const remove = async (name: string) => {
    await attempt("Not removed", removeFault(name));
    loaded.reload();
  };
  return (
    <Dialog title="Faults on purpose" class="viewer" onClose={closeDialog}>
      <p class="hint">
        The first rule that matches is carried out: refuse, delay or drop what would succeed, to test how your
        code retries. <a href={`${HOME}docs`}>The API</a> takes throttles, rate limits, greylisting and more.
      </p>
      {loaded.state === "ready" ? (
        <Rules rules={loaded.value.rules} onRemove={(name) => void remove(name)} />
      ) : (
        <Waiting loaded={loaded} />
      )}
      {mayMakeFaults() && <Form fields={FIELDS} action="Add rule" onSubmit={add} />}
    </Dialog>
  );
}

function Rules({ rules, onRemove }: { rules: readonly Fault[]; onRemove: (name: string) => void }) {
  if (rules.length === 0) return <p class="view-empty">There are no rules: everything succeeds.</p>;
  const rows = rules.map((rule) => [
    rule.name,
    inWords(rule, (key) => !UNSAID.includes(key)),
    inWords(rule, (key) => EFFECTS.some((effect) => effect === key)),
    `${rule.hits}${rule.times ? ` of ${rule.times}` : ""} ${rule.hits === 1 && !rule.times ? "hit" : "hits"}`,
  ]);
  const removals = rules.map(({ name }) =>
    mayMakeFaults() ? { label: `Remove ${name}`, run: () => onRemove(name) } : undefined,
  );
  return <Table head={["Rule", "When", "What", "Hits"]} showsHead rows={rows} removals={removals} />;
}

function inWords(rule: Fault, isWanted: (key: string) => boolean): string {
  return Object.entries(rule)
    .filter(([key, value]) => isWanted(key) && value !== false)
    .map(([key, value]) => (value === true ? key : `${key} ${valueInWords(value)}`).replace("_", " "))
    .join(", ");
}

const valueInWords = (value: string | number | boolean | NonNullable<Fault["reply"]>): string =>
  typeof value === "object" ? Object.values(value).join(" ") : String(value);

/** What was left empty is not part of the rule. */
function readRule({
  name = "",
  at,
  to,
  from,
  code,
  text,
  delay,
  drop,
  times,
}: Readonly<Record<string, string>>) {
  const rule: FaultRule = {
    name,
    at: at as FaultStage,
    ...(to && { to }),
    ...(from && { from }),
    ...((code || text) && { reply: { code: Number(code || 450), ...(text && { text }) } }),
    ...(delay && { delay }),
    ...(drop && { drop: true }),
    ...(times && { times: Number(times) }),
  };
  return rule;
}
