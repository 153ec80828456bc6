// A setting that is on or off, as a button.
import type { Signal } from "@preact/signals";
import { Icon, type IconName } from "./icon.tsx";

interface Props {
  label: string;
  hint: string;
  icon?: IconName;
  setting: Signal<boolean>;
}

export function Toggle({ label, hint, icon, setting }: Props) {
  return (
    <button
      type="button"
      class="button button-quiet"
      title={hint}
      aria-pressed={setting.value}
      onClick={() => (setting.value = !setting.peek())}
    >
      {icon && <Icon name={icon} />}
      {label}
    </button>
  );
}
