// Short forms to declare settings that stand under one heading of the help text.
import type { Kind } from "./kinds.ts";
import * as kinds from "./kinds.ts";
import type { Setting } from "./setting.ts";

type Extra = Pick<Setting, "shownDefault" | "flagOnly" | "rival">;

export function under(group: string, common: Extra = {}) {
  return {
    /** A setting that has a value even when nobody gives one. */
    withDefault: <Value>(kind: Kind<Value>, value: Value, help: string): Setting<Value, Value> => ({
      kind,
      default: value,
      help,
      group,
      ...common,
    }),
    optional: <Value>(kind: Kind<Value>, help: string, extra: Extra = {}): Setting<Value, undefined> => ({
      kind,
      default: undefined,
      help,
      group,
      ...common,
      ...extra,
    }),
    toggle: (help: string, extra: Extra = {}): Setting<boolean, boolean> => ({
      kind: kinds.toggle,
      default: false,
      help,
      group,
      ...common,
      ...extra,
    }),
    list: <Value>(kind: Kind<Value>, help: string): Setting<Value[], Value[]> => ({
      kind: kinds.listOf(kind),
      default: [],
      help,
      group,
      ...common,
    }),
  };
}
