// A button for an action of the table, with its icon, its name and its key.
import { IconButton } from "../ui/icon-button.tsx";
import { ACTIONS, type Action, type ActionName, isOffered } from "./actions.ts";

const KEY_NAMES: Record<string, string> = { Escape: "Esc" };

interface Props {
  name: ActionName;
  on?: readonly string[];
  class?: string;
  filled?: boolean;
  pressed?: boolean;
  tabIndex?: number;
}

export function ActionButton({ name, on = [], pressed, ...rest }: Props) {
  const action: Action = ACTIONS[name];
  const [key] = action.keys;
  if (!isOffered(action)) return null;
  return (
    <IconButton
      icon={action.icon?.(on) ?? "info"}
      label={action.label?.(on) ?? action.does}
      {...(key && { hotkey: KEY_NAMES[key] ?? key })}
      {...(pressed !== undefined && { "aria-pressed": pressed })}
      onClick={() => action.run(on)}
      {...rest}
    />
  );
}
