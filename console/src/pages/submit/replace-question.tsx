/** Asks before a query replaces objects that are not the result of a select, or writes into a table of a split. */
import { outputFolder, type OutputFolder } from "../../../../contract/extension";
import { asFolder, parseLocation } from "../../../../contract/location";
import { read } from "../../api/client";
import { Dialog } from "../../components/parts";
import { pageStrings } from "../../page-strings";

/** What a query must ask about before it writes to a folder. */
export type Others = Pick<OutputFolder, "isInside"> & { readonly others: string };

/** Returns what a result in the folder would replace, when that is no result of a select; undefined if nobody can tell. */
export async function othersIn(text: string): Promise<Others | undefined> {
  try {
    const { bucket, key } = asFolder(parseLocation(text));
    const path = [bucket, ...key.split("/")].map(encodeURIComponent).join("/");
    const { others, isInside } = await read(outputFolder, `/outputs/${path}`);
    return others === undefined ? undefined : { others, isInside };
  } catch {
    // The submission says what is wrong with the folder, or that the service does not answer.
    return undefined;
  }
}

export function ReplaceQuestion({
  others: { others, isInside },
  onClose,
  onReplace,
}: {
  readonly others: Others;
  readonly onClose: () => void;
  readonly onReplace: () => void;
}) {
  const text = pageStrings.submit;
  return (
    <Dialog title={isInside ? text.insideTitle : text.replaceTitle} onClose={onClose}>
      <p class="break">{isInside ? text.insideText(others) : text.replaceText(others)}</p>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={onClose}>
          {isInside ? text.insideNot : text.replaceNot}
        </button>
        <button type="button" class="button danger primary" onClick={onReplace}>
          {isInside ? text.inside : text.replace}
        </button>
      </div>
    </Dialog>
  );
}
