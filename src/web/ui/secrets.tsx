// Values that are shown once, each with a button that copies it.
import { CopyButton } from "./copy-button.tsx";

export function Secrets({ title, values }: { title: string; values: Readonly<Record<string, string>> }) {
  return (
    <section class="card" role="status">
      <h3>{title}</h3>
      <p class="hint">Copy it now: the token is not shown again.</p>
      <dl class="facts">
        {Object.entries(values).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="row">
              <code>{value}</code>
              <CopyButton text={value} label={`Copy ${name}`} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
