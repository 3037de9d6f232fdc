/** Buttons that show an icon. Their name is read aloud, and is the hint. */
import { Icon, type IconName } from "./icon";

interface IconButtonProps {
  readonly icon: IconName;
  readonly name: string;
  readonly disabled?: boolean;
  readonly onClick: () => void;
}

/** A button that shows only an icon. */
export function IconButton({ icon, name, disabled = false, onClick }: IconButtonProps) {
  return (
    <button type="button" class="icon-button" aria-label={name} title={name} disabled={disabled} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

interface PageButtonsProps {
  /** Names of the two buttons. */
  readonly names: { readonly earlier: string; readonly later: string };
  /** Shows the page before; undefined on the first page. */
  readonly earlier: (() => void) | undefined;
  /** Shows the next page; undefined on the last page, and while it is not known. */
  readonly later: (() => void) | undefined;
}

/** The buttons of a list that is shown in pages. */
export function PageButtons({ names, earlier, later }: PageButtonsProps) {
  return (
    <>
      <IconButton icon="back" name={names.earlier} disabled={!earlier} onClick={() => earlier?.()} />
      <IconButton icon="chevron" name={names.later} disabled={!later} onClick={() => later?.()} />
    </>
  );
}
