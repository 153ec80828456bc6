// The page's buttons, and its icons: strokes on a grid of 20 by 20, in the colour of the text.

import { type Signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { MARK_BODY, MARK_FLAP, MARK_WALL } from "../format/favicon.ts";
import { complain } from "../state/toasts.ts";

const PATHS = {
  search: "M9 3.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM13 13l3.8 3.8",
  close: "M5 5l10 10M15 5L5 15",
  check: "M4 10.5l4 4 8-9",
  all: "M1.5 10.5l4 4 7.5-9M9.5 13.5l1 1 8-9",
  star: "M10 2.8l2.2 4.6 5 .7-3.6 3.6.9 5.1-4.5-2.4-4.5 2.4.9-5.1L2.8 8.1l5-.7z",
  clip: "M14.5 9.2l-5.2 5.2a3 3 0 0 1-4.3-4.3l6-6a2 2 0 0 1 2.9 2.9l-5.9 5.9a1 1 0 0 1-1.5-1.4l5-5",
  trash:
    "M3.5 5.5h13M8 5.5V3.5h4v2M5 5.5l.7 10.6a1 1 0 0 0 1 .9h6.6a1 1 0 0 0 1-.9L15 5.5M8.3 8.7v5M11.7 8.7v5",
  settings:
    "M3 5.5h8M15 5.5h2M3 10h2M9 10h8M3 14.5h6.5M13.5 14.5H17M11 5.5a2 2 0 1 0 4 0 2 2 0 1 0-4 0M5 10a2 2 0 1 0 4 0 2 2 0 1 0-4 0M9.5 14.5a2 2 0 1 0 4 0 2 2 0 1 0-4 0",
  keyboard: "M2.5 5.5h15v9h-15zM5.5 8.5h0M8.5 8.5h0M11.5 8.5h0M14.5 8.5h0M6.5 11.8h7",
  copy: "M7 7V4a1 1 0 0 1 1-1h8a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1h-3M4 7h8a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1z",
  back: "M12 4l-6 6 6 6",
  up: "M5 12.5l5-5 5 5",
  down: "M5 7.5l5 5 5-5",
  unread:
    "M3 5.5A1.5 1.5 0 0 1 4.5 4H11M17 9.5v5a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 3 14.5v-9M3.3 6l6.7 5 2.8-2.1",
  read: "M3 8.3v6.2A1.5 1.5 0 0 0 4.5 16h11a1.5 1.5 0 0 0 1.5-1.5V8.3M3 8.3L10 3.5l7 4.8-7 4.7z",
  download: "M10 3v9M6 8.5l4 4 4-4M3.5 14v1.5A1.5 1.5 0 0 0 5 17h10a1.5 1.5 0 0 0 1.5-1.5V14",
  send: "M17 3L8.5 11.5M17 3l-5 14-3.5-5.5L3 8z",
  tag: "M3 4v5.2a1.5 1.5 0 0 0 .4 1l6.1 6.2a1.5 1.5 0 0 0 2.1 0l4.8-4.8a1.5 1.5 0 0 0 0-2.1L10.2 3.4a1.5 1.5 0 0 0-1-.4H4a1 1 0 0 0-1 1zM6.5 6.5h0",
  person: "M10 3.5a3.2 3.2 0 1 0 0 6.4 3.2 3.2 0 0 0 0-6.4zM3.8 16.5a6.2 5.2 0 0 1 12.4 0",
  phone: "M6.5 2.5h7a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1v-13a1 1 0 0 1 1-1zM9 15h2",
  tablet: "M4.5 2.5h11a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1v-13a1 1 0 0 1 1-1zM9 15h2",
  desktop:
    "M3 4h14a.5.5 0 0 1 .5.5v8a.5.5 0 0 1-.5.5H3a.5.5 0 0 1-.5-.5v-8A.5.5 0 0 1 3 4zM10 13v3.5M6.5 16.5h7",
  sun: "M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.3 4.3l1.1 1.1M14.6 14.6l1.1 1.1M4.3 15.7l1.1-1.1M14.6 5.4l1.1-1.1",
  moon: "M16.5 11.8A7 7 0 0 1 8.2 3.5a6.8 6.8 0 1 0 8.3 8.3z",
  image:
    "M3.5 4h13a.5.5 0 0 1 .5.5v11a.5.5 0 0 1-.5.5h-13a.5.5 0 0 1-.5-.5v-11a.5.5 0 0 1 .5-.5zM3 13.5l4-4 4 4 2.5-2.5 3.5 3.5M12.5 7.5h0",
  open: "M8 4H4.5a1 1 0 0 0-1 1v10.5a1 1 0 0 0 1 1H15a1 1 0 0 0 1-1V12M11.5 3.5h5v5M16.5 3.5L9.5 10.5",
  menu: "M3.5 5.5h13M3.5 10h13M3.5 14.5h13",
  more: "M10 5h0M10 10h0M10 15h0",
  bolt: "M11 2.5L4.5 11.5H9.5L8.5 17.5L15.5 8.5H10.5z",
  key: "M12.5 3.5a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM9.7 10.3L3.5 16.5M6 14l2 2",
  inbox: "M3.5 11.5L5 4.5h10l1.5 7v4a.5.5 0 0 1-.5.5H4a.5.5 0 0 1-.5-.5zM3.5 11.5H7a3 3 0 0 0 6 0h3.5",
  width: "M3 4v12M17 4v12M6 10h8M8 7.5L5.5 10 8 12.5M12 7.5l2.5 2.5-2.5 2.5",
  columns: "M3.5 4.5h5v11h-5zM11.5 4.5h5v11h-5z",
  runs: "M3.5 4.5h13M6.5 7.5h10M3.5 11.5h13M6.5 14.5h10",
  contrast: "M10 3a7 7 0 1 0 0 14zM10 3a7 7 0 0 1 0 14",
  camera: "M3 6.5h3.5L8 4.5h4l1.5 2H17v9H3zM10 8.3a2.6 2.6 0 1 0 0 5.2 2.6 2.6 0 0 0 0-5.2z",
  file: "M5 2.5h6.5L16 7v10a.5.5 0 0 1-.5.5h-10A.5.5 0 0 1 5 17zM11.5 2.5V7H16",
  warning: "M10 3l7.5 13.5h-15zM10 8v4M10 14.3h0",
  info: "M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zM10 9v5M10 6.3h0",
  offline:
    "M3 3l14 14M5.5 9.5A7 7 0 0 1 8 8M12.5 8.2a7 7 0 0 1 2 1.3M2.5 6.8A11 11 0 0 1 5.5 5M9 4a11 11 0 0 1 8.5 2.8M8 12.3a3.5 3.5 0 0 1 3.3-.2M10 15.5h0",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="fixed icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Logo() {
  return (
    <svg class="fixed logo" viewBox="0 0 32 32" aria-hidden="true">
      <path d={`${MARK_WALL}z`} />
      <path d={MARK_BODY} />
      <path d={MARK_FLAP} class="logo-flap" />
    </svg>
  );
}

type ButtonAttributes = Omit<JSX.IntrinsicElements["button"], "label" | "icon">;

export function Button({ label, icon, ...rest }: ButtonAttributes & { label: string; icon?: IconName }) {
  return (
    <button type="button" class="button" {...rest}>
      {icon && <Icon name={icon} />}
      {label}
    </button>
  );
}

type IconButtonProps = ButtonAttributes & {
  icon: IconName;
  label: string;
  hotkey?: string | undefined;
};

export function IconButton({ icon, label, hotkey, class: extra, ...rest }: IconButtonProps) {
  const hint = hotkey ? `${label} (${hotkey})` : label;
  return (
    <button type="button" class={`icon-button ${extra ?? ""}`} aria-label={label} title={hint} {...rest}>
      <Icon name={icon} />
    </button>
  );
}

interface DownloadProps {
  href: string;
  name: string;
  label?: string;
  caption?: string;
}

export function Download({ href, name, label, caption }: DownloadProps) {
  const look = caption ? "button" : "icon-button";
  return (
    <a class={look} href={href} download={name} aria-label={label} title={label}>
      <Icon name="download" />
      {caption}
    </a>
  );
}

interface Option {
  readonly label?: string;
  readonly icon?: IconName;
}

export interface ChoiceProps<K extends string> {
  name: string;
  class?: string;
  options: Readonly<Record<K, Option>>;
  setting: { value: K };
}

export function Segmented<K extends string>({ name, class: extra, options, setting }: ChoiceProps<K>) {
  return (
    <div class={`segmented ${extra ?? ""}`} role="radiogroup" aria-label={name} data-own-arrows>
      {(Object.entries(options) as [K, Option][]).map(([key, { label = key, icon }]) => (
        <label key={key} class="small segment" title={label}>
          <input
            class="visually-hidden"
            type="radio"
            name={name}
            checked={key === setting.value}
            onChange={() => (setting.value = key)}
          />
          {icon && <Icon name={icon} />}
          <span class={icon && "visually-hidden"}>{label}</span>
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
    <Button
      class="button button-quiet"
      label={label}
      {...(icon && { icon })}
      title={hint}
      aria-pressed={setting.value}
      onClick={() => (setting.value = !setting.peek())}
    />
  );
}

const SAID_MS = 1500;

interface Props {
  text: string | (() => Promise<string>);
  label: string;
  tabIndex?: number;
}

export function CopyButton({ text, label, tabIndex }: Props) {
  const isCopied = useSignal(false);
  const copy = async (button: HTMLElement) => {
    const isDone = await copyText(typeof text === "string" ? text : text(), button).catch(() => false);
    if (!isDone) return complain("Copying is not allowed here; select the text instead");
    isCopied.value = true;
    setTimeout(() => {
      isCopied.value = false;
    }, SAID_MS);
  };
  return (
    <IconButton
      icon={isCopied.value ? "check" : "copy"}
      label={label}
      aria-label={isCopied.value ? "Copied" : label}
      tabIndex={tabIndex}
      onClick={(event) => void copy(event.currentTarget)}
    />
  );
}

/** The clipboard needs HTTPS; without it `document.execCommand` copies. May reject. */
async function copyText(text: string | Promise<string>, button: HTMLElement): Promise<boolean> {
  if (!navigator.clipboard) return copyByCommand(await text, button);
  // A page may copy only briefly after a click, so the clipboard gets a promise of the text.
  const content = Promise.resolve(text).then((late) => new Blob([late], { type: "text/plain" }));
  await navigator.clipboard.write([new ClipboardItem({ "text/plain": content })]);
  return true;
}

/** Copies a selection next to the button: nothing outside an open dialog can be selected. */
function copyByCommand(text: string, button: HTMLElement): boolean {
  const area = document.createElement("textarea");
  area.className = "visually-hidden";
  area.value = text;
  // The text may arrive late, when the user has already moved the focus.
  const held = document.activeElement === document.body ? button : document.activeElement;
  button.after(area);
  area.select();
  const isCopied = document.activeElement === area && document.execCommand("copy");
  area.remove();
  if (held instanceof HTMLElement) held.focus();
  return isCopied;
}
