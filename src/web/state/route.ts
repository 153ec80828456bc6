// The page's address is its state: one signal that follows the History API.
import { computed, signal } from "@preact/signals";
import { formatRoute, type ListFilter, listParameters, parseRoute, type Route } from "../api/index.ts";

export const route = signal<Route>(parseRoute(new URL(location.href)));
export const openedId = computed(() => route.value.id);
/** Equal filters have the same key, so that opening a message does not look like a new filter. */
export const filterKey = computed(() => listParameters(route.value.filter).toString());
export const isFiltered = computed(() => filterKey.value !== "");

/** True from `history.back()` until its popstate. An address opened in between is pushed afterwards. */
let isReturning = false;

export function navigate(change: Partial<Route>, history: "push" | "replace" = "push"): void {
  const next = { ...route.peek(), ...change };
  const [here, address] = [location.pathname + location.search, formatRoute(next)];
  if (address === here && !isReturning) return;
  // Each step keeps the address of the step before it, for `closeMail`.
  if (!isReturning && history === "push") window.history.pushState(here, "", address);
  else if (!isReturning) window.history.replaceState(window.history.state, "", address);
  route.value = next;
}

/** Shows the list. If it is the previous step, goes back to it, so that Back does not reopen closed mail. */
export function closeMail(): void {
  navigate({ id: undefined, tab: undefined }, "replace");
  if (isReturning || window.history.state !== location.pathname + location.search) return;
  isReturning = true;
  window.history.back();
}

export function changeFilter(change: Partial<ListFilter>): void {
  navigate({ filter: { ...route.peek().filter, ...change } });
}

export const toggled = <T>(list: readonly T[], one: T): T[] =>
  list.includes(one) ? list.filter((other) => other !== one) : [...list, one];

export function followHistory(): void {
  window.addEventListener("popstate", () => {
    if (!isReturning) route.value = parseRoute(new URL(location.href));
    else {
      isReturning = false;
      navigate({});
    }
  });
}
