// Reads and writes the state in the page's address: the message, the tab, the filter, the inbox.
import { BASE_PATH, INBOX } from "./client.ts";

export const TABS = [
  "html",
  "text",
  "headers",
  "source",
  "parts",
  "attachments",
  "checks",
  "transcript",
] as const;
export type Tab = (typeof TABS)[number];

export interface ListFilter {
  readonly q: string;
  readonly flags: readonly Flag[];
  readonly tags: readonly string[];
  /** The whole address of a recipient. Words in `q` would also find longer addresses. */
  readonly to: string;
}

export const FLAGS = [
  { name: "unread", label: "Unread", icon: "unread" },
  { name: "starred", label: "Starred", icon: "star" },
  { name: "has_attachments", label: "Attachments", icon: "clip" },
] as const;
export type Flag = (typeof FLAGS)[number]["name"];

export interface Route {
  readonly id: string | undefined;
  readonly tab: Tab | undefined;
  readonly filter: ListFilter;
}

export const NO_FILTER: ListFilter = { q: "", flags: [], tags: [], to: "" };
export const HOME = `${BASE_PATH}/`;

export const inboxAddress = (name: string) => (name ? `${HOME}?inbox=${encodeURIComponent(name)}` : HOME);

/** Removes the base path, if it is there: Mailkeep also answers at the root. */
export function pathBelow(basePath: string, path: string): string {
  if (path === basePath) return "/";
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
}

export function listParameters(filter: ListFilter): URLSearchParams {
  const parameters = new URLSearchParams();
  if (filter.q.trim() !== "") parameters.set("q", filter.q);
  for (const { name } of FLAGS) if (filter.flags.includes(name)) parameters.set(name, "true");
  for (const tag of filter.tags) parameters.append("tag", tag);
  if (filter.to) parameters.set("to", filter.to);
  return parameters;
}

export function parseRoute(url: URL): Route {
  const parameters = url.searchParams;
  const path = pathBelow(BASE_PATH, url.pathname);
  const id = /^\/messages\/([0-9A-Z]{26})$/.exec(path)?.[1];
  return {
    id,
    tab: TABS.find((name) => name === parameters.get("tab")),
    filter: {
      q: parameters.get("q") ?? "",
      flags: FLAGS.map(({ name }) => name).filter((name) => parameters.get(name) === "true"),
      tags: parameters.getAll("tag"),
      to: parameters.get("to") ?? "",
    },
  };
}

export function formatRoute({ id, tab, filter }: Route): string {
  const parameters = listParameters(filter);
  if (id && tab) parameters.set("tab", tab);
  if (INBOX) parameters.set("inbox", INBOX);
  const query = parameters.toString();
  return `${BASE_PATH}${id ? `/messages/${id}` : "/"}${query === "" ? "" : `?${query}`}`;
}
