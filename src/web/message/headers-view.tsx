// Every header field in order, with a filter over names and values.
import { useSignal } from "@preact/signals";
import type { Message } from "../../model/index.ts";
import { headersOf } from "../state/opened.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icon.tsx";
import { MailText } from "../ui/mail-text.tsx";
import { Waiting } from "../ui/waiting.tsx";

export function HeadersView({ message }: { message: Message }) {
  const wanted = useSignal("");
  const loaded = headersOf.of(message.id).value;
  if (loaded.state !== "ready") return <Waiting loaded={loaded} />;
  const word = wanted.value.toLowerCase();
  const shown = loaded.value.filter(({ name, value }) => `${name}: ${value}`.toLowerCase().includes(word));
  const asText = shown.map(({ name, value }) => `${name}: ${value}`).join("\n");
  return (
    <div class="headers-view">
      <div class="view-bar">
        <label class="field-search">
          <Icon name="search" />
          <span class="visually-hidden">Filter header fields</span>
          <input
            type="search"
            placeholder="Filter fields"
            value={wanted.value}
            onInput={(event) => {
              wanted.value = event.currentTarget.value;
            }}
          />
        </label>
        <span class="hint">
          {shown.length} of {loaded.value.length}
        </span>
        <span class="toolbar-gap" />
        <CopyButton text={asText} label="Copy header fields" caption="Copy" />
      </div>
      <table class="header-table">
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ name, value }, index) => (
            <tr key={index}>
              <th scope="row">
                <span class="header-name">{name}</span>
              </th>
              <td dir="auto">
                <MailText text={value} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
