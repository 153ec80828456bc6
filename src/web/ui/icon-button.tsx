// A button that is an icon; its label is its name for screen readers and its hint on hover.
import type { JSX } from "preact";
import { Icon, type IconName } from "./icon.tsx";

type Props = Omit<JSX.IntrinsicElements["button"], "label" | "icon"> & {
  icon: IconName;
  label: string;
  /** The key that does the same, shown in the hint. */
  hotkey?: string;
  filled?: boolean;
};

export function IconButton({ icon, label, hotkey, filled = false, class: extra, ...rest }: Props) {
  const hint = hotkey ? `${label} (${hotkey})` : label;
  return (
    <button type="button" class={`icon-button ${extra ?? ""}`} aria-label={label} title={hint} {...rest}>
      <Icon name={icon} filled={filled} />
    </button>
  );
}
