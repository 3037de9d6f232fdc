/** Stores files of this computer in a table's folder. */
import { useRef, useState } from "preact/hooks";
import { send } from "../../api/client";
import { Icon } from "../../components/icon";
import { notify, notifyError } from "../../components/notice";
import { pageStrings } from "../../page-strings";

interface UploadButtonProps {
  /** Ends in `/`. */
  readonly folder: string;
  readonly onStored: () => void;
  /** The partition whose folder it is, for a button without a text. @default none */
  readonly partition?: string;
}

export function UploadButton({ folder, onStored, partition }: UploadButtonProps) {
  const text = pageStrings.upload;
  const input = useRef<HTMLInputElement>(null);
  const [isBusy, setBusy] = useState(false);
  const name = partition === undefined ? text.button : text.buttonOf(partition);
  const store = async (files: readonly File[]) => {
    setBusy(true);
    for (const file of files) {
      const segments = [...folder.slice("dag://".length, -1).split("/"), file.name];
      try {
        await send("PUT", `/objects/${segments.map(encodeURIComponent).join("/")}`, file);
        notify(text.stored(file.name));
      } catch (error) {
        notifyError(error);
      }
    }
    setBusy(false);
    onStored();
  };
  return (
    <>
      <button
        type="button"
        class={partition === undefined ? "button" : "icon-button"}
        aria-label={partition === undefined ? undefined : name}
        title={partition === undefined ? undefined : name}
        disabled={isBusy}
        onClick={() => input.current!.click()}
      >
        <Icon name="upload" /> {partition === undefined && (isBusy ? text.busy : text.button)}
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={name}
        onChange={(event) => {
          void store([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }}
      />
    </>
  );
}
