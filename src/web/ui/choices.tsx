// A choice of one among a few, as buttons side by side, and a setting that is on or off, as one button.
import type { Signal } from "@preact/signals";
import { Icon, type IconName } from "./icon.tsx";

interface Option {
  readonly label: string;
  readonly icon?: IconName;
}

interface SegmentedProps<K extends string> {
  name: string;
  class?: string;
  options: Readonly<Record<K, Option>>;
  setting: { value: K };
}

export function Segmented<K extends string>({
  name,
  class: extra = "",
  options,
  setting,
}: SegmentedProps<K>) {
  return (
    <div class={`segmented ${extra}`} role="radiogroup" aria-label={name} data-own-arrows>
      {(Object.entries(options) as [K, Option][]).map(([key, { label, icon }]) => (
        <label key={key} class="segment" title={label}>
          <input
            class="visually-hidden"
            type="radio"
            name={name}
            checked={key === setting.value}
            onChange={() => (setting.value = key)}
          />
          {icon ? (
            <>
              <Icon name={icon} />
              <span class="visually-hidden">{label}</span>
            </>
          ) : (
            label
          )}
        </label>
      ))}
    </div>
  );
}

interface ToggleProps {
  label: string;
  hint: string;
  icon?: IconName;
  setting: Signal<boolean>;
}

export function Toggle({ label, hint, icon, setting }: ToggleProps) {
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
