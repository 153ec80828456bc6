// The settings that this browser keeps, and a list of the keyboard shortcuts.
import type { ComponentChildren } from "preact";
import { ACTION_GROUPS, type Action, isOffered } from "../actions/actions.ts";
import { closeDialog } from "../state/layout.ts";
import { canNotify } from "../state/notifications.ts";
import { me, signOut } from "../state/service.ts";
import { density, notifications, readOnOpen, remoteImages, theme } from "../state/settings.ts";
import { Button, type ChoiceProps, Segmented } from "../ui/index.ts";
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
      <Choice name="Desktop notifications" note={notice} options={ON_OFF} setting={notifications} />
      <WhoAmI />
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
        <Button label="Sign out" onClick={() => void signOut()} />
      ) : (
        <span class="hint">until the browser is closed</span>
      )}
    </Setting>
  );
}

function Choice<K extends string>({ note, ...choice }: ChoiceProps<K> & { note?: string }) {
  return (
    <Setting name={choice.name} note={note}>
      <Segmented {...choice} />
    </Setting>
  );
}

interface SettingProps {
  name: string;
  note?: string | undefined;
  children: ComponentChildren;
}

function Setting({ name, note, children }: SettingProps) {
  return (
    <div class="row wrap spread">
      <div class="grow">
        {name}
        {note && <p class="hint">{note}</p>}
      </div>
      {children}
    </div>
  );
}

const SIGNS: Record<string, string> = { ArrowDown: "↓", ArrowUp: "↑", Escape: "Esc", Delete: "Del" };

export function ShortcutsDialog() {
  return (
    <Dialog title="Keyboard" class="dialog-wide" onClose={closeDialog}>
      <div class="small shortcuts">
        {Object.entries<Record<string, Action>>(ACTION_GROUPS).map(([group, actions]) => (
          <section key={group}>
            <h3 class="label">{group}</h3>
            <dl>
              {Object.values(actions)
                .filter(isOffered)
                .map(({ keys, does }) => (
                  <div key={does} class="row spread">
                    <dt>{does}</dt>
                    <dd class="row wrap end">
                      {(keys.length > 3 ? [`${keys[0]} … ${keys.at(-1)}`] : keys).map((key) => (
                        <Keys key={key} name={key} />
                      ))}
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function Keys({ name }: { name: string }) {
  return (
    <span class="row">
      {name.split("+").map((key) => (
        <kbd key={key}>{SIGNS[key] ?? key}</kbd>
      ))}
    </span>
  );
}
