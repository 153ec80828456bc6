// What the page's address says: which filter, which message, which tab. Pure parsing and formatting.
import { BASE_PATH, pathBelow } from "../api/base-path.ts";
import { type ListFilter, listParameters } from "../api/messages.ts";

export const TABS = ["html", "text", "headers", "source", "attachments", "checks"] as const;
export type Tab = (typeof TABS)[number];

export interface Route {
  readonly id: string | undefined;
  /** Absent: the tab that suits the message. */
  readonly tab: Tab | undefined;
  readonly filter: ListFilter;
  /** There is nothing at this address. */
  readonly isUnknown: boolean;
}

/** The server takes no more at once. */
export const MAX_FILTER_TAGS = 20;

const HOME_PATHS = ["/", "/index.html"];

export const NO_FILTER: ListFilter = { q: "", unread: false, starred: false, attachments: false, tags: [] };

export function parseRoute(url: URL): Route {
  const parameters = url.searchParams;
  const path = pathBelow(BASE_PATH, url.pathname);
  const tab = TABS.find((name) => name === parameters.get("tab"));
  const id = /^\/messages\/([0-9A-Z]{26})$/.exec(path)?.[1];
  return {
    id,
    isUnknown: id === undefined && !HOME_PATHS.includes(path),
    tab,
    filter: {
      q: parameters.get("q") ?? "",
      unread: parameters.get("unread") === "true",
      starred: parameters.get("starred") === "true",
      attachments: parameters.get("has_attachments") === "true",
      tags: parameters.getAll("tag").slice(0, MAX_FILTER_TAGS),
    },
  };
}

/** The inbox, unfiltered. */
export const HOME = `${BASE_PATH}/`;

export function formatRoute({ id, tab, filter }: Omit<Route, "isUnknown">): string {
  const parameters = listParameters(filter);
  if (id && tab) parameters.set("tab", tab);
  const query = parameters.toString();
  return `${BASE_PATH}${id ? `/messages/${id}` : "/"}${query === "" ? "" : `?${query}`}`;
}
