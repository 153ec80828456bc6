// One mail in the list. A click opens it; with Shift or Ctrl, or on the avatar, it selects.
import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { MessageSummary } from "../../model/index.ts";
import { ActionButton, StarButton } from "../actions/action-button.tsx";
import { formatRoute, getPart } from "../api/index.ts";
import { nameControls } from "../format/text-parts.ts";
import { firstRecipient, senderName } from "../format/time.ts";
import { cursor, isId, type Key, selected } from "../state/list.ts";
import { mailOf } from "../state/mails.ts";
import { navigate, openedId, route } from "../state/route.ts";
import { selectTo, toggleSelected } from "../state/selection.ts";
import { Avatar, CopyButton, Icon, Marked, Moment, NoSubject, Tag } from "../ui/index.ts";

const SHOWN_TAGS = 2;

/** A pointer that only passes over a row requests nothing. */
const RESTING_MS = 120;

/** The first code of each mail. Fetched when the pointer rests on a row, on touch screens for every row. */
const codes = signal<ReadonlyMap<string, string>>(new Map());
const hasFingers = matchMedia("(hover: none)").matches;

function useCode(id: string | undefined) {
  const isLooked = useSignal(hasFingers);
  useEffect(() => {
    if (!id || !isLooked.value || codes.peek().has(id)) return;
    const resting = setTimeout(async () => {
      const found = await getPart(id, "codes").catch(() => undefined);
      if (found) codes.value = new Map([...codes.peek(), [id, found.codes[0]?.code ?? ""]]);
    }, RESTING_MS);
    return () => clearTimeout(resting);
  }, [id, isLooked.value]);
  return { code: codes.value.get(id ?? ""), isLooked };
}

export function MailRow({ id, index }: { id: Key; index: number }) {
  const mail = isId(id) ? mailOf(id)?.value : undefined;
  const { code, isLooked } = useCode(mail?.id);
  if (!mail) return <SkeletonRow index={index} />;
  const isSelected = selected.value.has(mail.id);
  const isOpened = openedId.value === mail.id;
  const isCursor = cursor.value === mail.id;
  const states = { unread: !mail.is_read, selected: isSelected, opened: isOpened, cursor: isCursor };
  return (
    <div
      id={`row-${mail.id}`}
      class={`mail-row ${Object.entries(states)
        .map(([name, isSo]) => (isSo ? `is-${name}` : ""))
        .join(" ")}`}
      role="row"
      aria-rowindex={index + 1}
      aria-selected={isSelected || isOpened}
      onPointerEnter={() => (isLooked.value = true)}
      onPointerLeave={() => (isLooked.value = hasFingers)}
    >
      <SelectCell mail={mail} isSelected={isSelected} />
      <div role="gridcell">
        <a
          class="mail-link"
          href={formatRoute({ ...route.value, id: mail.id, tab: undefined })}
          tabIndex={-1}
          onClick={(event) => open(event, mail.id)}
        >
          <Lines mail={mail} />
        </a>
      </div>
      <div class="center star-cell" role="gridcell">
        <span class="row-actions">
          {code && <CopyButton text={code} label={`Copy code ${code}`} tabIndex={-1} />}
          {!hasFingers && <ActionButton name="read" on={[mail.id]} tabIndex={-1} />}
          {!hasFingers && <ActionButton name="delete" on={[mail.id]} tabIndex={-1} />}
        </span>
        <StarButton mail={mail} tabIndex={-1} />
      </div>
    </div>
  );
}

function SelectCell({ mail, isSelected }: { mail: MessageSummary; isSelected: boolean }) {
  return (
    <div class="center select-cell" role="gridcell">
      <button
        type="button"
        class="select-box"
        role="checkbox"
        aria-checked={isSelected}
        aria-label={`Select mail from ${nameControls(senderName(mail))}`}
        tabIndex={-1}
        onClick={(event) => (event.shiftKey ? selectTo(mail.id) : toggleSelected(mail.id))}
      >
        <Avatar name={senderName(mail)} />
        <span class="center select-tick">{isSelected && <Icon name="check" />}</span>
      </button>
    </div>
  );
}

function Lines({ mail }: { mail: MessageSummary }) {
  return (
    <>
      <span class="row line">
        {!mail.is_read && <span class="visually-hidden">Unread</span>}
        <span class="cut sender" dir="auto" title={nameControls(mail.preview?.from_address || mail.sender)}>
          <Marked text={senderName(mail)} field="from" />
        </span>
        <span class="row grow cut hint recipients" title={nameControls(mail.recipients.join(", "))}>
          <span aria-hidden="true">→</span>
          <span class="visually-hidden">to</span>{" "}
          <bdi>
            <Marked text={firstRecipient(mail)} field="to" />
          </bdi>
          {mail.recipients.length > 1 && <span> +{mail.recipients.length - 1}</span>}
        </span>
        {mail.has_attachments && (
          <span class="row hint" title="With attachments">
            <Icon name="clip" />
            <span class="visually-hidden">with attachments</span>
          </span>
        )}
        <Moment iso={mail.created_at} />
      </span>
      <span class="row line">
        <span class="cut subject" dir="auto">
          {mail.subject ? <Marked text={mail.subject} field="subject" /> : <NoSubject />}
        </span>
        <span class="grow cut hint snippet" dir="auto">
          <Marked text={mail.preview?.snippet ?? ""} />
        </span>
        {mail.tags.slice(0, SHOWN_TAGS).map((tag) => (
          <Tag key={tag} name={tag} />
        ))}
        {mail.tags.length > SHOWN_TAGS && <span class="hint">+{mail.tags.length - SHOWN_TAGS}</span>}
      </span>
    </>
  );
}

function SkeletonRow({ index }: { index: number }) {
  return (
    <div class="mail-row skeleton" role="row" aria-rowindex={index + 1}>
      <div role="gridcell">
        <span class="visually-hidden">Loading</span>
      </div>
    </div>
  );
}

function open(event: MouseEvent, id: string): void {
  event.preventDefault();
  if (event.shiftKey) selectTo(id);
  else if (event.ctrlKey || event.metaKey) toggleSelected(id);
  // At the second click of a double click another row may be here, so it does nothing.
  else if (event.detail < 2) navigate({ id, tab: undefined });
}
