// The HTML body in a frame that may not run scripts; remote images stay out until they are allowed for this message.
// It shares our origin, for without that its pictures are asked for without the password that guards them.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Message } from "../../model/index.ts";
import { htmlUrl } from "../api/messages.ts";
import { knowsDarkMode } from "../format/html-traits.ts";
import { allowRemote, blockedImagesOf, remoteAllowed } from "../state/opened.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { followFrame } from "./html-frame.ts";

const WIDTHS = {
  phone: { label: "Phone, 375 pixels", icon: "phone", width: "375px" },
  tablet: { label: "Tablet, 768 pixels", icon: "tablet", width: "768px" },
  desktop: { label: "Full width", icon: "desktop", width: "100%" },
} as const satisfies Record<string, { label: string; icon: IconName; width: string }>;

const SCHEMES = {
  light: { label: "Light preview", icon: "sun" },
  dark: { label: "Dark preview", icon: "moon" },
} as const satisfies Record<string, { label: string; icon: IconName }>;

export function HtmlView({ message }: { message: Message }) {
  const width = useSignal<keyof typeof WIDTHS>("desktop");
  const scheme = useSignal<keyof typeof SCHEMES>("light");
  const isRemoteAllowed = remoteAllowed.value.has(message.id);
  const blocked = blockedImagesOf.of(message.id).value;
  const hasBlocked = blocked.state === "ready" && blocked.value > 0;
  const hasDark = useMemo(() => knowsDarkMode(message.html_body), [message.html_body]);
  // A mail without its own dark colours is shown the way clients that force dark mode do: inverted.
  const look = scheme.value === "light" ? "light" : hasDark ? "dark" : "inverted";
  const address = htmlUrl(message.id, look === "dark" ? "dark" : "light", isRemoteAllowed);
  return (
    <div class="html-view">
      <div class="view-bar">
        <Segmented
          name="Preview width"
          options={WIDTHS}
          value={width.value}
          onChange={(key) => (width.value = key)}
        />
        <Segmented
          name="Preview colours"
          options={SCHEMES}
          value={scheme.value}
          onChange={(key) => (scheme.value = key)}
        />
        {look === "inverted" && <span class="hint">no dark style of its own: inverted</span>}
        <span class="toolbar-gap" />
        {hasBlocked && !isRemoteAllowed && (
          <span class="remote-notice">
            <Icon name="image" />
            Remote images are blocked
            <button type="button" class="link-button" onClick={() => allowRemote(message.id)}>
              Load for this message
            </button>
          </span>
        )}
      </div>
      <div class={`html-desk html-desk-${width.value}`}>
        {/* A frame of its own for each address: one that goes to another has a history, and Back would lead through it. */}
        <iframe
          key={address}
          class={`html-frame html-frame-${look}`}
          title="HTML body"
          sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
          referrerpolicy="no-referrer"
          src={address}
          onLoad={({ currentTarget }) => followFrame(currentTarget)}
          style={{ width: WIDTHS[width.value].width }}
        />
      </div>
    </div>
  );
}
