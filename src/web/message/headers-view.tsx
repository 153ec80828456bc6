// Every header field in order, with a filter over names and values.
import { effect, signal } from "@preact/signals";
import type { Message, MessageHeader } from "../../model/index.ts";
import { headersOf } from "../state/opened.ts";
import { openedId } from "../state/route.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icon.tsx";
import { MailText } from "../ui/mail-text.tsx";
import { Waiting } from "../ui/waiting.tsx";

const wanted = signal("");
effect(() => {
  openedId.value;
  wanted.value = "";
});

const matching = (headers: readonly MessageHeader[]) =>
  headers.filter(({ name, value }) => `${name}: ${value}`.toLowerCase().includes(wanted.value.toLowerCase()));

export function HeadersTools({ message }: { message: Message }) {
  const loaded = headersOf.of(message.id).value;
  if (loaded.state !== "ready") return null;
  const { headers } = loaded.value;
  const shown = matching(headers);
  return (
    <>
      <label class="row field-search">
        <Icon name="search" />
        <span class="visually-hidden">Filter header fields</span>
        <input
          type="search"
          placeholder="Filter fields"
          value={wanted.value}
          onInput={(event) => (wanted.value = event.currentTarget.value)}
        />
      </label>
      <span class="hint">
        {shown.length} of {headers.length}
      </span>
      <CopyButton
        text={shown.map(({ name, value }) => `${name}: ${value}`).join("\n")}
        label="Copy header fields"
      />
    </>
  );
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
        {matching(loaded.value.headers).map(({ name, value }, index) => (
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
