/** The frame of every page: navigation, connection, messages. */
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { askAgain, clockOffset, lostSince } from "./api/client";
import { usePoll } from "./api/poll";
import { endpoint, isKept, isRemote, keep, session, signOut } from "./api/session";
import { Icon, type IconName } from "./components/icon";
import { IconButton } from "./components/icon-button";
import { Notices, notify } from "./components/notice";
import { timeOfDay } from "./format";
import { latePage } from "./late-page";
import { QueriesPage } from "./pages/queries";
import { QueryPage } from "./pages/query";
import { SignInPage } from "./pages/sign-in";
import { followLinks, go, href, place } from "./router";
import { strings } from "./strings";
import { nextTheme, theme } from "./theme";

const SubmitPage = latePage(() => import("./pages/submit/submit").then((page) => page.SubmitPage));
const TablesPage = latePage(() => import("./pages/tables/tables").then((page) => page.TablesPage));
const LineagePage = latePage(() => import("./pages/lineage").then((page) => page.LineagePage));
const ClustersPage = latePage(() => import("./pages/clusters").then((page) => page.ClustersPage));
const ApiPage = latePage(() => import("./pages/api").then((page) => page.ApiPage));

const pages: readonly { path: string; name: string; icon: IconName }[] = [
  { path: "/queries", name: strings.nav.queries, icon: "list" },
  { path: "/submit", name: strings.nav.submit, icon: "plus" },
  { path: "/tables", name: strings.nav.tables, icon: "table" },
  { path: "/clusters", name: strings.nav.clusters, icon: "server" },
  { path: "/api", name: strings.nav.api, icon: "braces" },
];

/** The page under whose name others are found. */
const beside = (path: string) => (/^\/(?:views|lineage)\//.test(path) ? "/tables" : undefined);

export function App() {
  const { path } = place.value;
  useEffect(() => {
    if (path === "/") go("/queries", Object.fromEntries(place.value.parameters), true);
  }, [path]);
  if (!session.value) return <SignInPage />;
  return (
    // The links are the controls; this only keeps them inside the page.
    <div class="shell" onClick={followLinks}>
      <a class="skip" href="#content">
        {strings.skip}
      </a>
      <Sidebar path={path} />
      <main id="content" tabIndex={-1}>
        <ConnectionBanner />
        <CurrentPage path={path} />
      </main>
      <Notices />
    </div>
  );
}

function CurrentPage({ path }: { path: string }) {
  const query = /^\/queries\/(\d+)$/.exec(path)?.[1];
  if (query !== undefined) return <QueryPage id={Number(query)} key={query} />;
  const found = (
    {
      "/": QueriesPage,
      "/queries": QueriesPage,
      "/submit": SubmitPage,
      "/tables": TablesPage,
      "/views": TablesPage,
      "/lineage": LineagePage,
      "/clusters": ClustersPage,
      "/api": ApiPage,
    } as Record<string, ComponentType>
  )[/^\/(?:tables|views|lineage)(?=\/)/.exec(path)?.[0] ?? path];
  if (!found) return <NotFound />;
  const Page = found;
  return <Page />;
}

/** In place of all pages: the address names a service that cannot be called. */
export function WrongEndpoint({ value }: { readonly value: string }) {
  return (
    <main class="empty">
      <h1>{strings.errors.title}</h1>
      <p class="break" role="alert">
        {strings.shell.wrongEndpoint(value)}
      </p>
      <a class="button" href="/console/">
        {strings.shell.thisService}
      </a>
    </main>
  );
}

function NotFound() {
  return (
    <section class="empty">
      <h1>{strings.shell.notFound}</h1>
      <a class="button" href={href("/queries")}>
        {strings.shell.toQueries}
      </a>
    </section>
  );
}

function Sidebar({ path }: { path: string }) {
  return (
    <header class="sidebar">
      <a class="brand" href={href("/queries")}>
        <Icon name="logo" /> <span>{strings.product}</span>
      </a>
      <nav aria-label={strings.nav.label}>
        <ul>
          {pages.map(({ path: target, name, icon }) => (
            <li key={target}>
              <a
                href={href(target)}
                aria-current={path.startsWith(target) || beside(path) === target ? "page" : undefined}
              >
                <Icon name={icon} /> <span>{name}</span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="account">
        {isRemote && (
          <p class="remote" title={endpoint}>
            <strong>{strings.shell.remote}</strong> {endpoint}
          </p>
        )}
        <p class="who">
          <span class="muted">{strings.shell.signedInAs}</span> <code>{session.value?.accessKeyId}</code>
        </p>
        <label class="check keep">
          <input type="checkbox" checked={isKept.value} onChange={(event) => keep(event.currentTarget.checked)} />
          <span>{strings.shell.keep}</span>
        </label>
        <div class="account-actions">
          <IconButton
            icon={theme.value === "dark" ? "moon" : theme.value === "light" ? "sun" : "contrast"}
            name={strings.shell.theme[theme.value]}
            onClick={nextTheme}
          />
          <IconButton icon="exit" name={strings.shell.signOut} onClick={signOut} />
        </div>
      </div>
    </header>
  );
}

/** Tells that the service does not answer, or that its clock differs. Takes no room while all is well. */
function ConnectionBanner() {
  const since = lostSince.value;
  const wasLost = useRef(false);
  // A page that reads nothing again by itself would not find out that the service is back.
  usePoll(since === undefined ? undefined : askAgain, 0, `lost ${since}`);
  useEffect(() => {
    if (wasLost.current && since === undefined) notify(strings.connection.back);
    wasLost.current = since !== undefined;
  }, [since]);
  const minutes = Math.round(Math.abs(clockOffset.value) / 60_000);
  return (
    <div role="status" class="banners">
      {since !== undefined && (
        <p class="banner danger">
          <Icon name="alert" />
          <span>
            {strings.connection.lost(endpoint)} {strings.connection.since(timeOfDay(since))}
          </span>
        </p>
      )}
      {since === undefined && minutes >= 1 && (
        <p class="banner warning">
          <Icon name="alert" />
          <span>{strings.shell.skew(minutes)}</span>
        </p>
      )}
    </div>
  );
}
