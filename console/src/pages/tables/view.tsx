/** A view of the config: its statement, its columns, and what it is made of. */
import { catalogDatabase } from "../../../../contract/extension";
import { read } from "../../api/client";
import { usePoll } from "../../api/poll";
import { Icon } from "../../components/icon";
import { MadeOf, readNextLevel } from "../../components/made-of";
import { Problem } from "../../components/notice";
import { CopyButton } from "../../components/parts";
import { Statement } from "../../components/statement";
import { href } from "../../router";
import { pageStrings } from "../../page-strings";
import { strings } from "../../strings";
import { openDraft } from "../submit/draft";
import { ViewRows } from "./view-rows";

export function ViewDetail({ database, view }: { readonly database: string; readonly view: string }) {
  const text = pageStrings.tables;
  const location = `dag://${database}/${view}/`;
  const { value, error, refresh } = usePoll(
    async (signal) => {
      const [{ views }, lineage] = await Promise.all([
        read(catalogDatabase, `/catalog/${encodeURIComponent(database)}`, { signal }),
        readNextLevel(location, signal),
      ]);
      return { found: views.find((each) => each.view === view), lineage };
    },
    0,
    `view ${database}/${view}`,
  );
  if (error) return <Problem error={error} retry={refresh} />;
  if (!value) return <p class="panel loading">{strings.shell.loading}</p>;
  const { found, lineage } = value;
  if (!found) return <p class="panel pad">{text.noView(`${database}.${view}`)}</p>;
  const query = `SELECT *\nFROM ${quoted(database)}.${quoted(view)}\nLIMIT 100`;
  const select = () => openDraft({ query });
  return (
    <div class="table-detail">
      <section class="panel">
        <div class="panel-head">
          <h2 class="break">
            {database}.{view}
          </h2>
          <span class="muted">{text.viewOfConfig}</span>
          <a class="button" href={href("/submit")} onClick={select}>
            <Icon name="play" /> {text.queryView}
          </a>
        </div>
      </section>
      <section class="panel">
        <div class="panel-head">
          <h2>{text.statement}</h2>
          <CopyButton text={found.query} />
        </div>
        <Statement text={found.query} />
      </section>
      <MadeOf location={location} initial={lineage} />
      <section class="panel" aria-label={text.columns}>
        <div class="panel-head">
          <h2>{text.columns}</h2>
        </div>
        {found.columns ? (
          <ul class="plain-list">
            {found.columns.map((column, index) => (
              <li key={index}>
                <code class="break">{column}</code>
              </li>
            ))}
          </ul>
        ) : (
          <p class="muted pad break">
            {found.problem === undefined ? text.columnsUnknown : text.columnsWrong(found.problem)}
          </p>
        )}
      </section>
      <ViewRows query={query} key={location} />
    </div>
  );
}

/** Hive takes letters, digits and `_`, not at the start; other names need backticks. */
export function quoted(name: string): string {
  return /^[a-z][a-z0-9_]*$/.test(name) ? name : `\`${name}\``;
}
