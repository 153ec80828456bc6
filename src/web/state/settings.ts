// What a person chose for this browser, kept in local storage.
import { effect, type Signal, signal } from "@preact/signals";

const THEMES = ["system", "light", "dark"] as const;
const DENSITIES = ["comfortable", "compact"] as const;
const SCHEMES = ["light", "dark"] as const;
const DARK_KINDS = ["own", "full", "partial"] as const;
const LAYOUTS = ["one", "widths", "colours"] as const;
const REMOTE = ["ask", "always"] as const;
const ON_OFF = ["on", "off"] as const;
export type Theme = (typeof THEMES)[number];
export type Density = (typeof DENSITIES)[number];
export type Scheme = (typeof SCHEMES)[number];
export type DarkKind = (typeof DARK_KINDS)[number];
export type PreviewLayout = (typeof LAYOUTS)[number];

export const theme = kept<Theme>("theme", "system", THEMES);
export const density = kept<Density>("density", "comfortable", DENSITIES);
export const notifications = kept<(typeof ON_OFF)[number]>("notify", "off", ON_OFF);
export const readOnOpen = kept<(typeof ON_OFF)[number]>("read-when-opened", "on", ON_OFF);
export const listWidth = kept("list-width", 420);
export const showsRail = kept("rail", true);
/** The tab that was chosen last; empty: the one that suits each message. */
export const chosenTab = kept("tab", "");
export const showsDetails = kept("head-details", false);
/** Width of the HTML preview in CSS pixels; 0: all there is. */
export const previewWidth = kept("preview-width", 0);
export const previewScheme = kept<Scheme>("preview-scheme", "light", SCHEMES);
export const darkKind = kept<DarkKind>("dark-kind", "own", DARK_KINDS);
export const previewLayout = kept<PreviewLayout>("preview-layout", "one", LAYOUTS);
export const fitsWide = kept("fit-wide", false);
export const remoteImages = kept<(typeof REMOTE)[number]>("remote-images", "ask", REMOTE);
export const wrapsSource = kept("wrap-source", true);
export const isMono = kept("text-mono", false);
export const groupsRuns = kept("group-runs", false);
export const releaseTarget = kept("release-target", { host: "", port: 587 });
export const snippetName = kept("snippet", "curl");

/** `choices`: all that it can be, where these are few. */
function kept<T>(name: string, initial: T, choices?: readonly T[]): Signal<T> {
  const key = `mailkeep.${name}`;
  const found = read(key, initial);
  const setting = signal(choices?.includes(found) === false ? initial : found);
  let isFirst = true;
  effect(() => {
    const text = JSON.stringify(setting.value);
    if (!isFirst) write(key, text);
    isFirst = false;
  });
  return setting;
}

// A browser may refuse storage altogether (private mode, policy): the page works without it.
function read<T>(key: string, initial: T): T {
  try {
    const text = localStorage.getItem(key);
    const value: unknown = text === null ? initial : JSON.parse(text);
    return isLike(value, initial) ? value : initial;
  } catch {
    return initial;
  }
}

/** What another version of the page has kept may be of another kind. */
function isLike<T>(value: unknown, initial: T): value is T {
  return typeof value === typeof initial && value !== null && Array.isArray(value) === Array.isArray(initial);
}

function write(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {}
}
