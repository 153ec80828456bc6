// A button for one of the actions, with its icon, its name and its key.
import type { MessageSummary } from "../../model/index.ts";
import { IconButton } from "../ui/index.ts";
import { ACTIONS, type Action, type ActionName, iconOf, isOffered } from "./actions.ts";

interface Props {
  name: ActionName;
  on?: readonly string[];
  class?: string;
  "aria-pressed"?: boolean;
  disabled?: boolean;
  tabIndex?: number | undefined;
}

export function ActionButton({ name, on = [], ...rest }: Props) {
  const action: Action = ACTIONS[name];
  if (!isOffered(action)) return null;
  return (
    <IconButton
      icon={iconOf(action, on)}
      label={action.label?.(on) ?? action.does}
      hotkey={action.keys[0]}
      onClick={() => action.run(on)}
      {...rest}
    />
  );
}

export function StarButton({ mail, tabIndex }: { mail: MessageSummary; tabIndex?: number }) {
  return (
    <ActionButton
      name="star"
      on={[mail.id]}
      class={mail.is_starred ? "is-starred" : ""}
      aria-pressed={mail.is_starred}
      tabIndex={tabIndex}
    />
  );
}
