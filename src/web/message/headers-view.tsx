// Every header field in order.
import type { Message } from "../../model/index.ts";
import { headersOf } from "../state/opened.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { MailText } from "../ui/mail-text.tsx";
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
  return (
    <table class="header-table">
      <thead class="visually-hidden">
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody>
        {loaded.value.headers.map(({ name, value }, index) => (
          <tr key={index}>
            <th scope="row">{name}</th>
            <td dir="auto">
              <MailText text={value} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
