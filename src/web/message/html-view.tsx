// The HTML body in frames without scripts: one, or phone beside desktop, or light beside dark.
// A frame shares our origin, so that its pictures are requested with the page's credentials.

import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Attachment, Message } from "../../model/index.ts";
import { PREVIEW_WIDTHS } from "../actions/actions.ts";
import { htmlUrl } from "../api/index.ts";
import { knowsDarkMode } from "../format/text-parts.ts";
import { isNarrow } from "../state/layout.ts";
import { allowRemote, blockedImagesOf, isRemoteAllowed } from "../state/opened.ts";
import type { DarkKind, Scheme } from "../state/settings.ts";
import * as settings from "../state/settings.ts";
import { attempt } from "../state/toasts.ts";
import { Button, Handle, Icon, IconButton, type IconName, Segmented, Toggle } from "../ui/index.ts";
import { darken } from "./dark-preview.ts";
import { followFrame, savePicture, scrollInStep } from "./html-frame.ts";

type Options<K extends string> = Record<K, { label: string; icon: IconName }>;

const WIDTHS: Options<keyof typeof PREVIEW_WIDTHS | "free"> = {
  phone: { label: "Phone, 375 pixels (w)", icon: "phone" },
  tablet: { label: "Tablet, 768 pixels (w)", icon: "tablet" },
  full: { label: "Full width (w)", icon: "desktop" },
  free: { label: "Free width: drag the edge", icon: "width" },
};

const SCHEMES: Options<Scheme> = {
  light: { label: "Light preview (d)", icon: "sun" },
  dark: { label: "Dark preview (d)", icon: "moon" },
};

const LAYOUTS: Options<typeof settings.previewLayout.value> = {
  one: { label: "One preview", icon: "file" },
  widths: { label: "Phone beside desktop", icon: "columns" },
  colours: { label: "Light beside dark", icon: "contrast" },
};

const DARK_KINDS: Record<DarkKind, string> = {
  own: "the mail's own dark styles",
  full: "inverted, as Outlook does",
  partial: "partly inverted, as Gmail on Android does",
};

const DESKTOP_PX = 1000;
const MIN_FREE_PX = 240;
const MAX_FREE_PX = 2000;
const DEFAULT_FREE_PX = 600;

const namedWidth = {
  get value(): keyof typeof WIDTHS {
    const names = Object.keys(PREVIEW_WIDTHS) as (keyof typeof PREVIEW_WIDTHS)[];
    return names.find((name) => PREVIEW_WIDTHS[name] === settings.previewWidth.value) ?? "free";
  },
  set value(name) {
    settings.previewWidth.value = name === "free" ? DEFAULT_FREE_PX : PREVIEW_WIDTHS[name];
  },
};

interface Look {
  readonly width: number;
  readonly scheme: Scheme;
  /** The frame is laid out at this width and scaled down to fit. */
  readonly scaledFrom?: number;
}

/** A narrow page has no controls for width and layout, so it ignores both. */
const layoutNow = () => (isNarrow.value ? "one" : settings.previewLayout.value);

function looks(): Look[] {
  const [width, scheme] = [isNarrow.value ? 0 : settings.previewWidth.value, settings.previewScheme.value];
  if (layoutNow() === "one") return [{ width, scheme }];
  if (layoutNow() === "colours") return (["light", "dark"] as const).map((scheme) => ({ width, scheme }));
  const desktop = { width: PREVIEW_WIDTHS.full, scheme, scaledFrom: DESKTOP_PX };
  return [{ width: PREVIEW_WIDTHS.phone, scheme }, desktop];
}

export const darkKindFor = (hasDark: boolean): DarkKind =>
  settings.darkKind.value === "own" && !hasDark ? "partial" : settings.darkKind.value;

export function HtmlView({ message }: { message: Message }) {
  const desk = useRef<HTMLDivElement>(null);
  const hasDark = useMemo(() => knowsDarkMode(message.html_body), [message.html_body]);
  const shown = looks();
  const layout = layoutNow();
  const kind = darkKindFor(hasDark);
  return (
    <div class="column html-view">
      <div class="grow scroll html-desk" ref={desk}>
        {shown.map((look, index) => (
          <Frame key={`${layout} ${index}`} message={message} look={look} kind={kind} />
        ))}
      </div>
      <div class="row wrap fixed small desk-foot">
        {layout !== "widths" && (
          <Segmented name="Preview width" class="wide-only" options={WIDTHS} setting={namedWidth} />
        )}
        {layout !== "colours" && (
          <Segmented name="Preview colours" options={SCHEMES} setting={settings.previewScheme} />
        )}
        <Segmented
          name="Preview layout"
          class="wide-only"
          options={LAYOUTS}
          setting={settings.previewLayout}
        />
        {shown.some(({ scheme }) => scheme === "dark") && <DarkNote kind={kind} hasDark={hasDark} />}
        <RemoteNote id={message.id} />
        <span class="grow" />
        {shown[0] && shown[0].width > 0 && <span class="hint">{shown[0].width} px</span>}
        <Toggle label="Fit" hint="Scale wide mail down to fit" setting={settings.fitsWide} />
        <IconButton
          icon="camera"
          label="Save as a picture"
          onClick={() => {
            const frame = desk.current?.querySelector("iframe");
            if (frame) void attempt("Not saved", savePicture(frame, message.subject || message.id));
          }}
        />
      </div>
    </div>
  );
}

