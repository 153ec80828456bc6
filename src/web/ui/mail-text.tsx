// A text out of a mail: it cannot turn the text around it, and what could turn its own is named.
import { splitControls } from "../format/bidi-controls.ts";

export function MailText({ text }: { text: string }) {
  return (
    <>
      {splitControls(text).map(({ text, control }, index) =>
        control ? (
          <span
            key={index}
            class="bidi-control"
            title="A control for the direction of text, shown by its name"
          >
            {control}
          </span>
        ) : (
          text
        ),
      )}
    </>
  );
}
