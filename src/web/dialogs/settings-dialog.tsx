// What a person can choose for this browser.
import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { HOME } from "../api/address.ts";
import { SmtpAddress } from "../header/top-bar.tsx";
import { closeDialog } from "../state/layout.ts";
import { canNotify, enableNotifications } from "../state/notifications.ts";
import { service } from "../state/service.ts";
import { density, notifications, readOnOpen, remoteImages, theme } from "../state/settings.ts";
import { Segmented } from "../ui/choices.tsx";
import { Dialog } from "./dialog.tsx";

const THEMES = { system: { label: "System" }, light: { label: "Light" }, dark: { label: "Dark" } };
const DENSITIES = { comfortable: { label: "Comfortable" }, compact: { label: "Compact" } };
const ON_OFF = { on: { label: "On" }, off: { label: "Off" } };
const REMOTE = { ask: { label: "Ask" }, always: { label: "Always" } };

export function SettingsDialog() {
  const notice = canNotify()
    ? "For mail that arrives while this page is in the background"
    : "Not available on this page";
  return (
    <Dialog title="Settings" onClose={closeDialog}>
      <Choice name="Theme" options={THEMES} setting={theme} />
      <Choice name="List density" options={DENSITIES} setting={density} />
      <Choice name="Load remote images" options={REMOTE} setting={remoteImages} />
      <Choice name="Mark as read when opened" options={ON_OFF} setting={readOnOpen} />
      <Setting name="Desktop notifications" note={notice}>
        <Segmented
          name="Desktop notifications"
          options={ON_OFF}
          value={notifications.value}
          onChange={(key) => void enableNotifications(key === "on")}
        />
      </Setting>
      <Setting name="Send mail to">
        <SmtpAddress />
      </Setting>
      <footer class="row wrap spread hint">
        <span>Mailkeep {service.value?.version}</span>
        <a href={`${HOME}docs`}>API documentation</a>
      </footer>
    </Dialog>
  );
}

interface ChoiceProps<K extends string> {
  name: string;
  options: Readonly<Record<K, { readonly label: string }>>;
  setting: Signal<K>;
}

function Choice<K extends string>({ name, options, setting }: ChoiceProps<K>) {
  return (
    <Setting name={name}>
      <Segmented
        name={name}
        options={options}
        value={setting.value}
        onChange={(key) => (setting.value = key)}
      />
    </Setting>
  );
}

function Setting({ name, note, children }: { name: string; note?: string; children: ComponentChildren }) {
  return (
    <div class="row wrap spread">
      <div class="setting-name">
        {name}
        {note && <p class="hint">{note}</p>}
      </div>
      {children}
    </div>
  );
}