interface FrameProps {
  message: Message;
  look: Look;
  kind: DarkKind;
}

function Frame({ message, look: { width, scheme, scaledFrom }, kind }: FrameProps) {
  const isAlone = layoutNow() === "one";
  const place = useRef<HTMLDivElement>(null);
  useScale(place, scaledFrom);
  return (
    <div
      ref={place}
      class={width > 0 ? "fixed frame-place is-sized" : "grow frame-place"}
      style={width > 0 ? { width: `${width}px` } : {}}
    >
      <MailFrame
        id={message.id}
        title={isAlone ? "HTML body" : `HTML body, ${width || "full"} ${scheme}`}
        dark={scheme === "dark" && kind}
        width={width}
      />
      {isAlone && width > 0 && (
        <Handle
          class="width-handle"
          label="Width of the preview"
          width={width}
          min={MIN_FREE_PX}
          max={MAX_FREE_PX}
          step={10}
          // The frame is centred, so its width is twice the distance from its centre to `x`.
          widthAt={(x) => {
            const { left = 0, right = 0 } = place.current?.getBoundingClientRect() ?? {};
            return 2 * x - left - right;
          }}
          onResize={(width) => (settings.previewWidth.value = width)}
        />
      )}
    </div>
  );
}

interface MailFrameProps {
  id: string;
  attached?: Attachment;
  title: string;
  dark: DarkKind | false;
  width?: number;
}

export function MailFrame({ id, attached, title, dark, width }: MailFrameProps) {
  const usesOwn = dark === "own";
  const address = htmlUrl(id, usesOwn ? "dark" : "light", isRemoteAllowed(id), attached);
  return (
    // Each URL gets a new frame: in a frame that changes its URL, Back would lead to the earlier one.
    <iframe
      key={`${address} ${dark} ${settings.fitsWide.value && width}`}
      class={usesOwn ? "html-frame is-dark" : "html-frame"}
      title={title}
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      referrerpolicy="no-referrer"
      src={address}
      onLoad={({ currentTarget: frame }) => {
        followFrame(frame);
        scrollInStep(frame);
        if (dark && !usesOwn) darken(frame, dark);
        if (settings.fitsWide.peek()) fit(frame);
      }}
    />
  );
}

function useScale(place: { current: HTMLDivElement | null }, from: number | undefined): void {
  useEffect(() => {
    const element = place.current;
    if (!element || from === undefined) return;
    const observer = new ResizeObserver(() => {
      const scale = Math.min(1, element.clientWidth / from);
      element.style.setProperty("--scale", String(scale));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [from]);
}

function fit(frame: HTMLIFrameElement): void {
  const root = frame.contentDocument?.documentElement;
  if (root && root.scrollWidth > frame.clientWidth) {
    root.style.setProperty("zoom", String(frame.clientWidth / root.scrollWidth));
  }
}

function DarkNote({ kind, hasDark }: { kind: DarkKind; hasDark: boolean }) {
  return (
    <label class="row">
      Dark:
      <select
        value={kind}
        onChange={(event) => (settings.darkKind.value = event.currentTarget.value as DarkKind)}
        title={hasDark ? "This mail has dark styles of its own" : "This mail has no dark styles of its own"}
      >
        {(Object.entries(DARK_KINDS) as [DarkKind, string][]).map(([name, words]) => (
          <option key={name} value={name} disabled={name === "own" && !hasDark}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

function RemoteNote({ id }: { id: string }) {
  const blocked = blockedImagesOf.of(id).value;
  if (blocked.state !== "ready" || blocked.value === 0 || isRemoteAllowed(id)) return null;
  return (
    <span class="row small note">
      <Icon name="image" />
      Remote images are blocked
      <Button class="link-button" label="Load once" onClick={() => allowRemote(id)} />
      <Button class="link-button" label="Always" onClick={() => (settings.remoteImages.value = "always")} />
    </span>
  );
}
