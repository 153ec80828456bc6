// What a person can choose for this browser.
import type { ComponentChildren } from "preact";
import { SmtpAddress } from "../header/top-bar.tsx";
import { HOME } from "../state/address.ts";
import { closeDialog } from "../state/layout.ts";
import { canNotify, enableNotifications } from "../state/notifications.ts";
import { service } from "../state/service.ts";
import { density, notifications, readOnOpen, theme } from "../state/settings.ts";
import { Segmented } from "../ui/segmented.tsx";
import { Dialog } from "./dialog.tsx";

const THEMES = { system: { label: "System" }, light: { label: "Light" }, dark: { label: "Dark" } };
const DENSITIES = { comfortable: { label: "Comfortable" }, compact: { label: "Compact" } };

export function SettingsDialog() {
  return (
    <Dialog title="Settings" onClose={closeDialog}>
      <Setting name="Theme">
        <Segmented
          name="Theme"
          options={THEMES}
          value={theme.value}
          onChange={(key) => (theme.value = key)}
        />
      </Setting>
      <Setting name="List density">
        <Segmented
          name="List density"
          options={DENSITIES}
          value={density.value}
          onChange={(key) => (density.value = key)}
        />
      </Setting>
      <Switch
        name="Mark as read when opened"
        isOn={readOnOpen.value}
        onChange={(isOn) => (readOnOpen.value = isOn)}
      />
      <Switch
        name="Desktop notifications"
        note={
          canNotify()
            ? "For mail that arrives while this page is in the background"
            : "Not available on this page"
        }
        isOn={notifications.value}
        isDisabled={!canNotify()}
        onChange={(isOn) => void enableNotifications(isOn)}
      />
      <Setting name="Send mail to">
        <SmtpAddress />
      </Setting>
      <footer class="dialog-foot">
        <span>Mailkeep {service.value?.version}</span>
        <a href={`${HOME}docs`}>API documentation</a>
      </footer>
    </Dialog>
  );
}

function Setting({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="setting">
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
    <label class="setting">
      <span class="setting-name">
        {name}
        {note && <small>{note}</small>}
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
