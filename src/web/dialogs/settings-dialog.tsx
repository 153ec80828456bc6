// What a person can choose for this browser.
import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { SmtpAddress } from "../header/top-bar.tsx";
import { HOME } from "../state/address.ts";
import { closeDialog } from "../state/layout.ts";
import { canNotify, enableNotifications } from "../state/notifications.ts";
import { service } from "../state/service.ts";
import { density, notifications, readOnOpen, remoteImages, theme } from "../state/settings.ts";
import { Segmented } from "../ui/segmented.tsx";
import { Dialog } from "./dialog.tsx";

const THEMES = { system: { label: "System" }, light: { label: "Light" }, dark: { label: "Dark" } };
const DENSITIES = { comfortable: { label: "Comfortable" }, compact: { label: "Compact" } };
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
      <Switch
        name="Mark as read when opened"
        isOn={readOnOpen.value}
        onChange={(isOn) => (readOnOpen.value = isOn)}
      />
      <Switch
        name="Desktop notifications"
        note={notice}
        isOn={notifications.value}
        isDisabled={!canNotify()}
        onChange={(isOn) => void enableNotifications(isOn)}
      />
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

function Setting({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="row wrap spread">
      <span class="setting-name">{name}</span>
      {children}
    </div>
  );
}

interface SwitchProps {
  name: string;
  note?: string;
  isOn: boolean;
  isDisabled?: boolean;
  onChange: (isOn: boolean) => void;
}

function Switch({ name, note, isOn, isDisabled = false, onChange }: SwitchProps) {
  return (
    <label class="row wrap spread">
      <span class="setting-name">
        {name}
        {note && <small class="hint">{note}</small>}
      </span>
      <input
        type="checkbox"
        role="switch"
        class="switch"
        checked={isOn}
        aria-checked={isOn}
        disabled={isDisabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </label>
  );
}
