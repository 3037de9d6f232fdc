/** Asks before a query replaces objects that are not the result of a select. */
import { outputFolder } from "../../../../contract/extension";
import { asFolder, parseLocation } from "../../../../contract/location";
import { read } from "../../api/client";
import { Dialog } from "../../components/parts";
import { pageStrings } from "../../page-strings";

/** Returns what a result in the folder would replace, when that is no result of a select; undefined if nobody can tell. */
export async function othersIn(text: string): Promise<string | undefined> {
  try {
    const { bucket, key } = asFolder(parseLocation(text));
    const path = [bucket, ...key.split("/")].map(encodeURIComponent).join("/");
    return (await read(outputFolder, `/outputs/${path}`)).others;
  } catch {
    // The submission says what is wrong with the folder, or that the service does not answer.
    return undefined;
  }
}

export function ReplaceQuestion({
  others,
  onClose,
  onReplace,
}: {
  readonly others: string;
  readonly onClose: () => void;
  readonly onReplace: () => void;
}) {
  const text = pageStrings.submit;
  return (
    <Dialog title={text.replaceTitle} onClose={onClose}>
      <p class="break">{text.replaceText(others)}</p>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={onClose}>
          {text.replaceNot}
        </button>
        <button type="button" class="button danger primary" onClick={onReplace}>
          {text.replace}
        </button>
      </div>
    </Dialog>
  );
}
