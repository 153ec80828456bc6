// All keys at a glance, from the same table that the keys use.
import { ACTION_GROUPS, type Action, isOffered } from "../actions/actions.ts";
import { closeDialog } from "../state/layout.ts";
import { Dialog } from "./dialog.tsx";

const SIGNS: Record<string, string> = {
  ArrowDown: "↓",
  ArrowUp: "↑",
  "Shift+Space": "⇧ Space",
  PageDown: "PgDn",
  PageUp: "PgUp",
  "Ctrl+a": "Ctrl A",
  "Ctrl+z": "Ctrl Z",
  Escape: "Esc",
  Delete: "Del",
};

export function ShortcutsDialog() {
  return (
    <Dialog title="Keyboard" class="dialog-wide" onClose={closeDialog}>
      <div class="shortcuts">
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
      <p class="hint">
        With the mouse, Shift-click selects a range and Ctrl-click (⌘ on a Mac) single messages. After a click
        into an HTML mail the arrows, Space and Enter act in it; a click beside it takes them back.
      </p>
    </Dialog>
  );
}

function Keys({ name }: { name: string }) {
  return (
    <span class="row">
      {(SIGNS[name] ?? name).split(" ").map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  );
}
