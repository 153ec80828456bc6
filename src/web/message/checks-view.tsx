// The findings of the checks, by check and by mail client, with a link to each place in the HTML.

import type { Check, CheckFinding, Message } from "../../model/index.ts";
import { checksOf } from "../state/opened.ts";
import { Button, Icon, type IconName, MailText, Table, Waiting } from "../ui/index.ts";
import { showLine } from "./source-view.tsx";
import { Linked } from "./text-view.tsx";

const TITLES: Record<Check["name"], string> = {
  html: "HTML and CSS",
  links: "Links",
  auth: "Authentication",
  content: "Content",
  accessibility: "Accessibility",
  spam: "Spam",
};
const TONES = { pass: "good", warn: "warn", fail: "bad", off: "info" } as const;
const SIGNS: Record<CheckFinding["severity"], { tone: string; icon: IconName }> = {
  error: { tone: "bad", icon: "warning" },
  warning: { tone: "warn", icon: "warning" },
  info: { tone: "info", icon: "info" },
};

export function ChecksView({ message }: { message: Message }) {
  const loaded = checksOf.of(message.id).value;
  if (loaded.state !== "ready") return <Waiting loaded={loaded} />;
  return (
    <div class="stack checks-view">
      {loaded.value.checks.map((check) => (
        <section key={check.name} class="stack card">
          <h3>
            {TITLES[check.name]}{" "}
            <span class={`pill pill-${TONES[check.status]}`}>
              {check.score === null ? check.status : `${check.status} ${check.score}`}
            </span>
          </h3>
          <p class="hint">{check.summary}</p>
          <Findings check={check} message={message} />
          {check.name === "html" && <Clients findings={check.findings} />}
        </section>
      ))}
    </div>
  );
}

/** Notes are folded, because they are many and rarely matter. */
function Findings({ check, message }: { check: Check; message: Message }) {
  const notes = check.findings.filter(({ severity }) => severity === "info");
  const list = (findings: readonly CheckFinding[]) => (
    <ul class="stack">
      {findings.map((finding, index) => (
        <Finding key={index} finding={finding} message={message} />
      ))}
    </ul>
  );
  return (
    <>
      {check.findings.length > notes.length && list(check.findings.filter((one) => !notes.includes(one)))}
      {notes.length > 0 && (
        <details>
          <summary>{notes.length === 1 ? "1 note" : `${notes.length} notes`}</summary>
          {list(notes)}
        </details>
      )}
    </>
  );
}

function Finding({ finding, message }: { finding: CheckFinding; message: Message }) {
  const { where } = finding;
  const { tone, icon } = SIGNS[finding.severity];
  return (
    <li class="row finding">
      <span class={`pill pill-${tone}`} title={finding.severity}>
        <Icon name={icon} />
      </span>
      <div>
        <MailText as="strong" text={finding.message} />{" "}
        {where && "line" in where && (
          <Button
            class="link-button"
            label={`line ${where.line}`}
            onClick={() => showLine(message, "html", where.line, where.column)}
          />
        )}
        {where && "header" in where && <code>{where.header}</code>}
        <p class="hint">
          <Linked text={finding.help} />
        </p>
      </div>
    </li>
  );
}

function Clients({ findings }: { findings: readonly CheckFinding[] }) {
  const lacks = findings.flatMap(({ rule, clients = [] }) => clients.map((client) => ({ client, rule })));
  if (lacks.length === 0) return null;
  const rows = [...Map.groupBy(lacks, ({ client }) => client)]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([client, lacks]) => [client, lacks.map(({ rule }) => rule).join(", ")]);
  return <Table head={["Client", "Does not support"]} showsHead rows={rows} />;
}
