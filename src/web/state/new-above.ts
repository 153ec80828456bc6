// How many mails arrived above what is in sight.
import { signal } from "@preact/signals";

export const newAbove = signal(0);
