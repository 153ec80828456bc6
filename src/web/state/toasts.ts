// Short notices at the bottom of the page, some with an action such as undo.
import { signal } from "@preact/signals";
import { asFailure } from "../api/index.ts";

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: "neutral" | "danger";
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** Long enough to read the reply of an SMTP server. */
const SHOWN_MS = 8000;
const MOST_SHOWN = 4;

export const toasts = signal<readonly Toast[]>([]);

let lastId = 0;

export function showToast(toast: Omit<Toast, "id">, shownMs = SHOWN_MS): number {
  const id = ++lastId;
  toasts.value = [...toasts.peek(), { ...toast, id }].slice(-MOST_SHOWN);
  setTimeout(() => hideToast(id), shownMs);
  return id;
}

export function hideToast(id: number): void {
  toasts.value = toasts.peek().filter((toast) => toast.id !== id);
}

export const tell = (text: string) => showToast({ text, tone: "neutral" });
export const complain = (text: string) => showToast({ text, tone: "danger" });

/** Tells the user if something failed. The result is then undefined. */
export const attempt = <T>(words: string, done: Promise<T>): Promise<T | undefined> =>
  done.catch((error: unknown) => {
    complain(`${words}: ${asFailure(error).message}`);
    return undefined;
  });
