// Rows of values below their names. Where there is little room, the values of a row stand below each other.
import type { ComponentChildren } from "preact";
import { IconButton } from "./icon-button.tsx";

interface Props {
  head: readonly string[];
  /** Otherwise the names are for screen readers only. */
  showsHead?: boolean;
  caption?: ComponentChildren;
  /** The first value names its row. */
  rows: readonly (readonly ComponentChildren[])[];
  /** For each row a way to remove it, or none. */
  removals?: readonly (Removal | undefined)[];
}

interface Removal {
  readonly label: string;
  readonly run: () => void;
}

export function Table({ head, showsHead = false, caption, rows, removals = [] }: Props) {
  return (
    <table class="table">
      {caption && <caption class="hint">{caption}</caption>}
      <thead class={showsHead ? "" : "visually-hidden"}>
        <tr>
          {head.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, ...values], index) => (
          <tr key={index}>
            <th scope="row">{name}</th>
            {values.map((value, column) => (
              <td key={column} dir="auto">
                {value}
              </td>
            ))}
            <Remove removal={removals[index]} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Remove({ removal }: { removal: Removal | undefined }) {
  if (!removal) return null;
  return (
    <td>
      <IconButton icon="trash" label={removal.label} onClick={removal.run} />
    </td>
  );
}
