// The page's address is its state: one signal that follows the History API.
import { computed, signal } from "@preact/signals";
import { formatRoute, type ListFilter, listParameters, parseRoute, type Route } from "../api/index.ts";

export const route = signal<Route>(parseRoute(new URL(location.href)));
export const openedId = computed(() => route.value.id);
/** Equal filters have the same key, so that opening a message does not look like a new filter. */
export const filterKey = computed(() => listParameters(route.value.filter).toString());
export const isFiltered = computed(() => filterKey.value !== "");

export function navigate(change: Partial<Route>, history: "push" | "replace" = "push"): void {
  const next = { ...route.peek(), ...change };
  const address = formatRoute(next);
  if (address === location.pathname + location.search) return;
  if (history === "push") window.history.pushState(null, "", address);
  else window.history.replaceState(null, "", address);
  route.value = next;
}

export function changeFilter(change: Partial<ListFilter>): void {
  navigate({ filter: { ...route.peek().filter, ...change } });
}

export function followHistory(): void {
  window.addEventListener("popstate", () => {
    route.value = parseRoute(new URL(location.href));
  });
}
