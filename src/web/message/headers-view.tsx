// Every header field in order.
import type { Message } from "../../model/index.ts";
import { headersOf } from "../state/opened.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { MailText } from "../ui/mail-text.tsx";
import { Table } from "../ui/table.tsx";
import { Waiting } from "../ui/waiting.tsx";

export function HeadersTools({ message }: { message: Message }) {
  const loaded = headersOf.of(message.id).value;
  if (loaded.state !== "ready") return null;
  const lines = loaded.value.headers.map(({ name, value }) => `${name}: ${value}`);
  return <CopyButton text={lines.join("\n")} label="Copy header fields" />;
}

export function HeadersView({ message }: { message: Message }) {
  const loaded = headersOf.of(message.id).value;
  if (loaded.state !== "ready") return <Waiting loaded={loaded} />;
  const rows = loaded.value.headers.map(({ name, value }) => [name, <MailText key={name} text={value} />]);
  return <Table head={["Field", "Value"]} rows={rows} />;
}
