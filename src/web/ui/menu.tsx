// A button that unfolds a list of actions in words. The browser closes it on Escape and on a click elsewhere.
import { useRef } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";

export interface MenuItem {
  readonly icon: IconName;
  readonly label: string;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  readonly run: () => void;
}

export function Menu({ label, items }: { label: string; items: readonly MenuItem[] }) {
  const list = useRef<HTMLDivElement>(null);
  return (
    <>
      <button
        type="button"
        class="icon-button"
        aria-label={label}
        title={label}
        aria-haspopup="true"
        onClick={() => list.current?.togglePopover()}
      >
        <Icon name="more" />
      </button>
      <div ref={list} class="popup menu" popover="auto">
        {items.map(({ icon, label, isDanger, isDisabled = false, run }) => (
          <button
            key={label}
            type="button"
            class={isDanger ? "menu-item is-danger" : "menu-item"}
            disabled={isDisabled}
            onClick={() => {
              list.current?.hidePopover();
              run();
            }}
          >
            <Icon name={icon} />
            {label}
          </button>
        ))}
      </div>
    </>
  );
}
