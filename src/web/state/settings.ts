// The settings of a person, kept in the browser's local storage.
import { effect, type Signal, signal } from "@preact/signals";

export type Density = typeof density.value;
export type Scheme = typeof previewScheme.value;
export type DarkKind = typeof darkKind.value;

export const theme = kept("theme", "system", ["light", "dark"]);
export const density = kept("density", "comfortable", ["compact"]);
export const notifications = kept("notify", "off", ["on"]);
export const readOnOpen = kept("read-when-opened", "on", ["off"]);
export const listWidth = kept("list-width", 420);
export const showsRail = kept("rail", true);
/** The last chosen tab; empty for the tab that suits each message. */
export const chosenTab = kept("tab", "");
export const showsDetails = kept("head-details", false);
/** Width of the HTML preview in CSS pixels; 0 for the full width. */
export const previewWidth = kept("preview-width", 0);
export const previewScheme = kept("preview-scheme", "light", ["dark"]);
export const darkKind = kept("dark-kind", "own", ["full", "partial"]);
export const previewLayout = kept("preview-layout", "one", ["widths", "colours"]);
export const fitsWide = kept("fit-wide", false);
export const remoteImages = kept("remote-images", "ask", ["always"]);
export const isMono = kept("text-mono", false);
export const groupsRuns = kept("group-runs", false);
export const releaseTarget = kept("release-target", { host: "", port: 587 });
export const snippetName = kept("snippet", "curl", ["Nodemailer", "Django", "Rails", "Laravel"]);

/** `others`: the values allowed besides `initial`. By default any value of its type is allowed. */
function kept<const T extends string>(name: string, initial: T, others: readonly T[]): Signal<T>;
function kept<T>(name: string, initial: T): Signal<T>;
function kept<T>(name: string, initial: T, others?: readonly T[]): Signal<T> {
  const key = `mailkeep.${name}`;
  const found = read(key, initial);
  const setting = signal(others?.includes(found) === false ? initial : found);
  let isFirst = true;
  effect(() => {
    const text = JSON.stringify(setting.value);
    try {
      if (!isFirst) localStorage.setItem(key, text);
    } catch {}
    isFirst = false;
  });
  return setting;
}

// The page also works if the browser refuses storage (private mode, policy).
function read<T>(key: string, initial: T): T {
  try {
    const text = localStorage.getItem(key);
    const value: unknown = text === null ? initial : JSON.parse(text);
    // Another version of the page may have stored another type.
    return typeof value === typeof initial && value !== null ? (value as T) : initial;
  } catch {
    return initial;
  }
}
