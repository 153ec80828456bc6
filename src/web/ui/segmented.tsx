// A choice of one among a few, as buttons side by side.
import { Icon, type IconName } from "./icon.tsx";

interface Option {
  readonly label: string;
  readonly icon?: IconName;
}

interface Props<K extends string> {
  name: string;
  class?: string;
  options: Readonly<Record<K, Option>>;
  value: K;
  onChange: (key: K) => void;
}

export function Segmented<K extends string>({ name, class: extra = "", options, value, onChange }: Props<K>) {
  return (
    <div class={`segmented ${extra}`} role="radiogroup" aria-label={name} data-own-arrows>
      {(Object.entries(options) as [K, Option][]).map(([key, { label, icon }]) => (
        <label key={key} class="segment" title={label}>
          <input
            class="visually-hidden"
            type="radio"
            name={name}
            checked={key === value}
            onChange={() => onChange(key)}
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
