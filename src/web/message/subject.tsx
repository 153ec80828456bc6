// The subject as a heading. One that would push everything else out of sight is cut until asked for.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Marked } from "../ui/marked.tsx";

export function Subject({ text }: { text: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isCut = useSignal(false);
  const isWhole = useSignal(false);
  useEffect(() => {
    const element = heading.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      if (!isWhole.peek()) isCut.value = element.scrollHeight > element.clientHeight + 1;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div class="subject-block">
      <h2
        ref={heading}
        id="message-subject"
        class={isWhole.value ? "message-subject" : "message-subject is-clamped"}
        dir="auto"
        tabIndex={-1}
      >
        {text ? <Marked text={text} field="subject" /> : <span class="is-missing">(no subject)</span>}
      </h2>
      {isCut.value && (
        <button
          type="button"
          class="link-button"
          aria-expanded={isWhole.value}
          onClick={() => (isWhole.value = !isWhole.value)}
        >
          {isWhole.value ? "Show less" : "Show the whole subject"}
        </button>
      )}
    </div>
  );
}
