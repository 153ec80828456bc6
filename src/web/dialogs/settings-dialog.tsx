// What a person can choose for this browser.
import type { ComponentChildren } from "preact";
import { HOME } from "../api/address.ts";
import { SmtpAddress } from "../header/top-bar.tsx";
import { me, signOut } from "../state/access.ts";
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
      <Choice name="Desktop notifications" note={notice} options={ON_OFF} setting={wishedNotifications} />
      <WhoAmI />
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

function WhoAmI() {
  if (!me.value?.name) return null;
  const { name, role, inboxes, sign_in } = me.value;
  const note = `${role}, ${inboxes ? `inboxes ${inboxes.join(", ")}` : "all mail"}`;
  return (
    <Setting name={`Signed in as ${name}`} note={note}>
      {sign_in.oidc ? (
        <button type="button" class="button" onClick={() => void signOut()}>
          Sign out
        </button>
      ) : (
        <span class="hint">until the browser is closed</span>
      )}
    </Setting>
  );
}

const wishedNotifications = {
  get value() {
    return notifications.value;
  },
  set value(key) {
    void enableNotifications(key === "on");
  },
};

interface ChoiceProps<K extends string> {
  name: string;
  note?: string;
  options: Readonly<Record<K, { readonly label: string }>>;
  setting: { value: K };
}

function Choice<K extends string>({ name, note = "", ...choice }: ChoiceProps<K>) {
  return (
    <Setting name={name} note={note}>
      <Segmented name={name} {...choice} />
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
